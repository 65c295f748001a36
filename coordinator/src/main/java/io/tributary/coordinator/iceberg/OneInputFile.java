package io.tributary.coordinator.iceberg;

import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** A file system of one file, so that Iceberg's manifest reader can read bytes from memory. */
record OneInputFile(InputFile file) implements FileIO {
  @Override
  public InputFile newInputFile(String path) {
    return file;
  }

  @Override
  public OutputFile newOutputFile(String path) {
    throw new UnsupportedOperationException("Cannot write " + path + ": expected reads alone");
  }

  @Override
  public void deleteFile(String path) {
    throw new UnsupportedOperationException("Cannot delete " + path + ": expected reads alone");
  }
}
