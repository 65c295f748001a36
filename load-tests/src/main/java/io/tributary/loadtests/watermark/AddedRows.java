package io.tributary.loadtests.watermark;

import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Which rows each snapshot brings that the one before had not, where rows are inserted once and
 * neither changed nor deleted. One thread.
 */
final class AddedRows {
  private static final String SHARD = "shard_id";
  private static final String KEY = "id";

  private final Table table;
  private Optional<Long> at = Optional.empty();

  AddedRows(Table table) {
    this.table = table;
  }

  /**
   * Goes on to a snapshot that is the last one or descends from it.
   *
   * @throws IllegalStateException when it does not, or something was taken away
   */
  List<SourceCommit.RowId> upTo(long snapshotId) throws IOException {
    if (at.equals(Optional.of(snapshotId))) {
      return List.of();
    }
    if (table.snapshot(snapshotId) == null) {
      table.refresh();
    }
    Deque<Snapshot> lineage = new ArrayDeque<>();
    Long id = snapshotId;
    while (id != null && !at.equals(Optional.of(id))) {
      Snapshot snapshot = table.snapshot(id);
      lineage.addFirst(snapshot);
      id = snapshot.parentId();
    }
    if (id == null && at.isPresent()) {
      throw new IllegalStateException(
          "Cannot follow the table: expected snapshot %d to be an ancestor of %d, found another line"
              .formatted(at.get(), snapshotId));
    }
    List<SourceCommit.RowId> rows = new ArrayList<>();
    for (Snapshot snapshot : lineage) {
      SnapshotChanges changes = SnapshotChanges.builderFor(table).snapshot(snapshot).build();
      if (changes.removedDataFiles().iterator().hasNext()) {
        throw new IllegalStateException(
            "Cannot follow the table: expected snapshot %d to take nothing away, found files removed"
                .formatted(snapshot.snapshotId()));
      }
      for (DataFile file : changes.addedDataFiles()) {
        read(file, rows);
      }
    }
    at = Optional.of(snapshotId);
    return rows;
  }

  private void read(DataFile file, List<SourceCommit.RowId> rows) throws IOException {
    ReadBuilder<Record, Object> reader =
        FormatModelRegistry.readBuilder(file.format(), Record.class, table.io().newInputFile(file));
    try (CloseableIterable<Record> records =
        reader.project(table.schema().select(SHARD, KEY)).build()) {
      for (Record row : records) {
        rows.add(
            new SourceCommit.RowId(
                new ShardId((Integer) row.getField(SHARD)), (Long) row.getField(KEY)));
      }
    }
  }
}
