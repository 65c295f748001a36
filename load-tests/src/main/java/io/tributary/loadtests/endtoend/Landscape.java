package io.tributary.loadtests.endtoend;

import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The shards of one test and the registry that describes them: the n-th group reads all shards of
 * the n-th server.
 *
 * @param at the stack
 * @param name database, namespace of the table and path in ZooKeeper: what keeps tests apart
 * @param groups one per server, in order
 * @param shardsPerGroup numbered from 0 over all groups
 * @param rowsPerSecond read limit of the initial snapshot, per server
 * @param checkpointInterval of the groups and the coordinator; whole seconds
 * @param access what the jobs log in with
 * @param parallelism of each group's job
 */
public record Landscape(
    StackEndpoints at,
    String name,
    List<GroupName> groups,
    int shardsPerGroup,
    OptionalInt rowsPerSecond,
    Duration checkpointInterval,
    Access access,
    int parallelism) {

  /**
   * What the jobs are given to reach the systems.
   *
   * @param username of the MySQL servers; empty for the stack's own user of each
   * @param passwordFile holds that user's password
   * @param catalog further lines of the catalog's section
   * @param kafka further lines of Kafka's section
   * @param server further lines of each server's section
   */
  public record Access(
      String username, Path passwordFile, String catalog, String kafka, String server) {
    public static final Access OF_THE_STACK = new Access("", Path.of("unused"), "", "", "");
  }

  public static Landscape of(
      StackEndpoints at, String name, List<String> groups, int shardsPerGroup) {
    return new Landscape(
        at,
        name,
        groups.stream().map(GroupName::new).toList(),
        shardsPerGroup,
        OptionalInt.empty(),
        Duration.ofSeconds(1),
        Access.OF_THE_STACK,
        1);
  }

  public Landscape withRowsPerSecond(int limit) {
    return new Landscape(
        at,
        name,
        groups,
        shardsPerGroup,
        OptionalInt.of(limit),
        checkpointInterval,
        access,
        parallelism);
  }

  public Landscape withoutLimit() {
    return new Landscape(
        at,
        name,
        groups,
        shardsPerGroup,
        OptionalInt.empty(),
        checkpointInterval,
        access,
        parallelism);
  }

  public Landscape withCheckpointInterval(Duration interval) {
    return new Landscape(
        at, name, groups, shardsPerGroup, rowsPerSecond, interval, access, parallelism);
  }

  public Landscape withAccess(Access other) {
    return new Landscape(
        at, name, groups, shardsPerGroup, rowsPerSecond, checkpointInterval, other, parallelism);
  }

  public Landscape withParallelism(int other) {
    return new Landscape(
        at, name, groups, shardsPerGroup, rowsPerSecond, checkpointInterval, access, other);
  }

  public TableName table() {
    return new TableName(name + ".products");
  }

  /** Numbers of the shards that a group reads. */
  public List<ShardId> shardsOf(GroupName group) {
    int first = groups.indexOf(group) * shardsPerGroup;
    return IntStream.range(first, first + shardsPerGroup).mapToObj(ShardId::new).toList();
  }

  /** The server whose shards a group reads. */
  public ServerName serverOf(GroupName group) {
    return new ServerName(at.mariaDb(groups.indexOf(group) + 1).name());
  }

  /** All shards, as their owner writes to them. */
  public List<ProductShard> shards() {
    return IntStream.range(0, groups.size() * shardsPerGroup)
        .mapToObj(
            number ->
                ProductShard.on(
                    at.mariaDb(1 + number / shardsPerGroup), number, name, table(number)))
        .toList();
  }

  public String table(int shard) {
    return "products_%03d".formatted(shard);
  }

  /** The registry file's text. */
  public String yaml() {
    return """
        catalog:
          uri: %s
          warehouse: %s
        %skafka:
          bootstrap-servers: %s
        %scoordinator:
          checkpoint-interval: %d s
          idle-round-interval: %d s
        servers:
        %stables:
          %s:
            owner: tests
            truncate-behavior: empty
        groups:
        %sshards:
        %s"""
        .formatted(
            at.metastoreUri(),
            at.warehouse(),
            access.catalog(),
            at.kafkaBootstrapServers(),
            access.kafka(),
            checkpointInterval.toSeconds(),
            checkpointInterval.toSeconds(),
            each(this::serverSection),
            table(),
            each(this::groupSection),
            each(this::shardSection));
  }

  private String each(java.util.function.IntFunction<String> section) {
    return IntStream.range(0, groups.size()).mapToObj(section).collect(Collectors.joining());
  }

  private String serverSection(int index) {
    StackEndpoints.MariaDb server = at.mariaDb(index + 1);
    boolean own = !access.username().isEmpty();
    return "  %s:\n    hostname: %s\n    port: %d\n    username: %s\n    password: {file: %s}\n%s"
        .formatted(
            server.name(),
            server.host(),
            server.port(),
            own ? access.username() : server.cdc().name(),
            own ? access.passwordFile() : server.cdc().passwordFile(),
            access.server());
  }

  private String groupSection(int index) {
    return "  %s:\n    checkpoint-interval: %d s\n    parallelism: %d\n    scan.incremental.snapshot.chunk.size: 250\n%s    server-id: {%s: 5401-5404}\n"
        .formatted(
            groups.get(index),
            checkpointInterval.toSeconds(),
            parallelism,
            rowsPerSecond.isPresent()
                ? "    snapshot-rows-per-second: " + rowsPerSecond.getAsInt() + "\n"
                : "",
            at.mariaDb(index + 1).name());
  }

  private String shardSection(int index) {
    int first = index * shardsPerGroup;
    return "  - {group: %s, server: %s, database: %s, table: \"products_{%03d..%03d}\"}\n"
        .formatted(
            groups.get(index),
            at.mariaDb(index + 1).name(),
            name,
            first,
            first + shardsPerGroup - 1);
  }
}
