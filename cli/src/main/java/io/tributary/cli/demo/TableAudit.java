package io.tributary.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/** What the table's own metadata say about how it was written. */
final class TableAudit {
  private final Table table;
  private final String shardIdColumn;

  TableAudit(Table table, String shardIdColumn) {
    this.table = table;
    this.shardIdColumn = shardIdColumn;
  }

  /** Number of Iceberg snapshots on main that brought files, up to and with the given one. */
  long dataSnapshots(long lastSnapshotId) {
    return lineage(lastSnapshotId).stream().filter(TableAudit::broughtFiles).count();
  }

  /**
   * Number of data rounds that added exactly one Iceberg snapshot to the one before them.
   *
   * @param rounds the messages of all rounds, in order
   */
  long roundsInOneSnapshot(List<StatusMessage> rounds) {
    long alone = 0;
    Optional<Long> before = Optional.empty();
    for (StatusMessage round : rounds) {
      if (round.dataRound()) {
        Snapshot snapshot = table.snapshot(round.snapshotId().orElseThrow());
        if (Optional.ofNullable(snapshot.parentId()).equals(before)) {
          alone++;
        }
      }
      before = round.snapshotId();
    }
    return alone;
  }

  /**
   * Rows of equality deletes that were written for shards while their initial snapshots ran.
   *
   * @param rounds the messages of all rounds, in order
   */
  long snapshotPhaseEqualityDeleteRows(List<StatusMessage> rounds) {
    if (rounds.isEmpty()) {
      return 0;
    }
    Map<Long, StatusMessage> roundOfLast = new HashMap<>();
    long newest = -1;
    for (StatusMessage round : rounds) {
      if (round.dataRound() && round.snapshotId().isPresent()) {
        roundOfLast.putIfAbsent(round.snapshotId().get(), round);
        newest = round.snapshotId().get();
      }
    }
    if (newest == -1) {
      return 0;
    }
    long rows = 0;
    // Newest first: a round's own last snapshot is met before the others of that round.
    StatusMessage current = null;
    for (Snapshot snapshot : lineage(newest)) {
      current = roundOfLast.getOrDefault(snapshot.snapshotId(), current);
      Set<Integer> copying = new HashSet<>();
      current
          .phases()
          .forEach(
              (shard, phase) -> {
                if (phase.equals("snapshot")) {
                  copying.add(shard);
                }
              });
      if (!copying.isEmpty()) {
        rows += equalityDeleteRows(snapshot, copying);
      }
    }
    return rows;
  }

  private long equalityDeleteRows(Snapshot snapshot, Set<Integer> shards) {
    long rows = 0;
    for (ManifestFile manifest : snapshot.deleteManifests(table.io())) {
      if (manifest.snapshotId() == null || manifest.snapshotId() != snapshot.snapshotId()) {
        continue;
      }
      int shardIndex = shardIndex(table.specs().get(manifest.partitionSpecId()));
      try (ManifestReader<DeleteFile> files =
          ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
        for (DeleteFile file : files) {
          if (file.content() == FileContent.EQUALITY_DELETES
              && shards.contains(file.partition().get(shardIndex, Integer.class))) {
            rows += file.recordCount();
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return rows;
  }

  private int shardIndex(PartitionSpec spec) {
    int source = table.schema().findField(shardIdColumn).fieldId();
    for (int i = 0; i < spec.fields().size(); i++) {
      PartitionField field = spec.fields().get(i);
      if (field.sourceId() == source && field.transform().isIdentity()) {
        return i;
      }
    }
    throw new IllegalStateException(
        "Cannot count deletes: expected a table partitioned by %s, found %s"
            .formatted(shardIdColumn, spec));
  }

  private List<Snapshot> lineage(long snapshotId) {
    List<Snapshot> lineage = new ArrayList<>();
    Snapshot snapshot = table.snapshot(snapshotId);
    while (snapshot != null) {
      lineage.add(snapshot);
      snapshot = snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
    }
    return lineage;
  }

  private static boolean broughtFiles(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary.containsKey("added-data-files") || summary.containsKey("added-delete-files");
  }
}
