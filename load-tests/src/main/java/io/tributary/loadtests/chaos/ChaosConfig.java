package io.tributary.loadtests.chaos;

import io.tributary.cli.JobJar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * What a run is asked to do.
 *
 * @param folder of the local stack; what an earlier run left there is deleted
 * @param length how long faults are made, 10 s to 1 day
 * @param seed decides which faults come in which order, and the rows
 * @param rows of all shards before the jobs start, 0 to 10,000,000
 * @param transactionsPerSecond of the live workload
 * @param recoveryBound how long the work may take to go on after a wave of faults; a run in which
 *     it takes longer is not clean, one in which it takes three times as long is given up
 * @param coordinator the job that commits
 * @param ingest the job that reads a group
 */
public record ChaosConfig(
    Path folder,
    Duration length,
    long seed,
    long rows,
    int transactionsPerSecond,
    Duration recoveryBound,
    JobJar coordinator,
    JobJar ingest) {
  private static final Duration LEAST = Duration.ofSeconds(10);
  private static final Duration MOST = Duration.ofDays(1);
  private static final long MOST_ROWS = 10_000_000;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public ChaosConfig {
    folder = folder.toAbsolutePath();
    if (length.compareTo(LEAST) < 0 || length.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(
          "Cannot run chaos: expected %d s to %d s, found %d s"
              .formatted(LEAST.toSeconds(), MOST.toSeconds(), length.toSeconds()));
    }
    if (rows < 0 || rows > MOST_ROWS) {
      throw new IllegalArgumentException(
          "Cannot run chaos: expected 0 to %d rows, found %d".formatted(MOST_ROWS, rows));
    }
    if (recoveryBound.isNegative() || recoveryBound.isZero()) {
      throw new IllegalArgumentException(
          "Cannot run chaos: expected a positive bound for recovery, found " + recoveryBound);
    }
    Objects.requireNonNull(coordinator, "coordinator");
    Objects.requireNonNull(ingest, "ingest");
  }
}
