package io.tributary.registry;

/**
 * Another type than the one that loses nothing, wanted by the operator for one column. Which source
 * types it takes is checked when the source is asked for its tables.
 */
public enum ColumnTypeOverride {
  /** True and false, from a tinyint or a bit(1). */
  BOOLEAN("boolean", "every number but 0 becomes true: 2 and -1 can no longer be told from 1"),
  /** Double precision, from a decimal or a whole number. */
  DOUBLE("double", "digits beyond the 15th or so are rounded; sums are no longer exact"),
  /** 64 bits, signed, from a bigint unsigned or a bit(64). */
  LONG("long", "none, but a value above 9223372036854775807 stops the source"),
  /** The digits, from a decimal or a whole number. */
  STRING("string", "none in the value; it no longer sorts and adds up as a number");

  private final String word;
  private final String loss;

  ColumnTypeOverride(String word, String loss) {
    this.word = word;
    this.loss = loss;
  }

  /** The word in the registry, which is the type's name in Iceberg. */
  public String word() {
    return word;
  }

  /** What the type cannot hold of a value, in a sentence without its end. */
  public String loss() {
    return loss;
  }

  /**
   * @throws IllegalArgumentException when none has this word
   */
  static ColumnTypeOverride of(String word) {
    for (ColumnTypeOverride one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read the type of a column: expected boolean, double, long or string, found '"
            + word
            + "'");
  }
}
