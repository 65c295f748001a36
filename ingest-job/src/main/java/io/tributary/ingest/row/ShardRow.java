package io.tributary.ingest.row;

import io.tributary.protocol.ShardId;
import java.util.Objects;
import org.apache.flink.table.data.GenericRowData;

/**
 * One row of a shard on its way to the writers.
 *
 * @param shard the shard it belongs to
 * @param origin whether it was copied or changed
 * @param schemaFingerprint the fingerprint of the version of the table's schema that says which
 *     columns the row has; see {@link RowForm}
 * @param row the values, the shard column first; its row kind is INSERT for copied rows, else
 *     INSERT, UPDATE_AFTER or DELETE
 */
public record ShardRow(ShardId shard, Origin origin, long schemaFingerprint, GenericRowData row) {
  /** Where a row comes from. */
  public enum Origin {
    /** The initial snapshot: a plain append. */
    COPY,
    /** The binlog: an upsert or a delete. */
    CHANGE
  }

  public ShardRow {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(row, "row");
  }
}
