package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.TableFindings.ForeignSnapshot;
import io.tributary.protocol.ShardId;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.NotFoundException;

/** Which shards' rows a snapshot changed, as its files' partitions tell. */
final class ForeignChanges {
  private ForeignChanges() {}

  /**
   * @param table stands still
   */
  static ForeignSnapshot of(TableOperations table, Snapshot snapshot) {
    return named(snapshot, shards(table, snapshot));
  }

  /** Without a look at its files. */
  static ForeignSnapshot named(Snapshot snapshot, Optional<SortedSet<ShardId>> shards) {
    String rows = snapshot.summary().get("added-records");
    return new ForeignSnapshot(
        snapshot.snapshotId(),
        snapshot.operation() == null ? "unknown operation" : snapshot.operation(),
        rows == null ? 0 : Long.parseLong(rows),
        shards);
  }

  private static Optional<SortedSet<ShardId>> shards(TableOperations table, Snapshot snapshot) {
    if (DataOperations.REPLACE.equals(snapshot.operation())) {
      return Optional.of(new TreeSet<>());
    }
    SortedSet<ShardId> shards = new TreeSet<>();
    try {
      for (ContentFile<?> file : files(table, snapshot).toList()) {
        Optional<ShardId> shard = shardOf(table.current(), file);
        if (shard.isEmpty()) {
          return Optional.empty();
        }
        shards.add(shard.get());
      }
    } catch (NotFoundException e) {
      // Its manifests are gone: nobody can say what it did.
      return Optional.empty();
    }
    return Optional.of(shards);
  }

  private static Stream<ContentFile<?>> files(TableOperations table, Snapshot snapshot) {
    SnapshotChanges changes =
        SnapshotChanges.builderFor(new BaseTable(table, "examined")).snapshot(snapshot).build();
    return Stream.of(
            changes.addedDataFiles(),
            changes.removedDataFiles(),
            changes.addedDeleteFiles(),
            changes.removedDeleteFiles())
        .flatMap(files -> StreamSupport.stream(files.spliterator(), false));
  }

  private static Optional<ShardId> shardOf(TableMetadata table, ContentFile<?> file) {
    PartitionSpec spec = table.spec(file.specId());
    boolean ours =
        spec != null
            && !spec.fields().isEmpty()
            && spec.fields().get(0).transform().isIdentity()
            && spec.fields().get(0).sourceId() == table.spec().fields().get(0).sourceId();
    return ours
            && file.partition().get(0, Object.class) instanceof Number number
            && number.longValue() >= 0
            && number.longValue() <= Integer.MAX_VALUE
        ? Optional.of(new ShardId(number.intValue()))
        : Optional.empty();
  }
}
