package io.tributary.coordinator.iceberg;

import io.tributary.protocol.TableState;

/** What became of making sure that the table is there. */
public sealed interface TableCreation {
  /** The table is there, has the coordinator's state and fits the proposal. */
  record Ready(TableState state, boolean created) implements TableCreation {}

  /** The table does not fit this proposal; other groups may fit. */
  record Mismatch(String reason) implements TableCreation {}

  /** The table is not what the coordinator can use; only the operator can decide. */
  record Refused(String reason) implements TableCreation {}

  /** The catalog or the file system did not answer, or not clearly: try again later. */
  record Unreachable(String cause) implements TableCreation {}
}
