package io.tributary.protocol;

import java.util.Arrays;

/** Why a table's watermark does not speak for a shard. */
public enum NotCoveredReason {
  /** No epoch of its job is committed yet. */
  NOT_STARTED("not-started", true),
  /** Its initial snapshot is not complete. */
  INITIAL_SNAPSHOT("initial-snapshot", true),
  /** It was added or resumed later, and its watermark has not reached the table's. */
  CATCHING_UP("catching-up", true),
  /** Stopped by the operator; its rows stay as they are. */
  PAUSED("paused", false),
  /** Stopped by a fault that needs the operator. */
  HALTED("halted", false);

  private final String wireName;
  private final boolean passes;

  NotCoveredReason(String wireName, boolean passes) {
    this.wireName = wireName;
    this.passes = passes;
  }

  /** The word used in messages. */
  public String wireName() {
    return wireName;
  }

  /** Whether it passes while the jobs run; if not, an operator has to act first. */
  public boolean passes() {
    return passes;
  }

  /**
   * @throws IllegalArgumentException when no value has this name
   */
  public static NotCoveredReason parse(String wireName) {
    for (NotCoveredReason value : values()) {
      if (value.wireName.equals(wireName)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read '"
            + wireName
            + "' as NotCoveredReason: expected one of "
            + Arrays.toString(values()));
  }

  @Override
  public String toString() {
    return wireName;
  }
}
