package io.tributary.protocol;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Bytes that an earlier build wrote. A file that is there is never changed: whoever changes the
 * form of a message adds a folder for its new version. A missing one is written below {@code
 * target/golden}, to be looked at and moved.
 */
final class GoldenFile {
  private GoldenFile() {}

  static byte[] bytes(String name, byte[] now) {
    try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + name)) {
      if (in == null) {
        Path proposal = Path.of("target", "golden", name);
        Files.createDirectories(proposal.getParent());
        Files.write(proposal, now);
        throw new AssertionError(
            "Cannot find golden file "
                + name
                + ": expected it in src/test/resources/golden, wrote "
                + proposal);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
