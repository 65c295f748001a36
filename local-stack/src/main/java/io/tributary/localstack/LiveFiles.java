package io.tributary.localstack;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks at folders in which processes create and delete files meanwhile: what is gone by the time
 * it is looked at is left out, where {@link Files#walk} and {@link Files#list} fail.
 */
public final class LiveFiles {

  private LiveFiles() {}

  /**
   * The regular files in a folder and the folders below it.
   *
   * @param folder need not exist
   * @return sorted by path
   * @throws IOException where a folder cannot be read for another reason than being gone
   */
  public static List<Path> below(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            return continueWhereGone(e);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException e)
              throws IOException {
            return e == null ? FileVisitResult.CONTINUE : continueWhereGone(e);
          }
        });
    files.sort(null);
    return files;
  }

  /**
   * The content of a file.
   *
   * @return empty where the file is gone
   * @throws IOException where it cannot be read for another reason
   */
  public static Optional<byte[]> content(Path file) throws IOException {
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static FileVisitResult continueWhereGone(IOException e) throws IOException {
    if (e instanceof NoSuchFileException) {
      return FileVisitResult.CONTINUE;
    }
    throw e;
  }
}
