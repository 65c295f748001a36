package io.tributary.ingest.source;

import io.tributary.ingest.row.ChunkRule;
import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableProposal;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.ServerIdRange;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableKey;
import io.tributary.registry.TableSpec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a group's servers what they hold, and plans from it the table and one source per server. */
public final class SourcePlanner {
  private static final Logger LOG = LoggerFactory.getLogger(SourcePlanner.class);

  private SourcePlanner() {}

  /**
   * The plan of a group.
   *
   * @param proposal what the table should be
   * @param layout of the rows
   * @param sources one per server, in the servers' order
   * @param estimatedRows the servers' own estimates
   */
  public record Planned(
      TableProposal proposal,
      RowLayout layout,
      List<SourceSpec> sources,
      SortedMap<ShardId, Long> estimatedRows) {
    public Planned {
      sources = List.copyOf(sources);
      estimatedRows =
          Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, Long>) estimatedRows));
    }
  }

  /**
   * Opens one short connection to each server.
   *
   * @param shards the shards to read, of this group only, at least one
   * @throws UnfitSourceException saying all that stands against reading them
   * @throws TerminalSourceException when a server cannot be asked
   */
  public static Planned plan(
      TableSpec table,
      GroupSpec group,
      Map<ServerName, ServerSpec> servers,
      List<ShardSpec> shards,
      SourceSpec.Timing timing) {
    SortedMap<ServerName, List<SourceSpec.Shard>> byServer = new TreeMap<>();
    for (ShardSpec shard : shards) {
      byServer
          .computeIfAbsent(shard.server(), any -> new ArrayList<>())
          .add(new SourceSpec.Shard(shard.id(), shard.source().database(), shard.source().table()));
    }
    List<SourceSchema> described = describe(servers, byServer);
    LayoutPlanner.Plan plan = layoutPlanner(table).plan(described);
    ChunkRule.Decision chunks =
        ChunkRule.decide(described, plan, table.chunkKeyColumn(), group.chunkSize());
    LOG.info("Group {} copies its shards in {}", group.name(), chunks.reason());
    SourceSpec.Snapshot snapshot =
        new SourceSpec.Snapshot(
            chunks
                .column()
                .<SourceSpec.Chunks>map(
                    column -> new SourceSpec.Chunks.ByColumn(column, chunks.chunkSize()))
                .orElseGet(() -> new SourceSpec.Chunks.Whole(chunks.chunkSize())),
            group.snapshotRowsPerSecond().isPresent()
                ? group.snapshotRowsPerSecond().getAsInt()
                : SourceSpec.Snapshot.UNLIMITED,
            Math.min(
                group.parallelism(),
                group.snapshotConnectionsPerServer().orElse(group.parallelism())));
    List<SourceSpec> sources = new ArrayList<>();
    byServer.forEach(
        (name, list) -> {
          ServerSpec server = servers.get(name);
          ServerIdRange ids = group.serverIds().get(name);
          sources.add(
              new SourceSpec(
                  name,
                  connection(server),
                  list,
                  plan.layout(),
                  new SchemaPolicy(
                      table.schemaChangeBehavior(), table.columnTypes(), table.truncateBehavior()),
                  ids.first(),
                  ids.last(),
                  snapshot,
                  timing,
                  group.debezium().plainOnly()));
        });
    SortedMap<ShardId, Long> estimates = new TreeMap<>();
    described.forEach(one -> estimates.put(one.shard(), one.estimatedRows()));
    return new Planned(
        IcebergProposal.of(plan, table.bucketCount()), plan.layout(), sources, estimates);
  }

  /** Decides from the sources what the table looks like, as the registry wants it. */
  public static LayoutPlanner layoutPlanner(TableSpec table) {
    return new LayoutPlanner(
        table.shardIdColumn(),
        table.key() instanceof TableKey.Columns columns
            ? Optional.of(columns.names())
            : Optional.empty(),
        table.bucketColumn(),
        table.columnTypes(),
        table.schemaChangeBehavior());
  }

  private static List<SourceSchema> describe(
      Map<ServerName, ServerSpec> servers, SortedMap<ServerName, List<SourceSpec.Shard>> byServer) {
    List<SourceSchema> described = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    byServer.forEach(
        (name, list) -> {
          try (ServerCatalog catalog = new ServerCatalog(connection(servers.get(name)))) {
            problems.addAll(catalog.losses(name, list));
            described.addAll(catalog.describe(list));
          } catch (UnfitSourceException e) {
            problems.addAll(e.problems());
          } catch (SQLException e) {
            throw new TerminalSourceException(
                "Cannot ask server %s (%s) for its tables: %s"
                    .formatted(name, connection(servers.get(name)), e.getMessage()),
                e);
          }
        });
    if (!problems.isEmpty()) {
      throw new UnfitSourceException(problems);
    }
    return described;
  }

  private static SourceSpec.Connection connection(ServerSpec server) {
    return new SourceSpec.Connection(
        server.hostname(),
        server.port(),
        server.username(),
        server.password(),
        server.jdbcProperties());
  }
}
