package io.tributary.loadtests.simulation;

import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.Schema;

/** The files that one writer closed at one barrier for one shard: keys deleted, and rows. */
final class ModelFile {
  /** A row of a file. */
  record Row(int key, long value) {}

  final int id;
  final GroupName group;
  final ShardId shard;
  final List<Integer> deletedKeys;
  final List<Row> rows;

  /** The table's schema that its writer used. */
  final Schema schema;

  final long writtenAt;

  /** What a row lost that was written with this schema. */
  final Optional<String> lost;

  boolean exists = true;

  /** Whether a snapshot of the table references it. */
  boolean referenced;

  /** Whether a round with it was checked and may be under way. */
  boolean requested;

  private ModelFile(
      int id,
      GroupName group,
      ShardId shard,
      List<Integer> deletedKeys,
      List<Row> rows,
      Schema schema,
      long writtenAt,
      Optional<String> lost) {
    this.id = id;
    this.group = group;
    this.shard = shard;
    this.deletedKeys = deletedKeys;
    this.rows = rows;
    this.schema = schema;
    this.writtenAt = writtenAt;
    this.lost = lost;
  }

  /** All files ever written, by number. */
  static final class Store {
    private final List<ModelFile> files = new ArrayList<>();

    ModelFile write(
        GroupName group,
        ShardId shard,
        List<Integer> deletedKeys,
        List<Row> rows,
        Schema schema,
        long now,
        Optional<String> lost) {
      ModelFile file =
          new ModelFile(
              files.size(),
              group,
              shard,
              List.copyOf(deletedKeys),
              List.copyOf(rows),
              schema,
              now,
              lost);
      files.add(file);
      return file;
    }

    ModelFile of(CommittableManifest manifest) {
      return files.get(Integer.parseInt(((CommittableManifest.Stored) manifest).path()));
    }

    List<ModelFile> all() {
      return files;
    }
  }

  /** As a writer hands it over. */
  WrittenFiles written() {
    boolean deletes = !deletedKeys.isEmpty();
    return new WrittenFiles(
        List.of(
            new CommittableManifest.Stored(
                deletes ? ManifestContent.DELETES : ManifestContent.DATA,
                Integer.toString(id),
                1,
                "%064x".formatted(id))),
        new FileCounts(
            rows.isEmpty() ? 0 : 1, rows.size(), deletes ? 1 : 0, deletedKeys.size(), 0, 0, 1));
  }
}
