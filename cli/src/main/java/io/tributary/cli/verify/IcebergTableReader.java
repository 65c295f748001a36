package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

/** Reads one Iceberg snapshot of the table, deletes applied, a shard at a time. */
final class IcebergTableReader {
  private final Table table;
  private final Snapshot snapshot;
  private final String shardIdColumn;

  /**
   * @param snapshot the one to read; null for a table that has none
   */
  IcebergTableReader(Table table, Snapshot snapshot, String shardIdColumn) {
    this.table = table;
    this.snapshot = snapshot;
    this.shardIdColumn = shardIdColumn;
    if (table.schema().findField(shardIdColumn) == null) {
      throw new VerifyException(
          "Cannot verify table %s: expected a column '%s', found %s"
              .formatted(
                  table.name(),
                  shardIdColumn,
                  table.schema().columns().stream().map(Types.NestedField::name).toList()));
    }
  }

  /** All columns but the shard's number, in table order. */
  List<String> columns() {
    return table.schema().columns().stream()
        .map(Types.NestedField::name)
        .filter(name -> !name.equals(shardIdColumn))
        .toList();
  }

  /** Rows in the data files that may hold rows of the shard; deleted ones count too. */
  long writtenRows(ShardId shard) throws IOException {
    if (snapshot == null) {
      return 0;
    }
    TableScan scan = table.newScan().useSnapshot(snapshot.snapshotId()).filter(ofShard(shard));
    long rows = 0;
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        rows += task.file().recordCount();
      }
    }
    return rows;
  }

  /** The number of live rows of all shards but these. */
  long rowsOfOthers(Collection<ShardId> shards) throws IOException {
    if (snapshot == null) {
      return 0;
    }
    Expression others =
        Expressions.or(
            Expressions.isNull(shardIdColumn),
            shards.isEmpty()
                ? Expressions.alwaysTrue()
                : Expressions.notIn(shardIdColumn, shards.stream().map(ShardId::value).toList()));
    long[] rows = {0};
    new LiveRows(table, snapshot.snapshotId())
        .forEach(others, table.schema().select(shardIdColumn), row -> rows[0]++);
    return rows[0];
  }

  /** All live rows of the shard. */
  RowSource rows(
      ShardId shard, List<String> compared, Map<String, TextForm> forms, int[] keyIndexes) {
    List<TextForm> formOf = new ArrayList<>();
    // A column that the source lacks must be null; any other text differs from that.
    compared.forEach(column -> formOf.add(forms.getOrDefault(column, TextForm.TEXT)));
    return taker -> {
      if (snapshot == null) {
        return;
      }
      List<String> texts = new ArrayList<>(compared.size());
      new LiveRows(table, snapshot.snapshotId())
          .forEach(
              ofShard(shard),
              table.schema(),
              row -> {
                texts.clear();
                for (int i = 0; i < compared.size(); i++) {
                  texts.add(formOf.get(i).ofTable(row.getField(compared.get(i))));
                }
                taker.take(PackedRow.of(texts, keyIndexes));
              });
    };
  }

  private Expression ofShard(ShardId shard) {
    return Expressions.equal(shardIdColumn, shard.value());
  }
}
