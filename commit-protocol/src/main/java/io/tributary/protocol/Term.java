package io.tributary.protocol;

/**
 * The coordinator's fencing number; each claim takes a higher one. 0 is the state before the first.
 */
public record Term(long value) implements Comparable<Term> {
  /**
   * @param value at least 0
   * @throws IllegalArgumentException when the value is below 0
   */
  public Term {
    if (value < 0) {
      throw new IllegalArgumentException("Cannot use " + value + " as a term: expected at least 0");
    }
  }

  /** The one that follows this one. */
  public Term next() {
    return new Term(value + 1);
  }

  @Override
  public int compareTo(Term other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
