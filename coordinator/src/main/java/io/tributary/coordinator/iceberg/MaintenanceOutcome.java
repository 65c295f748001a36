package io.tributary.coordinator.iceberg;

import org.apache.iceberg.TableMetadata;

/** What came of a swap that only tidies the table up. */
sealed interface MaintenanceOutcome {
  /**
   * The table has it.
   *
   * @param base what was replaced
   * @param next what the table is now
   */
  record Done(TableMetadata base, TableMetadata next) implements MaintenanceOutcome {}

  /** There was nothing to do. */
  record Nothing() implements MaintenanceOutcome {}

  /** Nothing was sent. */
  record NotSent(String reason) implements MaintenanceOutcome {}

  /**
   * Nobody can say yet whether the table has it, or ever will. Nothing waits for it: a request that
   * comes late finds another base as soon as any round was committed, and until then it changes
   * nothing that a round rests on.
   *
   * @param refused whether the catalog said that somebody else was first; that is no proof
   */
  record Unknown(TableMetadata base, TableMetadata next, boolean refused, String reason)
      implements MaintenanceOutcome {}
}
