package io.tributary.ingest.source;

import io.tributary.ingest.row.RowLayout;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.SecretRef;
import java.io.Serializable;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * All that one source needs to read its shards. Travels in the job graph, so it names the
 * password's place and never holds it.
 *
 * @param server the registry's name of the server
 * @param connection how to reach it
 * @param shards what to read there, at least one
 * @param layout of the rows as the job begins
 * @param schemas what columns may become while it runs
 * @param firstServerId the first of the replica ids the source may use, one per subtask
 * @param lastServerId the last of them
 * @param snapshot how the initial snapshot reads
 * @param timing how often things are asked and said
 * @param debezium properties of the change reader under their own names
 */
public record SourceSpec(
    ServerName server,
    Connection connection,
    List<Shard> shards,
    RowLayout layout,
    SchemaPolicy schemas,
    long firstServerId,
    long lastServerId,
    Snapshot snapshot,
    Timing timing,
    Map<String, String> debezium)
    implements Serializable {

  /**
   * How to reach a server.
   *
   * @param hostname host name or address
   * @param port 1 to 65535
   * @param username who reads
   * @param password where the password is kept
   * @param jdbcProperties of the JDBC driver under their own names
   */
  public record Connection(
      String hostname,
      int port,
      String username,
      SecretRef password,
      PassThroughProperties jdbcProperties)
      implements Serializable {
    public Connection {
      Objects.requireNonNull(hostname, "hostname");
      Objects.requireNonNull(username, "username");
      Objects.requireNonNull(password, "password");
      Objects.requireNonNull(jdbcProperties, "jdbcProperties");
    }

    @Override
    public String toString() {
      return username + "@" + hostname + ":" + port;
    }
  }

  /**
   * One shard of the source.
   *
   * @param id its number
   * @param database the database's exact name on the server
   * @param table the table's exact name on the server
   */
  public record Shard(ShardId id, String database, String table) implements Serializable {
    public Shard {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(database, "database");
      Objects.requireNonNull(table, "table");
    }

    @Override
    public String toString() {
      return "shard " + id + " (" + database + "." + table + ")";
    }
  }

  /** How tables are cut for the initial snapshot. */
  public sealed interface Chunks extends Serializable {
    /**
     * By a column of the key.
     *
     * @param column a whole number or decimal
     * @param rows per chunk, at least 2
     */
    record ByColumn(String column, int rows) implements Chunks {
      /**
       * @throws IllegalArgumentException when the number is too low
       */
      public ByColumn {
        Objects.requireNonNull(column, "column");
        if (rows < 2) {
          throw new IllegalArgumentException(
              "Cannot cut into chunks of " + rows + " rows: expected at least 2");
        }
      }
    }

    /**
     * Not at all: each table is one chunk.
     *
     * @param mostRows the most rows of a table, at least 2
     */
    record Whole(int mostRows) implements Chunks {}
  }

  /**
   * How the initial snapshot reads.
   *
   * @param chunks how tables are cut
   * @param rowsPerSecond how many rows a second the source reads at most, at least 1
   * @param readers how many subtasks read at the same time, at least 1
   */
  public record Snapshot(Chunks chunks, long rowsPerSecond, int readers) implements Serializable {
    /** No limit of rows a second. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /**
     * @throws IllegalArgumentException when a number is out of its range
     */
    public Snapshot {
      Objects.requireNonNull(chunks, "chunks");
      if (readers < 1 || rowsPerSecond < 1) {
        throw new IllegalArgumentException(
            "Cannot plan an initial snapshot: expected at least 1 reader and 1 row a second, found %d and %s"
                .formatted(readers, rowsPerSecond));
      }
    }
  }

  /**
   * How often things are asked and said.
   *
   * @param gate between two looks at the table while the submission waits for its answer
   * @param probe between two probes of the server
   * @param heartbeat how soon after its last transaction an idle server lets the reader know that
   *     there is nothing more
   * @param poll how long the reader of changes waits for a batch to fill: the price of a short one
   *     is an idle source that wakes often
   * @param clockAhead how far a server's clock may be ahead of ours; further ahead it is not
   *     believed and the server's watermark stands
   */
  public record Timing(
      Duration gate, Duration probe, Duration heartbeat, Duration poll, Duration clockAhead)
      implements Serializable {
    /**
     * Half a second for gate and probe, 200 ms for heartbeats, 100 ms for polls; clocks at most 5
     * minutes ahead, which is what the registry's check lets pass.
     */
    public static final Timing DEFAULT =
        new Timing(
            Duration.ofMillis(500),
            Duration.ofMillis(500),
            Duration.ofMillis(200),
            Duration.ofMillis(100),
            Duration.ofMinutes(5));

    /**
     * @throws IllegalArgumentException when a duration is not above zero
     */
    public Timing {
      for (Duration one : List.of(gate, probe, heartbeat, poll, clockAhead)) {
        if (one.toMillis() < 1) {
          throw new IllegalArgumentException(
              "Cannot use a duration of " + one + ": expected at least 1 ms");
        }
      }
    }
  }

  /**
   * @throws IllegalArgumentException when there is no shard or a range is empty
   */
  public SourceSpec {
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(connection, "connection");
    Objects.requireNonNull(layout, "layout");
    Objects.requireNonNull(schemas, "schemas");
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(timing, "timing");
    shards = List.copyOf(shards);
    debezium = Collections.unmodifiableMap(new TreeMap<>(debezium));
    if (shards.isEmpty() || firstServerId < 1 || lastServerId < firstServerId) {
      throw new IllegalArgumentException(
          "Cannot read server %s: expected shards and replica ids, found %d shards and ids %d-%d"
              .formatted(server, shards.size(), firstServerId, lastServerId));
    }
  }

  /**
   * The same source with other shards.
   *
   * @param others at least one
   */
  public SourceSpec withShards(List<Shard> others) {
    return withShards(others, firstServerId, lastServerId);
  }

  /**
   * The same source with other shards and replica ids.
   *
   * @param others at least one
   */
  public SourceSpec withShards(List<Shard> others, long first, long last) {
    return new SourceSpec(
        server, connection, others, layout, schemas, first, last, snapshot, timing, debezium);
  }

  /** The shards' numbers. */
  public List<ShardId> shardIds() {
    return shards.stream().map(Shard::id).toList();
  }
}
