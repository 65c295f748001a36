package io.tributary.protocol;

/** Why a group or a shard stands still until the operator acts. */
public enum HaltCode {
  /** The job continued from a state older than what is committed. */
  REWOUND("rewound"),
  /** A committable is missing. */
  GAP("gap"),
  /** Files of a shard that the group does not own. */
  NOT_OWNED("not-owned"),
  /** Files of a committable no longer exist. */
  MISSING_FILES("missing-files"),
  /** Files written for another partition spec, format version or columns than the table's. */
  WRONG_LAYOUT("wrong-layout"),
  /** Written for another table of the same name: the table was dropped and created again. */
  OTHER_TABLE("other-table"),
  /** A second initial snapshot that does not start from emptied partitions. */
  SECOND_COPY("second-copy"),
  /** A committable of a submission that never said hello. */
  UNKNOWN_INCARNATION("unknown-incarnation"),
  /** Two submissions took the same incarnation. */
  DUPLICATE_SUBMISSION("duplicate-submission"),
  /** Position deletes that point outside their own committable. */
  FOREIGN_DELETES("foreign-deletes"),
  /** A message or manifest that cannot be read. */
  UNREADABLE("unreadable"),
  /** The sources do not fit the table. */
  SCHEMA_MISMATCH("schema-mismatch"),
  /** The source cannot be read on without loss. */
  SOURCE_FAULT("source-fault"),
  /** The operator accepted the table as it is: the group must be started anew from it. */
  STATE_ACCEPTED("state-accepted");

  private final String wireName;

  HaltCode(String wireName) {
    this.wireName = wireName;
  }

  /** The word used in messages and in the table's state. */
  public String wireName() {
    return wireName;
  }

  /**
   * @throws IllegalArgumentException when no value has this name
   */
  public static HaltCode parse(String wireName) {
    for (HaltCode value : values()) {
      if (value.wireName.equals(wireName)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "Cannot read '"
            + wireName
            + "' as HaltCode: expected one of "
            + java.util.Arrays.toString(values()));
  }

  @Override
  public String toString() {
    return wireName;
  }
}
