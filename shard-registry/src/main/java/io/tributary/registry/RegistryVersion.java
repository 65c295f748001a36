package io.tributary.registry;

/** The number of a published registry; the first is 1 and each publication takes the next. */
public record RegistryVersion(long value) implements Comparable<RegistryVersion> {
  /** The version of the first publication. */
  public static final RegistryVersion FIRST = new RegistryVersion(1);

  /**
   * @param value at least 1
   * @throws IllegalArgumentException when the value is below 1
   */
  public RegistryVersion {
    if (value < 1) {
      throw new IllegalArgumentException(
          "Cannot use a registry version: expected at least 1, found " + value);
    }
  }

  /** The one that follows this one. */
  public RegistryVersion next() {
    return new RegistryVersion(value + 1);
  }

  @Override
  public int compareTo(RegistryVersion other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
