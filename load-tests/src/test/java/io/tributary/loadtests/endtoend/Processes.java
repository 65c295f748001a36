package io.tributary.loadtests.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The processes of this machine, as /proc shows them. */
final class Processes {
  private Processes() {}

  /**
   * Command lines of all processes that hold a text.
   *
   * @return each with its number in front
   */
  static List<String> commandLinesWith(String text) {
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      return entries
          .filter(entry -> entry.getFileName().toString().matches("\\d+"))
          .map(entry -> entry.getFileName() + " " + commandLine(entry))
          .filter(line -> line.contains(text))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String commandLine(Path process) {
    try {
      return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8)
          .replace('\0', ' ');
    } catch (IOException e) {
      // Ended a moment ago, or not ours to see.
      return "";
    }
  }
}
