package io.tributary.coordinator;

import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Members;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.CoordinatorSpec;
import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryCodec;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a table's pipeline carries in the job graph. No secret: the registry holds references, which
 * are resolved where the connections are opened.
 *
 * @param table the table's name
 * @param registryJson the registry that the job was started with
 * @param registryVersion its version, 0 when read from a file
 * @param zooKeeper where the registry is published; empty when it was read from a file
 * @param submission tells this submission's lease from another's
 */
public record TableJob(
    String table, String registryJson, long registryVersion, String zooKeeper, String submission)
    implements Serializable {
  public TableJob {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(registryJson, "registryJson");
    Objects.requireNonNull(zooKeeper, "zooKeeper");
    Objects.requireNonNull(submission, "submission");
  }

  static TableJob of(
      TableName table, Registry registry, Optional<ZooKeeperAddress> zooKeeper, String submission) {
    return new TableJob(
        table.value(),
        RegistryCodec.encode(registry),
        registry.versionNumber(),
        zooKeeper.map(ZooKeeperAddress::toString).orElse(""),
        submission);
  }

  Optional<ZooKeeperAddress> zooKeeperAddress() {
    return zooKeeper.isEmpty() ? Optional.empty() : Optional.of(ZooKeeperAddress.parse(zooKeeper));
  }

  TableName name() {
    return new TableName(table);
  }

  Registry registry() {
    Registry registry = RegistryCodec.decode(registryJson);
    return registryVersion == 0
        ? registry
        : registry.withVersion(new RegistryVersion(registryVersion));
  }

  static CoreSettings settings(TableName table, CoordinatorSpec spec) {
    return CoreSettings.of(
        table, spec.idleRoundInterval(), spec.maxLayersPerRound(), spec.heldGroupTimeout());
  }

  /** What the registry says about one table, in the core's words. */
  public static Members members(Registry registry, TableName table) {
    SortedMap<ShardId, Members.Member> shards = new TreeMap<>();
    boolean known = registry.tables().stream().map(TableSpec::name).anyMatch(table::equals);
    if (known) {
      registry
          .shardsOf(table)
          .forEach(
              shard ->
                  shards.put(
                      shard.id(),
                      new Members.Member(shard.group(), shard.server(), desired(shard.state()))));
    }
    return new Members(registry.versionNumber(), shards);
  }

  private static Members.Desired desired(DesiredState state) {
    return switch (state) {
      case ACTIVE -> Members.Desired.ACTIVE;
      case PAUSED -> Members.Desired.PAUSED;
      case RETIRED -> Members.Desired.RETIRED;
    };
  }
}
