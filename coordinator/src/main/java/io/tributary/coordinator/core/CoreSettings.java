package io.tributary.coordinator.core;

import io.tributary.protocol.TableName;
import java.time.Duration;
import java.util.Objects;

/**
 * What an operator can set about the coordinator's decisions for one table.
 *
 * @param table the Iceberg table
 * @param idleRoundInterval least time between a round and a following one that brings no files,
 *     above 0
 * @param maxLayersPerRound Iceberg snapshots that a group's backlog may take in one round, at least
 *     1; a single epoch that needs more is still committed whole
 * @param heldGroupTimeout how long a group waits for a missing epoch before it is halted, above 0
 * @param joinWindow a shard that is not yet covered by the table's watermark and less than this
 *     behind it holds it until both meet, so that a shard with a constant lag joins too; not below
 *     0
 * @param conflictLimit swaps refused in a row before the table is stopped, at least 1
 */
public record CoreSettings(
    TableName table,
    Duration idleRoundInterval,
    int maxLayersPerRound,
    Duration heldGroupTimeout,
    Duration joinWindow,
    int conflictLimit) {
  public static final Duration DEFAULT_JOIN_WINDOW = Duration.ofMinutes(1);
  public static final int DEFAULT_CONFLICT_LIMIT = 10;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public CoreSettings {
    Objects.requireNonNull(table, "table");
    positive("an idle round interval", idleRoundInterval);
    positive("a timeout of held groups", heldGroupTimeout);
    if (joinWindow.isNegative()) {
      throw new IllegalArgumentException(
          "Cannot use a join window: expected at least 0, found " + joinWindow);
    }
    if (maxLayersPerRound < 1 || conflictLimit < 1) {
      throw new IllegalArgumentException(
          "Cannot use %d layers per round and a limit of %d conflicts: expected at least 1"
              .formatted(maxLayersPerRound, conflictLimit));
    }
  }

  /** With the default join window and conflict limit. */
  public static CoreSettings of(
      TableName table,
      Duration idleRoundInterval,
      int maxLayersPerRound,
      Duration heldGroupTimeout) {
    return new CoreSettings(
        table,
        idleRoundInterval,
        maxLayersPerRound,
        heldGroupTimeout,
        DEFAULT_JOIN_WINDOW,
        DEFAULT_CONFLICT_LIMIT);
  }

  private static void positive(String what, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(
          "Cannot use " + what + ": expected more than 0, found " + value);
    }
  }
}
