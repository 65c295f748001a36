package io.tributary.cli.demo;

import io.tributary.cli.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** How the demo looks. */
final class DemoScreen {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);
  private static final String ROW = "  %5s  %-20s %-17s %8s %12s %10s";

  private final Terminal terminal;

  DemoScreen(Terminal terminal) {
    this.terminal = terminal;
  }

  void title(String text) {
    terminal.line("");
    terminal.line(terminal.bold(text));
    terminal.line("");
  }

  void step(String what, String text) {
    terminal.line("  %-10s %s".formatted(what, text));
  }

  void passing(String what, String text) {
    terminal.passing("  %-10s %s".formatted(what, text));
  }

  void statusHead() {
    terminal.line("");
    terminal.line(
        terminal.dim(
            ROW.formatted(
                "round", "snapshot", "valid through UTC", "lag", "rows added", "deleted")));
  }

  void status(StatusMessage message, Instant now) {
    terminal.line(
        ROW.formatted(
            message.round(),
            message.snapshotId().map(String::valueOf).orElse("-"),
            message.validThrough().map(CLOCK::format).orElse("copying"),
            message
                .validThrough()
                .map(time -> seconds(Duration.between(time, now).toMillis()))
                .orElse("-"),
            number(message.addedRows()),
            number(message.deletedRows())));
  }

  void blank() {
    terminal.line("");
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
  }

  static String since(long startNanos) {
    return seconds(Duration.of(System.nanoTime() - startNanos, ChronoUnit.NANOS).toMillis());
  }
}
