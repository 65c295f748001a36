package io.tributary.protocol;

import java.util.OptionalLong;

/**
 * An Iceberg snapshot of the table.
 *
 * @param id its id
 * @param parentId its parent's id, absent for the table's first
 * @param sequenceNumber its sequence number, at least 1
 */
public record IcebergSnapshot(long id, OptionalLong parentId, long sequenceNumber) {}
