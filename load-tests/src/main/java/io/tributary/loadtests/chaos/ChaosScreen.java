package io.tributary.loadtests.chaos;

import io.tributary.cli.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How a run looks: on the terminal and, with the time, in a log beside those of the processes. */
final class ChaosScreen implements AutoCloseable {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

  private final Terminal terminal;
  private final Clock clock;
  private final PrintWriter log;

  ChaosScreen(Terminal terminal, Clock clock, Path log) {
    this.terminal = terminal;
    this.clock = clock;
    try {
      this.log = new PrintWriter(Files.newBufferedWriter(log), true);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write " + log, e);
    }
  }

  /** A line for both; from any thread. */
  void line(String text) {
    String line = TIME.format(clock.instant()) + "  " + text;
    log.println(line);
    terminal.line("  " + line);
  }

  /** A line for the log alone; from any thread. */
  void note(String text) {
    log.println(TIME.format(clock.instant()) + "  " + text);
  }

  /** A line that the next one replaces, for the terminal alone. */
  void passing(String text) {
    terminal.passing("  " + text);
  }

  @Override
  public void close() {
    terminal.endPassing();
    log.close();
  }
}
