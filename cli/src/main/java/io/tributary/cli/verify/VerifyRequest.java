package io.tributary.cli.verify;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.registry.ColumnTypeOverride;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.Table;

/**
 * What to compare.
 *
 * @param table the Iceberg table
 * @param shardIdColumn its column of shard numbers
 * @param keyColumns what identifies a row within its shard; the source's primary key when empty
 * @param columnTypes the types that the registry wants in the place of those that lose nothing
 * @param shards the shards whose rows it should hold
 * @param notCompared shards whose rows it may hold and nobody reads any more, paused or retired
 * @param servers how to reach each shard's server
 * @param mostDifferences how many differing keys to report with their values, per shard; at least 0
 * @param folder where rows of large shards are put while they are compared; must exist
 */
public record VerifyRequest(
    Table table,
    String shardIdColumn,
    Optional<List<String>> keyColumns,
    Map<String, ColumnTypeOverride> columnTypes,
    List<ShardToVerify> shards,
    List<ShardId> notCompared,
    Map<ServerName, SourceServer> servers,
    int mostDifferences,
    Path folder) {
  /**
   * @throws IllegalArgumentException when a shard's server is missing or a number is negative
   */
  public VerifyRequest {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(shardIdColumn, "shardIdColumn");
    keyColumns = keyColumns.map(List::copyOf);
    columnTypes = Map.copyOf(columnTypes);
    shards = List.copyOf(shards);
    notCompared = List.copyOf(notCompared);
    servers = Map.copyOf(servers);
    Objects.requireNonNull(folder, "folder");
    if (mostDifferences < 0) {
      throw new IllegalArgumentException(
          "Cannot verify: expected a number of differences not below 0, found " + mostDifferences);
    }
    for (ShardToVerify shard : shards) {
      if (!servers.containsKey(shard.server())) {
        throw new IllegalArgumentException(
            "Cannot verify %s: expected one of the servers %s, found another"
                .formatted(shard, servers.keySet()));
      }
    }
  }
}
