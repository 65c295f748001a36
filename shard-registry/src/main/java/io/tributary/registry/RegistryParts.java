package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.TableName;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What {@link RegistryRules} compares. Of a faulty file only the sound parts are here, while the
 * declared names hold the faulty ones too: a group with a bad parallelism is still known to its
 * shards.
 */
record RegistryParts(
    Set<ServerName> declaredServers,
    Set<TableName> declaredTables,
    Set<GroupName> declaredGroups,
    List<ServerSpec> servers,
    List<TableSpec> tables,
    List<GroupSpec> groups,
    List<PlacedShard> shards) {

  /** A shard and the key path of the entry that describes it. */
  record PlacedShard(String path, ShardSpec shard) {}

  static RegistryParts complete(
      List<ServerSpec> servers,
      List<TableSpec> tables,
      List<GroupSpec> groups,
      List<ShardSpec> shards) {
    return new RegistryParts(
        names(servers, ServerSpec::name),
        names(tables, TableSpec::name),
        names(groups, GroupSpec::name),
        servers,
        tables,
        groups,
        shards.stream()
            .map(shard -> new PlacedShard("shards." + shard.table() + "." + shard.id(), shard))
            .toList());
  }

  private static <T, N> Set<N> names(List<T> items, Function<T, N> name) {
    return items.stream().map(name).collect(Collectors.toSet());
  }
}
