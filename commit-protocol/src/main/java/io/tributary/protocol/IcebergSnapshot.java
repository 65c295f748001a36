package io.tributary.protocol;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * An Iceberg snapshot of the table.
 *
 * @param id its id, at least 0
 * @param parentId its parent's id, absent for the table's first
 * @param sequenceNumber its sequence number, at least 1
 */
public record IcebergSnapshot(long id, OptionalLong parentId, long sequenceNumber) {
  /**
   * @throws IllegalArgumentException when an id is negative or the sequence number is below 1
   */
  public IcebergSnapshot {
    Objects.requireNonNull(parentId, "parentId");
    if (id < 0 || parentId.orElse(0) < 0 || sequenceNumber < 1) {
      throw new IllegalArgumentException(
          "Cannot use snapshot "
              + id
              + " with parent "
              + parentId
              + " and sequence number "
              + sequenceNumber
              + ": expected ids not below 0 and a sequence number of at least 1");
    }
  }
}
