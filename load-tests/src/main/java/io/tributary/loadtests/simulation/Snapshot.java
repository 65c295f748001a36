package io.tributary.loadtests.simulation;

import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;

/**
 * A snapshot of the table with the rows a reader sees in it. A delete reaches only rows of a lower
 * sequence number, as merge-on-read says; a key may have several rows, which is how doubled rows
 * are seen.
 */
record Snapshot(long id, Snapshot parent, long sequence, Map<ShardId, List<Row>> rows) {
  /** A visible row. */
  record Row(int key, long value, long sequence) {}

  IcebergSnapshot named() {
    return new IcebergSnapshot(
        id, parent == null ? OptionalLong.empty() : OptionalLong.of(parent.id), sequence);
  }

  boolean descendsFrom(Snapshot other) {
    Snapshot at = this;
    while (at != null && at.id != other.id && at.sequence > other.sequence) {
      at = at.parent;
    }
    return at != null && at.id == other.id;
  }

  /** The next snapshot, with a row that somebody else appended. */
  static Snapshot appended(Snapshot base, long id, long sequence, ShardId shard, Row row) {
    Map<ShardId, List<Row>> rows = new HashMap<>(base.rows);
    List<Row> more = new ArrayList<>(rows.getOrDefault(shard, List.of()));
    more.add(row);
    rows.put(shard, more);
    return new Snapshot(id, base, sequence, rows);
  }

  /** The next snapshot, with these shards' partitions emptied. */
  static Snapshot emptied(Snapshot base, long id, long sequence, SortedSet<ShardId> shards) {
    Map<ShardId, List<Row>> rows = new HashMap<>(base.rows);
    rows.keySet().removeAll(shards);
    return new Snapshot(id, base, sequence, rows);
  }

  /** The next snapshot, with files added. */
  static Snapshot with(Snapshot base, long id, long sequence, List<ModelFile> files) {
    Map<ShardId, List<Row>> rows = base == null ? new HashMap<>() : new HashMap<>(base.rows);
    for (ModelFile file : files) {
      List<Row> visible = new ArrayList<>();
      for (Row row : rows.getOrDefault(file.shard, List.of())) {
        if (row.sequence >= sequence || !file.deletedKeys.contains(row.key)) {
          visible.add(row);
        }
      }
      for (ModelFile.Row row : file.rows) {
        visible.add(new Row(row.key(), row.value(), sequence));
      }
      rows.put(file.shard, visible);
    }
    return new Snapshot(id, base, sequence, rows);
  }
}
