package io.tributary.loadtests.fuzz;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * One logical table: the same table in one or two shards, how it is read, and what happens to its
 * job.
 *
 * @param seed of the run
 * @param index of the table in the run, from 0
 * @param database holds the shards
 * @param shards names of the physical tables
 * @param columns in the server's order
 * @param key places of the key's columns, in key order, which need not be the columns' order
 * @param keyDefinition the key in the table's definition, such as {@code PRIMARY KEY (`id`)}
 * @param keys SQL texts of the values that keys may have
 * @param reading how the registry says that it is read
 * @param restart what happens to its job besides the death of its TaskManager
 * @param refusal what the refusal must say, for a table that must be refused
 */
record FuzzTable(
    long seed,
    int index,
    String database,
    List<String> shards,
    List<FuzzColumn> columns,
    List<Integer> key,
    String keyDefinition,
    List<List<String>> keys,
    Reading reading,
    Restart restart,
    Optional<String> refusal) {
  /**
   * How the registry says that a table is read.
   *
   * @param namedKey whether the registry names the key's columns
   * @param bucketColumn one of the key's
   * @param bucketCount at least 1
   * @param parallelism of the job
   * @param chunkSize rows per chunk, at least 2
   * @param rowsPerSecond limit of the initial snapshot
   */
  record Reading(
      boolean namedKey,
      String bucketColumn,
      int bucketCount,
      int parallelism,
      int chunkSize,
      OptionalInt rowsPerSecond) {}

  /** What happens to a job besides the death of its TaskManager. */
  enum Restart {
    /** Nothing. */
    NONE,
    /** It is cancelled and submitted anew with its newest checkpoint. */
    FROM_CHECKPOINT,
    /** It is cancelled and submitted anew without state. */
    WITHOUT_STATE
  }

  TableName name() {
    return new TableName("fuzz.t_" + index);
  }

  GroupName group() {
    return new GroupName("g-" + index);
  }

  String quotedShard(int shard) {
    return FuzzColumn.quote(database) + "." + FuzzColumn.quote(shards.get(shard));
  }

  List<FuzzColumn> keyColumns() {
    return key.stream().map(columns::get).toList();
  }

  String createTable(int shard) {
    return columns.stream()
        .map(FuzzColumn::definition)
        .collect(
            Collectors.joining(
                ", ",
                "CREATE TABLE " + quotedShard(shard) + " (",
                (keyDefinition.isEmpty() ? "" : ", " + keyDefinition) + ") ROW_FORMAT=DYNAMIC"));
  }
}
