package io.tributary.protocol;

import java.io.Serializable;

/**
 * The number of a submission of a group's job; only grows, so that the newest submission is known.
 */
public record Incarnation(long value) implements Comparable<Incarnation>, Serializable {
  /**
   * @param value at least 1
   * @throws IllegalArgumentException when the value is below 1
   */
  public Incarnation {
    if (value < 1) {
      throw new IllegalArgumentException(
          "Cannot use " + value + " as an incarnation: expected at least 1");
    }
  }

  /** The one that follows this one. */
  public Incarnation next() {
    return new Incarnation(value + 1);
  }

  @Override
  public int compareTo(Incarnation other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
