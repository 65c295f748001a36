package io.tributary.protocol;

/**
 * The table's own count of the coordinator's commits; contiguous. 0 is the state before the first.
 */
public record RoundNumber(long value) implements Comparable<RoundNumber> {
  /**
   * @param value at least 0
   * @throws IllegalArgumentException when the value is below 0
   */
  public RoundNumber {
    if (value < 0) {
      throw new IllegalArgumentException(
          "Cannot use " + value + " as a round: expected at least 0");
    }
  }

  /** The one that follows this one. */
  public RoundNumber next() {
    return new RoundNumber(value + 1);
  }

  @Override
  public int compareTo(RoundNumber other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
