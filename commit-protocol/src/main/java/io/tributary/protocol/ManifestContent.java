package io.tributary.protocol;

/** What the files of a manifest hold. */
public enum ManifestContent {
  /** Rows. */
  DATA("data"),
  /** Equality and position deletes. */
  DELETES("deletes");

  private final String wireName;

  ManifestContent(String wireName) {
    this.wireName = wireName;
  }

  /** The word used in messages and in the table's state. */
  public String wireName() {
    return wireName;
  }

  /**
   * @throws IllegalArgumentException when no value has this name
   */
  public static ManifestContent parse(String wireName) {
    for (ManifestContent value : values()) {
      if (value.wireName.equals(wireName)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read '"
            + wireName
            + "' as ManifestContent: expected one of "
            + java.util.Arrays.toString(values()));
  }

  @Override
  public String toString() {
    return wireName;
  }
}
