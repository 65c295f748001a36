package io.tributary.cli.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * What a demo is asked to do.
 *
 * @param folder of the local stack
 * @param rows of all shards before the jobs start, 0 to 100,000,000
 * @param duration of the live workload after the first data is committed, at most 1 day
 * @param seed the same seed makes the same rows and changes
 * @param transactionsPerSecond of the live workload
 * @param keep whether stack and jobs stay when the demo ends
 * @param continueEarlier whether to go on with the data of an earlier demo in the folder
 */
public record DemoConfig(
    Path folder,
    long rows,
    Duration duration,
    long seed,
    int transactionsPerSecond,
    boolean keep,
    boolean continueEarlier) {
  private static final long MOST_ROWS = 100_000_000;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public DemoConfig {
    Objects.requireNonNull(folder, "folder");
    if (rows < 0 || rows > MOST_ROWS) {
      throw new IllegalArgumentException(
          "Cannot run the demo: expected 0 to %d rows, found %d".formatted(MOST_ROWS, rows));
    }
    if (duration.isNegative() || duration.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "Cannot run the demo: expected a duration of at most 1 day, found "
              + duration.toSeconds()
              + " s");
    }
  }
}
