package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everything the operators describe, complete and free of contradictions. The order in which things
 * were written does not matter: two registries that say the same are equal.
 *
 * @param version the version it was published as; empty when it was read from a file
 * @param catalog the Iceberg catalog
 * @param kafka the Kafka cluster
 * @param coordinator how the coordinator commits
 * @param servers the MySQL servers, by name
 * @param tables the Iceberg tables, by name
 * @param groups the shard groups, by name
 * @param shards the shards of all tables, by table and number, retired ones included
 */
public record Registry(
    Optional<RegistryVersion> version,
    CatalogSpec catalog,
    KafkaSpec kafka,
    CoordinatorSpec coordinator,
    List<ServerSpec> servers,
    List<TableSpec> tables,
    List<GroupSpec> groups,
    List<ShardSpec> shards) {
  /**
   * @throws IllegalArgumentException when the parts contradict each other; names every
   *     contradiction
   */
  public Registry {
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(catalog, "catalog");
    Objects.requireNonNull(kafka, "kafka");
    Objects.requireNonNull(coordinator, "coordinator");
    servers = sorted(servers, Comparator.comparing(ServerSpec::name));
    tables = sorted(tables, Comparator.comparing(TableSpec::name));
    groups = sorted(groups, Comparator.comparing(GroupSpec::name));
    shards = sorted(shards, Comparator.comparing(ShardSpec::table).thenComparing(ShardSpec::id));
    List<RegistryRules.Violation> violations =
        RegistryRules.check(RegistryParts.complete(servers, tables, groups, shards));
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(
          violations.stream()
              .map(RegistryRules.Violation::toString)
              .collect(Collectors.joining("\n", "Cannot use a registry:\n", "")));
    }
  }

  private static <T> List<T> sorted(Collection<T> items, Comparator<T> order) {
    return items.stream().sorted(order).toList();
  }

  /** The same content as it was published under a version. */
  public Registry withVersion(RegistryVersion published) {
    return new Registry(
        Optional.of(published), catalog, kafka, coordinator, servers, tables, groups, shards);
  }

  /** The same content without a version, for comparing what two registries say. */
  public Registry withoutVersion() {
    return new Registry(
        Optional.empty(), catalog, kafka, coordinator, servers, tables, groups, shards);
  }

  /** The version as messages and the table's state carry it: 0 when read from a file. */
  public long versionNumber() {
    return version.map(RegistryVersion::value).orElse(0L);
  }

  /**
   * @throws IllegalArgumentException when there is no such server
   */
  public ServerSpec server(ServerName name) {
    return find("server", name, servers, ServerSpec::name);
  }

  /**
   * @throws IllegalArgumentException when there is no such table
   */
  public TableSpec table(TableName name) {
    return find("table", name, tables, TableSpec::name);
  }

  /**
   * @throws IllegalArgumentException when there is no such group
   */
  public GroupSpec group(GroupName name) {
    return find("group", name, groups, GroupSpec::name);
  }

  /**
   * @throws IllegalArgumentException when the table has no such shard
   */
  public ShardSpec shard(TableName table, ShardId id) {
    return find("shard of table " + table, id, shardsOf(table), ShardSpec::id);
  }

  /** The groups that feed the table. */
  public List<GroupSpec> groupsOf(TableName table) {
    return groups.stream().filter(group -> group.table().equals(table)).toList();
  }

  /** All shards of the table, in every state. */
  public List<ShardSpec> shardsOf(TableName table) {
    return shards.stream().filter(shard -> shard.table().equals(table)).toList();
  }

  /** All shards of the group, in every state. */
  public List<ShardSpec> shardsOf(GroupName group) {
    return shards.stream().filter(shard -> shard.group().equals(group)).toList();
  }

  /** The shards that the group's job reads: the active ones. */
  public List<ShardSpec> activeShardsOf(GroupName group) {
    return shardsOf(group).stream().filter(shard -> shard.state() == DesiredState.ACTIVE).toList();
  }

  /** The shards that the group's job reads from the server: the active ones. */
  public List<ShardSpec> activeShardsOf(GroupName group, ServerName server) {
    return activeShardsOf(group).stream().filter(shard -> shard.server().equals(server)).toList();
  }

  /** The servers that the group's job reads: those of its active shards, by name. */
  public List<ServerSpec> serversOf(GroupName group) {
    return activeShardsOf(group).stream()
        .map(ShardSpec::server)
        .distinct()
        .sorted()
        .map(this::server)
        .toList();
  }

  private static <K, V> V find(String what, K key, List<V> all, Function<V, K> keyOf) {
    return all.stream()
        .filter(candidate -> keyOf.apply(candidate).equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Cannot find "
                        + what
                        + " '"
                        + key
                        + "' in the registry: expected one of "
                        + all.stream().map(keyOf).map(String::valueOf).toList()
                        + ", found none"));
  }
}
