package io.tributary.registry;

import java.time.Duration;

/**
 * How the coordinator commits.
 *
 * @param checkpointInterval time between two rounds of a table; 100 ms to 1 day
 * @param idleRoundInterval least time between two rounds that carry no files, only watermarks; 100
 *     ms to 1 day
 * @param maxLayersPerRound how many slices of one group one round commits at most; 1 to 1,000
 * @param heldGroupTimeout how long a group may be held for a missing committable before it is
 *     halted; 1 s to 30 days
 */
public record CoordinatorSpec(
    Duration checkpointInterval,
    Duration idleRoundInterval,
    int maxLayersPerRound,
    Duration heldGroupTimeout) {
  static final Duration LEAST_INTERVAL = Duration.ofMillis(100);
  static final Duration MOST_INTERVAL = Duration.ofDays(1);
  static final int MOST_LAYERS = 1_000;
  static final Duration LEAST_HELD = Duration.ofSeconds(1);
  static final Duration MOST_HELD = Duration.ofDays(30);

  /** One round a minute, idle rounds every 10 s at most, 16 layers, halted after 10 minutes. */
  public static final CoordinatorSpec DEFAULT =
      new CoordinatorSpec(
          Duration.ofMinutes(1), Duration.ofSeconds(10), 16, Duration.ofMinutes(10));

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public CoordinatorSpec {
    Checks.between(
        "checkpoint interval of the coordinator",
        checkpointInterval,
        LEAST_INTERVAL,
        MOST_INTERVAL);
    Checks.between("idle round interval", idleRoundInterval, LEAST_INTERVAL, MOST_INTERVAL);
    Checks.between("number of layers per round", maxLayersPerRound, 1, MOST_LAYERS);
    Checks.between("held group timeout", heldGroupTimeout, LEAST_HELD, MOST_HELD);
  }
}
