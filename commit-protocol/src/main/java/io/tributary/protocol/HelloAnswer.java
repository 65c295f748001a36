package io.tributary.protocol;

/** The coordinator's answer to a hello. */
public enum HelloAnswer {
  /** Go on from the epoch named in the hello. */
  CONTINUE("continue"),
  /** Start from what the table remembers; nothing of the group is pending. */
  START_FROM_TABLE("start-from-table"),
  /** The job cannot go on; the group's halt says why. */
  REFUSED("refused");

  private final String wireName;

  HelloAnswer(String wireName) {
    this.wireName = wireName;
  }

  /** The word used in messages and in the table's state. */
  public String wireName() {
    return wireName;
  }

  /**
   * @throws IllegalArgumentException when no value has this name
   */
  public static HelloAnswer parse(String wireName) {
    for (HelloAnswer value : values()) {
      if (value.wireName.equals(wireName)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read '"
            + wireName
            + "' as HelloAnswer: expected one of "
            + java.util.Arrays.toString(values()));
  }

  @Override
  public String toString() {
    return wireName;
  }
}
