package io.tributary.protocol;

import java.io.Serializable;

/** The number of one physical MySQL table among all that form the logical one; never reused. */
public record ShardId(int value) implements Comparable<ShardId>, Serializable {
  /**
   * @param value at least 0
   * @throws IllegalArgumentException when the value is below 0
   */
  public ShardId {
    if (value < 0) {
      throw new IllegalArgumentException(
          "Cannot use " + value + " as a shard number: expected at least 0");
    }
  }

  @Override
  public int compareTo(ShardId other) {
    return Integer.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Integer.toString(value);
  }
}
