package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.TableName;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * One shard group: the shards of one table that one ingest job reads.
 *
 * @param name stable for the life of the table
 * @param table the Iceberg table that the group feeds
 * @param parallelism of the job's sources and writers; 1 to 1,024
 * @param checkpointInterval time between two epochs; 100 ms to 1 day
 * @param serverIds per server that the group reads, the replica ids its source there uses; at least
 *     as many as the parallelism
 * @param chunkSize rows per chunk of the initial snapshot; 2 to 10,000,000
 * @param snapshotRowsPerSecond how many rows a second the initial snapshot reads from each server
 *     at most; no limit when empty
 * @param snapshotConnectionsPerServer how many connections the initial snapshot opens on each
 *     server at most; the parallelism when empty
 * @param debezium Debezium properties under their own names; plain values only
 */
public record GroupSpec(
    GroupName name,
    TableName table,
    int parallelism,
    Duration checkpointInterval,
    Map<ServerName, ServerIdRange> serverIds,
    int chunkSize,
    OptionalInt snapshotRowsPerSecond,
    OptionalInt snapshotConnectionsPerServer,
    PassThroughProperties debezium) {
  /** Parallelism of a group whose registry does not say. */
  public static final int DEFAULT_PARALLELISM = 1;

  /** Checkpoint interval of a group whose registry does not say. */
  public static final Duration DEFAULT_CHECKPOINT_INTERVAL = Duration.ofMinutes(1);

  /** Flink CDC's own default. */
  public static final int DEFAULT_CHUNK_SIZE = 8_096;

  static final int MOST_PARALLELISM = 1_024;
  static final Duration LEAST_INTERVAL = Duration.ofMillis(100);
  static final Duration MOST_INTERVAL = Duration.ofDays(1);
  static final int LEAST_CHUNK = 2;
  static final int MOST_CHUNK = 10_000_000;
  static final int MOST_ROWS_PER_SECOND = 1_000_000_000;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public GroupSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(table, "table");
    Checks.between("parallelism of group " + name, parallelism, 1, MOST_PARALLELISM);
    Checks.between(
        "checkpoint interval of group " + name, checkpointInterval, LEAST_INTERVAL, MOST_INTERVAL);
    serverIds = Collections.unmodifiableMap(new TreeMap<>(serverIds));
    Checks.between("chunk size of group " + name, chunkSize, LEAST_CHUNK, MOST_CHUNK);
    if (snapshotRowsPerSecond.isPresent()) {
      Checks.between(
          "snapshot rows per second of group " + name,
          snapshotRowsPerSecond.getAsInt(),
          1,
          MOST_ROWS_PER_SECOND);
    }
    if (snapshotConnectionsPerServer.isPresent()) {
      Checks.between(
          "snapshot connections per server of group " + name,
          snapshotConnectionsPerServer.getAsInt(),
          1,
          MOST_PARALLELISM);
    }
    Objects.requireNonNull(debezium, "debezium");
    if (debezium.holdsSecrets()) {
      throw new IllegalArgumentException(
          "Cannot use the debezium properties of group "
              + name
              + ": expected plain values, found a reference to a secret");
    }
  }
}
