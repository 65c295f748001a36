package io.tributary.protocol;

/** Where a shard is in its life. */
public enum ShardPhase {
  /** Its initial snapshot is not complete. */
  SNAPSHOT("snapshot"),
  /** Its changes flow. */
  ACTIVE("active"),
  /** Stopped by the operator; its rows stay. */
  PAUSED("paused"),
  /** It will bring no more rows. */
  RETIRED("retired"),
  /** Stopped by a fault that needs the operator. */
  HALTED("halted");

  private final String wireName;

  ShardPhase(String wireName) {
    this.wireName = wireName;
  }

  /** The word used in messages and in the table's state. */
  public String wireName() {
    return wireName;
  }

  /**
   * @throws IllegalArgumentException when no value has this name
   */
  public static ShardPhase parse(String wireName) {
    for (ShardPhase value : values()) {
      if (value.wireName.equals(wireName)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read '"
            + wireName
            + "' as ShardPhase: expected one of "
            + java.util.Arrays.toString(values()));
  }

  @Override
  public String toString() {
    return wireName;
  }
}
