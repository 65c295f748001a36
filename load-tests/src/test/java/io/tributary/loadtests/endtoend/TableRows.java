package io.tributary.loadtests.endtoend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/** Counts live rows of the catalogue's Iceberg table. */
final class TableRows {
  private TableRows() {}

  /** Rows of a shard with keys up to this one. */
  static long upToKey(Table table, int shard, long key) throws IOException {
    return count(
        table,
        table.currentSnapshot().snapshotId(),
        Expressions.and(
            Expressions.equal("shard_id", shard), Expressions.lessThanOrEqual("product_id", key)));
  }

  /** Rows of a shard with this key in one snapshot: one or none, if all is well. */
  static long withKey(Table table, long snapshot, int shard, long key) throws IOException {
    return count(
        table,
        snapshot,
        Expressions.and(
            Expressions.equal("shard_id", shard), Expressions.equal("product_id", key)));
  }

  /** All rows of a shard as text, in an order of their own. */
  static List<String> ofShard(Table table, int shard) throws IOException {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> found =
        IcebergGenerics.read(table).where(Expressions.equal("shard_id", shard)).build()) {
      found.forEach(row -> rows.add(row.toString()));
    }
    Collections.sort(rows);
    return rows;
  }

  /** Rows of equality deletes that were written since there is a table, in any snapshot. */
  static long equalityDeletes(Table table) {
    long rows = 0;
    for (Snapshot snapshot : table.snapshots()) {
      for (DeleteFile file :
          SnapshotChanges.builderFor(table).snapshot(snapshot).build().addedDeleteFiles()) {
        if (file.content() == FileContent.EQUALITY_DELETES) {
          rows += file.recordCount();
        }
      }
    }
    return rows;
  }

  private static long count(Table table, long snapshot, Expression filter) throws IOException {
    long rows = 0;
    try (CloseableIterable<Record> found =
        IcebergGenerics.read(table)
            .useSnapshot(snapshot)
            .select("shard_id", "product_id")
            .where(filter)
            .build()) {
      for (Record ignored : found) {
        rows++;
      }
    }
    return rows;
  }
}
