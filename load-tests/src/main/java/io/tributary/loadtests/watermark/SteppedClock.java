package io.tributary.loadtests.watermark;

import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The clock of one server, which libfaketime shows to it: ours plus an offset that a file holds and
 * that is read anew each time that the server looks at its clock. Waiting is not affected.
 */
final class SteppedClock {
  private static final String LIBRARY = "libfaketimeMT.so.1";

  private final int server;
  private final Path library;
  private final Path file;
  private Duration offset;

  SteppedClock(int server, Path library, Path folder, Duration offset) throws IOException {
    this.server = server;
    this.library = library;
    this.file = folder.toAbsolutePath().resolve("clock-" + server);
    set(offset);
  }

  /**
   * Where the library is.
   *
   * @param checkout of this project; {@code .ci/servers} puts it there
   * @return empty when it is not installed
   */
  static Optional<Path> library(Path checkout) {
    return List.of(
            checkout.resolve(Path.of(".servers", "libfaketime", LIBRARY)),
            Path.of("/usr/lib/x86_64-linux-gnu/faketime", LIBRARY))
        .stream()
        .map(path -> path.toAbsolutePath().normalize())
        .filter(Files::isRegularFile)
        .findFirst();
  }

  /** What the server's process needs in its environment. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_NO_CACHE", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "DONT_FAKE_MONOTONIC", "1");
  }

  int server() {
    return server;
  }

  /** How far it is ahead of ours now; below zero when behind. */
  Duration offset() {
    return offset;
  }

  private void set(Duration next) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, String.format(Locale.ROOT, "%+.3f", next.toMillis() / 1_000.0));
    // At once: a file that is half written is read as another time.
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    offset = next;
  }

  /**
   * Sets the clock.
   *
   * @param next how far it is ahead of ours from now on
   * @param mostAhead how far it may be ahead and be believed
   * @throws IllegalStateException when the server does not follow
   */
  ClockStep step(StackEndpoints.MariaDb at, Duration next, Duration mostAhead)
      throws IOException, SQLException {
    try (Connection connection = at.connect();
        Statement statement = connection.createStatement()) {
      Duration before = offset;
      long nanos = System.nanoTime();
      set(next);
      long now = read(statement);
      Duration found =
          Duration.of(
              now - ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), ChronoUnit.MICROS);
      if (found.minus(next).abs().compareTo(Duration.ofSeconds(1)) > 0) {
        throw new IllegalStateException(
            "Cannot set the clock of server %d: expected it %s ahead of ours, found %s"
                .formatted(server, next, found));
      }
      Duration shift = next.minus(before);
      return new ClockStep(
          server,
          nanos,
          // Later than when it was set, so the clock as it was has shown less.
          now - shift.toNanos() / 1_000,
          shift.toNanos() / 1_000,
          before.compareTo(mostAhead) <= 0);
    }
  }

  /** A server's clock, in microseconds since 1970, as the probe reads it. */
  static long read(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR(26))")) {
      rows.next();
      return ChronoUnit.MICROS.between(
          Instant.EPOCH, Instant.parse(rows.getString(1).replace(' ', 'T') + "Z"));
    }
  }
}
