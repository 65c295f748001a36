package io.tributary.cli.check;

import io.tributary.ingest.server.ServerFacts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import io.tributary.registry.Registry;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a check of a registry found.
 *
 * @param servers in the order of their names
 * @param shards those of servers that answered, by table and number, without retired ones
 * @param columns of all tables, by table and place
 * @param findings the worst first
 */
public record CheckReport(
    List<Server> servers, List<Shard> shards, List<Column> columns, List<Finding> findings) {
  /**
   * One column of a table.
   *
   * @param sourceType its type in at least one shard
   * @param type its type in the table; empty when it is refused
   * @param loss what of a value the table cannot hold, or why it is refused; empty when nothing
   */
  public record Column(
      TableName table, String name, String sourceType, Optional<String> type, String loss) {}

  /**
   * One server.
   *
   * @param name in the registry
   * @param address host and port
   * @param version as the server says; empty when it did not answer
   * @param gtid whether it writes global transaction ids; empty when it did not answer
   * @param replica whether it is one; empty when it did not answer or we may not ask
   * @param zone its time zone; empty when it did not answer
   * @param binlog format and row image of its binlog; empty when it has none or did not answer
   * @param binlogKept how long it keeps its binlogs; empty when for ever, or when it did not answer
   * @param clockAheadMillis how far its clock is ahead of ours, in milliseconds
   * @param groups that read its binlog
   */
  public record Server(
      String name,
      String address,
      Optional<String> version,
      Optional<Boolean> gtid,
      Optional<Boolean> replica,
      Optional<String> zone,
      Optional<String> binlog,
      Optional<Duration> binlogKept,
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
          facts.flatMap(CheckReport::zone),
          facts
              .filter(f -> f.on("log_bin"))
              .map(
                  f ->
                      f.variable("binlog_format").orElse("?")
                          + " "
                          + f.variable("binlog_row_image").orElse("FULL")),
          facts.flatMap(ServerRules::kept),
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
          shard,
          facts.readable(),
          facts.rows(),
          facts.bytes(),
          facts.schema().map(schema -> schema.columns().size()).orElse(0));
    }
  }

  static Optional<String> zone(ServerFacts facts) {
    return facts
        .variable("time_zone")
        .flatMap(
            zone -> zone.equals("SYSTEM") ? facts.variable("system_time_zone") : Optional.of(zone));
  }

  /** How many findings are this bad. */
  public long count(Finding.Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }
}
