package io.tributary.protocol;

/**
 * A group's own count of sealed checkpoint barriers; contiguous. 0 is the state before the first.
 */
public record Epoch(long value) implements Comparable<Epoch> {
  /**
   * @param value at least 0
   * @throws IllegalArgumentException when the value is below 0
   */
  public Epoch {
    if (value < 0) {
      throw new IllegalArgumentException(
          "Cannot use " + value + " as an epoch: expected at least 0");
    }
  }

  /** The one that follows this one. */
  public Epoch next() {
    return new Epoch(value + 1);
  }

  @Override
  public int compareTo(Epoch other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
