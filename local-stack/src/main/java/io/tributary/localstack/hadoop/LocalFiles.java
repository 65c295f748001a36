package io.tributary.localstack.hadoop;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Local files for jobs, named in {@code core-site.xml}. Hadoop's own class starts a process for the
 * permissions of each file that it makes, some thousands a minute here, and writes a second file
 * with checksums beside it; these files have the permissions that the process gives them.
 */
public final class LocalFiles extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) {}
}
