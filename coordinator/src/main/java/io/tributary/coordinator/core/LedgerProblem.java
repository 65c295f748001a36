package io.tributary.coordinator.core;

import java.util.Objects;

/**
 * Why a coordinator must not touch a table that has its state.
 *
 * @param text "Cannot use table X: expected Y, found Z", with the cure
 */
public record LedgerProblem(Kind kind, String text) {
  /** What is wrong. */
  public enum Kind {
    /** The state is that of a table with another UUID. */
    OTHER_UUID(true),
    /** The table's format version or partition spec is not what the files are written for. */
    OTHER_LAYOUT(false),
    /** The table is committed to with locks, where a late request overwrites rounds. */
    LOCK_MODE(false),
    /** The tag is gone or elsewhere. */
    TAG(true),
    /** Main does not descend from the last data round's snapshot. */
    ROLLED_BACK(true),
    /** Whether main descends from it cannot be told any more. */
    UNPROVEN(true);

    private final boolean acceptable;

    Kind(boolean acceptable) {
      this.acceptable = acceptable;
    }

    /** Whether an operator may accept the table as it is; if not, the cause must be removed. */
    public boolean isAcceptable() {
      return acceptable;
    }
  }

  public LedgerProblem {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(text, "text");
  }
}
