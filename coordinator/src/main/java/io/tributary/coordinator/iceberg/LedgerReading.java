package io.tributary.coordinator.iceberg;

import io.tributary.protocol.TableState;

/** What a look at the table showed. */
public sealed interface LedgerReading {
  /** There is no such table. */
  record Absent() implements LedgerReading {}

  /** The table is there, and everything that the coordinator checks is as it should be. */
  record Present(TableState state) implements LedgerReading {}

  /**
   * The table is there and is not what it should be; only the operator can decide.
   *
   * @param reason "Cannot X: expected Y, found Z" and the cure
   */
  record Refused(String reason) implements LedgerReading {}

  /** The catalog or the file system did not answer: try again later. */
  record Unreachable(String cause) implements LedgerReading {}
}
