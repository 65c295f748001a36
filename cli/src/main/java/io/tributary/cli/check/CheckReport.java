package io.tributary.cli.check;

import io.tributary.protocol.GroupName;
import io.tributary.registry.Registry;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a check of a registry found.
 *
 * @param servers in the order of their names
 * @param shards those of servers that answered, by table and number, without retired ones
 * @param findings the worst first
 */
public record CheckReport(List<Server> servers, List<Shard> shards, List<Finding> findings) {
  /**
   * One server.
   *
   * @param name in the registry
   * @param address host and port
   * @param version as the server says; empty when it did not answer
   * @param gtid whether it writes global transaction ids; empty when it did not answer
   * @param replica whether it is one; empty when it did not answer or we may not ask
   * @param clockAheadMillis how far its clock is ahead of ours, in milliseconds
   * @param groups that read its binlog
   */
  public record Server(
      String name,
      String address,
      Optional<String> version,
      Optional<Boolean> gtid,
      Optional<Boolean> replica,
      OptionalLong clockAheadMillis,
      List<GroupName> groups) {
    static Server of(Registry registry, ServerSpec spec, Optional<ServerFacts> facts) {
      return new Server(
          spec.name().value(),
          spec.hostname() + ":" + spec.port(),
          facts.map(ServerFacts::version),
          // MariaDB always does.
          facts.map(f -> f.mariaDb() || f.on("gtid_mode")),
          facts.flatMap(ServerFacts::replicates),
          facts.isEmpty()
              ? OptionalLong.empty()
              : OptionalLong.of(facts.get().clockAhead().toMillis()),
          registry.groups().stream()
              .filter(group -> group.serverIds().containsKey(spec.name()))
              .map(group -> group.name())
              .toList());
    }
  }

  /**
   * One shard.
   *
   * @param shard in the registry
   * @param found whether the table is there
   * @param rows by the server's estimate
   * @param bytes of rows and indexes, by the server's estimate
   * @param columns how many it has
   */
  public record Shard(
      ShardSpec shard, boolean found, OptionalLong rows, OptionalLong bytes, int columns) {
    static Shard of(ShardSpec shard, ShardFacts facts) {
      return new Shard(
          shard, facts.readable(), facts.rows(), facts.bytes(), facts.columns().size());
    }
  }

  /** How many findings are this bad. */
  public long count(Finding.Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }
}
