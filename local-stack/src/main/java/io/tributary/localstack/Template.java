package io.tributary.localstack;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What takes a server long to make and is the same each time: made once, then copied. */
final class Template {
  private Template() {}

  /**
   * Makes it unless it is there. Stacks of other processes wait meanwhile: servers that install
   * themselves beside each other on few processors take longer, and have been seen to fail.
   *
   * @param make makes it in its place, whole or not at all
   */
  static synchronized void ensure(Path template, Runnable make) {
    if (Files.exists(template)) {
      return;
    }
    try {
      Files.createDirectories(template.getParent());
      Path lock = template.resolveSibling(template.getFileName() + ".lock");
      try (FileChannel channel =
              FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock held = channel.lock()) {
        if (held.isValid() && !Files.exists(template)) {
          make.run();
        }
      }
    } catch (IOException e) {
      throw new LocalStackException("Cannot make " + template, e);
    }
  }
}
