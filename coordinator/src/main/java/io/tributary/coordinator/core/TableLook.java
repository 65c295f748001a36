package io.tributary.coordinator.core;

import io.tributary.protocol.TableState;

/** What was found when the table was looked at. */
public sealed interface TableLook {
  /** The table with its state. */
  record Present(TableState state, TableLayout layout) implements TableLook {}

  /** There is no such table. */
  record Absent() implements TableLook {}

  /**
   * The table is there and must not be touched: data without state, a tag that is gone or no
   * ancestor of main, lock mode, another layout. The reason says what was found and the cure.
   */
  record Unusable(String reason) implements TableLook {}

  /** The catalog or the file system did not answer: looked at again at the next tick. */
  record Unreachable(String cause) implements TableLook {}
}
