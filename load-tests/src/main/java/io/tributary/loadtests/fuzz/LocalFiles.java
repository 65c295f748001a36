package io.tributary.loadtests.fuzz;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Local files for the jobs in this process, named in {@code core-site.xml}. Hadoop's own class
 * starts a process for the permissions of each file that it makes, some thousands a minute here;
 * these files have the permissions that the process gives them.
 */
public final class LocalFiles extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) {}
}
