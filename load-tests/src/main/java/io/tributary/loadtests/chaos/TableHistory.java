package io.tributary.loadtests.chaos;

import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.BaseDeleteLoader;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.PositionDeleteIndex;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.CloseableIterable;

/**
 * The rows of the catalogue's table at one snapshot after the other. It reads what each snapshot
 * added and took away, which costs the same for the last of a thousand snapshots as for the first;
 * reading each snapshot as a whole would not. One thread.
 */
final class TableHistory implements CommitJournal.Rows {
  private static final String SHARD = "shard_id";
  private static final String KEY = "product_id";
  private static final String TIME = "updated_at";
  private static final int MOST_NAMED = 20;

  private record RowId(int shard, long key) {}

  private record Row(Instant updatedAt, String file) {}

  private final Map<RowId, Row> rows = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private Optional<Long> at = Optional.empty();

  /**
   * Goes on to a snapshot.
   *
   * @param table as it is now or was later than the snapshot
   * @throws IOException when a file cannot be read; may be tried again
   */
  void advance(Table table, long snapshotId) throws IOException {
    for (Snapshot next : lineage(table, snapshotId)) {
      apply(table, next);
      at = Optional.of(next.snapshotId());
    }
  }

  private Deque<Snapshot> lineage(Table table, long snapshotId) {
    Deque<Snapshot> lineage = new ArrayDeque<>();
    Long id = snapshotId;
    while (id != null && !at.equals(Optional.of(id))) {
      Snapshot snapshot = table.snapshot(id);
      if (snapshot == null) {
        throw new IllegalStateException(
            "Cannot follow the table's history: expected snapshot %d in it, found none"
                .formatted(id));
      }
      lineage.addFirst(snapshot);
      id = snapshot.parentId();
    }
    if (id == null && at.isPresent()) {
      throw new IllegalStateException(
          "Cannot follow the table's history: expected snapshot %d to be an ancestor of %d, found another line"
              .formatted(at.get(), snapshotId));
    }
    return lineage;
  }

  private void apply(Table table, Snapshot snapshot) throws IOException {
    SnapshotChanges changes = SnapshotChanges.builderFor(table).snapshot(snapshot).build();
    Set<String> removed = new HashSet<>();
    changes.removedDataFiles().forEach(file -> removed.add(file.location()));
    List<DeleteFile> equality = new ArrayList<>();
    List<DeleteFile> positions = new ArrayList<>();
    changes
        .addedDeleteFiles()
        .forEach(
            file ->
                (file.content() == FileContent.EQUALITY_DELETES ? equality : positions).add(file));
    // Everything is read before anything is changed: a failure leaves the rows as they were.
    Set<RowId> deleted = deletedKeys(table, equality);
    List<Map.Entry<RowId, Row>> added = new ArrayList<>();
    for (DataFile file : changes.addedDataFiles()) {
      added.addAll(rowsOf(table, file, positions));
    }
    if (!removed.isEmpty()) {
      rows.values().removeIf(row -> removed.contains(row.file()));
    }
    deleted.forEach(rows::remove);
    for (Map.Entry<RowId, Row> row : added) {
      if (rows.put(row.getKey(), row.getValue()) != null && problems.size() < MOST_NAMED) {
        problems.add(
            "snapshot %d has shard %d key %d twice"
                .formatted(snapshot.snapshotId(), row.getKey().shard(), row.getKey().key()));
      }
    }
  }

  private static Set<RowId> deletedKeys(Table table, List<DeleteFile> files) {
    Set<RowId> keys = new HashSet<>();
    if (!files.isEmpty()) {
      Schema schema = table.schema().select(SHARD, KEY);
      int shard = schema.columns().indexOf(schema.findField(SHARD));
      Iterator<StructLike> found = loader(table).loadEqualityDeletes(files, schema).iterator();
      while (found.hasNext()) {
        StructLike key = found.next();
        keys.add(new RowId(key.get(shard, Integer.class), key.get(1 - shard, Long.class)));
      }
    }
    return keys;
  }

  private static List<Map.Entry<RowId, Row>> rowsOf(
      Table table, DataFile file, List<DeleteFile> positions) throws IOException {
    List<DeleteFile> ofPartition =
        positions.stream().filter(delete -> delete.partition().equals(file.partition())).toList();
    PositionDeleteIndex deleted = loader(table).loadPositionDeletes(ofPartition, file.location());
    ReadBuilder<Record, Object> reader =
        FormatModelRegistry.readBuilder(file.format(), Record.class, table.io().newInputFile(file));
    List<Map.Entry<RowId, Row>> found = new ArrayList<>();
    try (CloseableIterable<Record> records =
        reader.project(table.schema().select(SHARD, KEY, TIME)).build()) {
      long position = 0;
      for (Record row : records) {
        if (!deleted.isDeleted(position++)) {
          found.add(
              Map.entry(
                  new RowId((Integer) row.getField(SHARD), (Long) row.getField(KEY)),
                  new Row(((OffsetDateTime) row.getField(TIME)).toInstant(), file.location())));
        }
      }
    }
    return found;
  }

  private static BaseDeleteLoader loader(Table table) {
    return new BaseDeleteLoader(file -> table.io().newInputFile(file));
  }

  @Override
  public Optional<Instant> updatedAt(ShardId shard, long key) {
    return Optional.ofNullable(rows.get(new RowId(shard.value(), key))).map(Row::updatedAt);
  }

  /** Rows that some snapshot showed twice, the first ones in words. */
  List<String> problems() {
    return List.copyOf(problems);
  }
}
