package io.tributary.ingest.source;

import io.tributary.ingest.row.ChunkRule;
import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.SchemaChangeBehavior;
import io.tributary.registry.SecretRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** One real MariaDB server, and what a test of a source needs around it. */
final class TestServer implements AutoCloseable {
  static final ServerName SERVER = new ServerName("mariadb-1");
  static final GroupName GROUP = new GroupName("group-a");

  private final LocalStack stack;
  private final AutoCloseable running;
  private final StackEndpoints.MariaDb endpoint;

  TestServer(String... options) throws Exception {
    // Not below the temporary folder: long socket paths, and some systems sweep it.
    Path folder = Files.createTempDirectory(Path.of("target"), "mariadb-");
    stack =
        LocalStack.start(
            LocalStackConfig.in(folder)
                .withOnly(Service.MARIADB)
                .withMariaDbServers(1)
                .withMariaDbOptions(options));
    running = stack;
    endpoint = stack.endpoints().mariaDb(1);
  }

  private TestServer(AutoCloseable running, StackEndpoints.MariaDb endpoint) {
    this.stack = null;
    this.running = running;
    this.endpoint = endpoint;
  }

  /** A server that is not a local stack's. */
  static TestServer of(StandaloneServer server) {
    return new TestServer(server, server.endpoint());
  }

  /** Ends the server and starts it again on the same data. */
  void restart() throws Exception {
    if (running instanceof StandaloneServer standalone) {
      standalone.restart();
    } else {
      stack.restartProcess(endpoint.name());
    }
  }

  LocalStack stack() {
    return stack;
  }

  Connection connect() throws SQLException {
    return endpoint.connect();
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  SourceSpec.Connection connection() {
    return new SourceSpec.Connection(
        endpoint.host(),
        endpoint.port(),
        endpoint.cdc().name(),
        new SecretRef.SecretFile(endpoint.cdc().passwordFile().toAbsolutePath().toString()),
        PassThroughProperties.NONE);
  }

  /** A spec for tables {@code db.table}, numbered from 0. */
  SourceSpec spec(int chunkSize, String... tables) throws SQLException {
    return spec(chunkSize, Optional.empty(), tables);
  }

  /** The same with a key that the registry names. */
  SourceSpec spec(int chunkSize, Optional<List<String>> key, String... tables) throws SQLException {
    return spec(chunkSize, key, Map.of(), tables);
  }

  /** The same with types that the registry wants for columns. */
  SourceSpec spec(
      int chunkSize,
      Optional<List<String>> key,
      Map<String, ColumnTypeOverride> types,
      String... tables)
      throws SQLException {
    List<SourceSpec.Shard> shards = new ArrayList<>();
    for (String table : tables) {
      String[] parts = table.split("\\.", 2);
      shards.add(new SourceSpec.Shard(new ShardId(shards.size()), parts[0], parts[1]));
    }
    List<SourceSchema> described = describe(shards);
    LayoutPlanner.Plan plan =
        new LayoutPlanner(
                "shard_id",
                key,
                Optional.of(
                    key.map(names -> names.get(0))
                        .orElseGet(() -> described.get(0).primaryKey().get(0))),
                types,
                SchemaChangeBehavior.EVOLVE)
            .plan(described);
    ChunkRule.Decision chunks = ChunkRule.decide(described, plan, Optional.empty(), chunkSize);
    return new SourceSpec(
        SERVER,
        connection(),
        shards,
        plan.layout(),
        new SchemaPolicy(SchemaChangeBehavior.EVOLVE, types),
        5400,
        5407,
        new SourceSpec.Snapshot(
            chunks
                .column()
                .<SourceSpec.Chunks>map(
                    column -> new SourceSpec.Chunks.ByColumn(column, chunks.chunkSize()))
                .orElseGet(() -> new SourceSpec.Chunks.Whole(chunks.chunkSize())),
            SourceSpec.Snapshot.UNLIMITED,
            Integer.MAX_VALUE),
        SourceSpec.Timing.DEFAULT,
        Map.of());
  }

  private List<SourceSchema> describe(List<SourceSpec.Shard> shards) throws SQLException {
    try (ServerCatalog catalog = new ServerCatalog(connection())) {
      return catalog.describe(shards);
    }
  }

  /** A fresh submission. */
  static Gate gate(long incarnation) {
    return new Gate(GROUP, new Incarnation(incarnation), new SubmissionId(UUID.randomUUID()));
  }

  /** A table in which the submission's hello is answered. */
  static TableState answered(
      Gate gate,
      HelloAnswer answer,
      List<ShardId> shards,
      ShardPhase phase,
      Optional<SourcePosition> position) {
    return answered(
        gate, answer, shards, phase, position.map(at -> Map.of(SERVER, at)).orElseGet(Map::of));
  }

  /** The same with the positions of several servers. */
  static TableState answered(
      Gate gate,
      HelloAnswer answer,
      List<ShardId> shards,
      ShardPhase phase,
      Map<ServerName, SourcePosition> positions) {
    SortedMap<ShardId, ShardState> states = new TreeMap<>();
    for (ShardId shard : shards) {
      states.put(shard, shard(phase));
    }
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    positions.forEach((server, at) -> sources.put(new SourceKey(GROUP, server), at));
    TableUuid table = new TableUuid(UUID.randomUUID());
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    groups.put(
        GROUP,
        new GroupState(
            gate.incarnation(),
            gate.submission(),
            0,
            answer,
            new Epoch(0),
            new Epoch(0),
            ChainHash.first(table, GROUP),
            Optional.empty()));
    return new TableState(
        table,
        new RoundNumber(1),
        new Term(1),
        new OwnerId(UUID.randomUUID()),
        new PlanId(UUID.randomUUID()),
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        Instant.EPOCH,
        groups,
        states,
        sources);
  }

  static ShardState shard(ShardPhase phase) {
    return new ShardState(
        GROUP,
        SERVER,
        phase,
        phase == ShardPhase.SNAPSHOT
            ? Optional.empty()
            : Optional.of(new Watermark(Instant.ofEpochSecond(1))),
        false,
        false,
        0,
        0,
        Optional.empty());
  }

  @Override
  public void close() {
    try {
      running.close();
    } catch (Exception e) {
      throw new IllegalStateException("Cannot stop the server", e);
    }
  }
}
