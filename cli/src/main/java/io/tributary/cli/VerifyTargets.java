package io.tributary.cli;

import io.tributary.cli.mysql.MySqlServer;
import io.tributary.cli.verify.ShardToVerify;
import io.tributary.cli.verify.SourceServer;
import io.tributary.cli.verify.VerifyRequest;
import io.tributary.protocol.ServerName;
import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableKey;
import io.tributary.registry.TableSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.iceberg.Table;

/** Makes of a registry what the checker compares. */
public final class VerifyTargets {
  private VerifyTargets() {}

  /** All active shards of the table; rows of the others may be there. */
  public static VerifyRequest of(
      Registry registry, TableSpec spec, Table table, int mostDifferences, Path folder) {
    Map<Boolean, List<ShardSpec>> byActivity =
        registry.shardsOf(spec.name()).stream()
            .collect(Collectors.partitioningBy(shard -> shard.state() == DesiredState.ACTIVE));
    List<ShardSpec> active = byActivity.get(true);
    Map<ServerName, SourceServer> servers = new LinkedHashMap<>();
    active.forEach(
        shard -> servers.computeIfAbsent(shard.server(), name -> server(registry.server(name))));
    return new VerifyRequest(
        table,
        spec.shardIdColumn(),
        spec.key() instanceof TableKey.Columns columns
            ? Optional.of(columns.names())
            : Optional.empty(),
        spec.columnTypes(),
        active.stream()
            .map(
                shard ->
                    new ShardToVerify(
                        shard.id(),
                        shard.server(),
                        shard.source().database(),
                        shard.source().table()))
            .toList(),
        byActivity.get(false).stream().map(ShardSpec::id).toList(),
        servers,
        mostDifferences,
        folder);
  }

  static MySqlServer server(ServerSpec spec) {
    return new MySqlServer(
        spec.hostname(),
        spec.port(),
        spec.username(),
        spec.password()::resolve,
        spec.jdbcProperties().resolve());
  }
}
