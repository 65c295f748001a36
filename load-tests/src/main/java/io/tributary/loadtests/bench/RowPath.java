package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import io.tributary.coordinator.CoordinatorJob;
import io.tributary.ingest.IngestJob;
import io.tributary.ingest.source.Gate;
import io.tributary.ingest.source.SourcePlanner;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.loadtests.fuzz.JobCluster;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.ServerSpec;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.hive.HiveCatalog;

/**
 * One way of rows from a server to an end, run in a Flink cluster in this process. All sides have
 * the product's own source with the same settings, and tables of the same layout.
 */
final class RowPath implements AutoCloseable {
  static final int BUCKETS = 5;
  static final int CHUNK_ROWS = 8_096;
  static final Duration COORDINATOR_INTERVAL = Duration.ofMillis(500);

  private static final GroupName GROUP = new GroupName("bench");
  private static final String STATE = "tributary.";
  private static final Duration PATIENCE = Duration.ofMinutes(60);
  private static final long LOOK_MILLIS = 20;
  private static final int HEAP_SAMPLES = 10;
  private static final int FIRST_SERVER_ID = 6_000;

  private final StackEndpoints stack;
  private final Path folder;
  private final JobCluster cluster;
  private final HiveCatalog catalog;

  /** What the product's tables of a source look like and said to its job, by columns. */
  private final Map<Integer, Model> models = new HashMap<>();

  private int files;

  /** A table of the product as a model for the other sides. */
  private record Model(TableState state, Schema schema, Table table) {}

  /**
   * What to run.
   *
   * @param table where the rows go, unless nowhere
   * @param parallelism of source and writers
   * @param interval between two checkpoints
   */
  record Plan(SourceTable source, String table, int parallelism, Duration interval) {}

  /**
   * What a run took.
   *
   * @param rows that reached the end
   * @param ms from the first row there until all of them are in the table; or, where there is none,
   *     until the last one
   * @param readMs from the first row there to the last
   * @param startMs from the submission to the first row
   */
  record Run(long rows, double ms, double readMs, double startMs) {
    ObjectNode json() {
      return Json.object()
          .put("rows", rows)
          .put("ms", Times.rounded(ms))
          .put("readMs", Times.rounded(readMs))
          .put("startMs", Times.rounded(startMs))
          .put("rowsPerSecond", Math.round(rowsPerSecond()));
    }

    double rowsPerSecond() {
      return rows / ms * 1_000;
    }
  }

  RowPath(StackEndpoints stack, Path folder) throws Exception {
    this.stack = stack;
    this.folder = Files.createDirectories(folder);
    this.cluster = new JobCluster(folder.resolve("checkpoints"), 1, 4, OperatorRows.reporting());
    this.catalog = Catalogs.open(stack, "row-path");
  }

  /** What all sides have in common, for results. */
  static ObjectNode settings(Duration interval) {
    return Json.object()
        .put("flink", "a MiniCluster in this process for all sides, the coordinator's job too")
        .put("source", "the product's own, with the same settings for all sides")
        .put("chunkRows", CHUNK_ROWS)
        .put("checkpointMs", interval.toMillis())
        .put("partitions", "identity(shard_id), bucket(" + BUCKETS + ", id)")
        .put("table", "format version, file format and compression as of the product's new tables")
        .put("catalog", "Hive metastore, without locks")
        .put("clock", "from the first row behind the source until all rows are in the table");
  }

  /** What the other sides have of their own. */
  static void sinkSettings(ObjectNode settings) {
    settings
        .putObject(Side.SINK_UPSERT.word())
        .put("sink", "FlinkSink, upsert, equality fields are the table's key")
        .put("distribution", "the sink's default: by key");
    settings
        .putObject(Side.SINK_APPEND.word())
        .put("sink", "FlinkSink; every change is a row more")
        .put("distribution", "the sink's default: none");
    settings.putObject(Side.DISCARDING.word()).put("sink", "Flink's DiscardingSink");
  }

  /**
   * Copies a source's rows, from the start of the jobs until all are in the table.
   *
   * @param rows of the source
   */
  Run copy(Side side, Plan plan, long rows) throws Exception {
    return run(side, plan, rows, rows, false);
  }

  /**
   * Reads a source's changes from where the last copy by the product ended.
   *
   * @param changes that are in the binlog since
   */
  Run changes(Side side, Plan plan, SourceTable.Changes changes) throws Exception {
    return run(
        side,
        plan,
        changes.rows(),
        side == Side.SINK_APPEND ? changes.rows() : changes.upserts(),
        true);
  }

  /**
   * @param rows that reach the end
   * @param added rows that come into the table
   * @param copied whether changes are read; else all is copied
   */
  private Run run(Side side, Plan plan, long rows, long added, boolean copied) throws Exception {
    return switch (side) {
      case TRIBUTARY -> product(plan, rows, added);
      case SINK_UPSERT, SINK_APPEND -> sink(side, plan, rows, added, copied);
      case DISCARDING -> {
        StockJob job = stock(plan, copied);
        long submitted = System.nanoTime();
        JobID id = cluster.submit(Optional.empty(), job::submitDiscarding);
        try {
          yield measured(id, StockJob.NOWHERE, submitted, rows, () -> true);
        } finally {
          cluster.cancel(id);
        }
      }
    };
  }

  /** Looks at a job while it runs. */
  @FunctionalInterface
  private interface Look<T> {
    /**
     * @param operator that all rows reach
     * @param submitted when the job was, by the nanosecond clock
     */
    T at(JobID job, String operator, long submitted) throws Exception;
  }

  private Run product(Plan plan, long rows, long added) throws Exception {
    long before = addedRows(plan.table());
    return withProduct(
        plan,
        (job, operator, submitted) ->
            measured(
                job, operator, submitted, rows, () -> addedRows(plan.table()) - before >= added));
  }

  private <T> T withProduct(Plan plan, Look<T> look) throws Exception {
    Path file = registryFile(plan);
    JobID coordinator =
        cluster.submit(
            Optional.empty(),
            () -> CoordinatorJob.main(new String[] {"--registry-file", file.toString()}));
    try {
      long submitted = System.nanoTime();
      JobID job =
          cluster.submit(
              Optional.empty(),
              () ->
                  IngestJob.main(
                      new String[] {"--registry-file", file.toString(), "--group", GROUP.value()}));
      try {
        return look.at(job, "write " + name(plan.table()), submitted);
      } finally {
        cluster.cancel(job);
      }
    } finally {
      cluster.cancel(coordinator);
    }
  }

  /**
   * Lets the product copy a source, to know its table's layout and to have a table from which it
   * goes on with changes. Changes after it are what the next runs read.
   */
  void prepare(Plan plan, long rows) throws Exception {
    withProduct(
        plan,
        (job, operator, submitted) -> {
          await(job, "a copy of " + plan.source().name(), () -> isCopied(plan.table()));
          return true;
        });
    if (addedRows(plan.table()) != rows) {
      throw new IllegalStateException(
          "Cannot prepare table %s: expected %d rows, found %d"
              .formatted(plan.table(), rows, addedRows(plan.table())));
    }
    remember(plan);
  }

  private boolean isCopied(String table) {
    return catalog.tableExists(identifier(table))
        && TableStateCodec.decode(load(table).properties())
            .filter(state -> !state.shards().isEmpty())
            .filter(
                state ->
                    state.shards().values().stream()
                        .allMatch(shard -> shard.phase() == ShardPhase.ACTIVE))
            .isPresent();
  }

  /** From where this table of the product stands now, the other sides read changes. */
  void remember(Plan plan) {
    Table table = load(plan.table());
    models.put(
        plan.source().columns(),
        new Model(TableStateCodec.decode(table.properties()).orElseThrow(), table.schema(), table));
  }

  /**
   * Reads changes with no barrier in between.
   *
   * @return used heap in MiB above that at the first row, by rows
   */
  List<Plot.Point> heapOfOneEpoch(Side side, Plan plan, long rows) throws Exception {
    Plan endless = new Plan(plan.source(), plan.table(), plan.parallelism(), Duration.ofHours(10));
    Look<List<Plot.Point>> look =
        (job, operator, submitted) -> {
          List<Plot.Point> found = new ArrayList<>();
          await(job, "a first row", () -> OperatorRows.of(job, operator) > 0);
          double first = usedMiB();
          for (int part = 1; part <= HEAP_SAMPLES; part++) {
            long wanted = rows * part / HEAP_SAMPLES;
            await(job, wanted + " rows", () -> OperatorRows.of(job, operator) >= wanted);
            double used = usedMiB();
            found.add(
                new Plot.Point(
                    OperatorRows.of(job, operator), Times.rounded(Math.max(0, used - first))));
          }
          return found;
        };
    return side == Side.TRIBUTARY
        ? withProduct(endless, look)
        : withSink(side, endless, true, look);
  }

  private static double usedMiB() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1048576.0;
  }

  private Run sink(Side side, Plan plan, long rows, long added, boolean copied) throws Exception {
    long before = addedRows(plan.table());
    return withSink(
        side,
        plan,
        copied,
        (job, operator, submitted) ->
            measured(
                job, operator, submitted, rows, () -> addedRows(plan.table()) - before >= added));
  }

  private <T> T withSink(Side side, Plan plan, boolean copied, Look<T> look) throws Exception {
    Model model = model(plan);
    if (!catalog.tableExists(identifier(plan.table()))) {
      createLike(model, plan.table());
    }
    TableLoader loader =
        TableLoader.fromCatalog(
            CatalogLoader.hive(
                "bench",
                new Configuration(),
                Map.of("uri", stack.metastoreUri(), "warehouse", stack.warehouse().toString())),
            identifier(plan.table()));
    StockJob job = stock(plan, copied);
    long submitted = System.nanoTime();
    JobID id =
        cluster.submit(
            Optional.empty(),
            () -> job.submitSink(loader, model.schema(), side == Side.SINK_UPSERT));
    try {
      return look.at(id, StockJob.TO_SINK, submitted);
    } finally {
      cluster.cancel(id);
    }
  }

  private void createLike(Model model, String table) {
    Map<String, String> properties = new TreeMap<>(model.table().properties());
    properties.keySet().removeIf(key -> key.startsWith(STATE));
    properties.put("format-version", "2");
    catalog.createTable(identifier(table), model.schema(), model.table().spec(), properties);
  }

  private StockJob stock(Plan plan, boolean copied) throws Exception {
    Model model = model(plan);
    Registry registry = RegistryParser.parseFile(registryFile(plan));
    GroupSpec group = registry.group(GROUP);
    SourceSpec source =
        SourcePlanner.plan(
                registry.table(group.table()),
                group,
                registry.serversOf(GROUP).stream()
                    .collect(Collectors.toMap(ServerSpec::name, Function.identity())),
                registry.activeShardsOf(GROUP),
                SourceSpec.Timing.DEFAULT)
            .sources()
            .get(0);
    Gate gate = new Gate(GROUP, new Incarnation(1_000), new SubmissionId(UUID.randomUUID()));
    return new StockJob(
        source,
        gate,
        new AnsweredTable(model.state(), gate, model.schema(), copied),
        plan.parallelism(),
        plan.interval());
  }

  private Model model(Plan plan) {
    Model model = models.get(plan.source().columns());
    if (model == null) {
      throw new IllegalStateException(
          "Cannot read %s: expected a table that the product has copied it to, found none"
              .formatted(plan.source().name()));
    }
    return model;
  }

  private Run measured(
      JobID job, String operator, long submitted, long rows, BooleanSupplier committed)
      throws Exception {
    await(job, "a first row", () -> OperatorRows.of(job, operator) > 0);
    long first = System.nanoTime();
    await(job, rows + " rows", () -> OperatorRows.of(job, operator) >= rows);
    long read = System.nanoTime();
    await(job, rows + " rows in the table", committed);
    long end = System.nanoTime();
    long found = OperatorRows.of(job, operator);
    if (found != rows) {
      throw new IllegalStateException(
          "Cannot measure job %s: expected %d rows at '%s', found %d"
              .formatted(job, rows, operator, found));
    }
    return new Run(rows, (end - first) / 1e6, (read - first) / 1e6, (first - submitted) / 1e6);
  }

  private void await(JobID job, String what, BooleanSupplier reached) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    int looks = 0;
    while (!reached.getAsBoolean()) {
      if (++looks % 50 == 0) {
        Optional<String> failure = cluster.failure(job);
        if (failure.isPresent() || System.nanoTime() > end) {
          throw new IllegalStateException(
              "Cannot measure job %s: expected %s, found %s"
                  .formatted(job, what, failure.orElse("none in " + PATIENCE)));
        }
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /** Rows that the table's snapshots have added, all together; 0 without a table. */
  private long addedRows(String table) {
    return sum(table, "added-records");
  }

  /** What all snapshots of a table say about something, added up. */
  long sum(String table, String what) {
    if (!catalog.tableExists(identifier(table))) {
      return 0;
    }
    long sum = 0;
    for (Snapshot snapshot : catalog.loadTable(identifier(table)).snapshots()) {
      sum += Long.parseLong(snapshot.summary().getOrDefault(what, "0"));
    }
    return sum;
  }

  /** What the table has come to, for results. */
  ObjectNode counts(String table) {
    Table found = load(table);
    ObjectNode counts = Json.object();
    int snapshots = 0;
    for (Snapshot ignored : found.snapshots()) {
      snapshots++;
    }
    counts.put("snapshots", snapshots);
    for (String what :
        new String[] {
          "total-records",
          "total-data-files",
          "total-delete-files",
          "total-equality-deletes",
          "total-position-deletes",
          "total-files-size"
        }) {
      counts.put(
          what,
          found.currentSnapshot() == null
              ? 0
              : Long.parseLong(found.currentSnapshot().summary().getOrDefault(what, "0")));
    }
    return counts;
  }

  Table load(String table) {
    return catalog.loadTable(identifier(table));
  }

  void drop(String table) {
    if (catalog.tableExists(identifier(table))) {
      catalog.dropTable(identifier(table), true);
    }
  }

  private static TableName name(String table) {
    return new TableName("bench." + table);
  }

  private static TableIdentifier identifier(String table) {
    return TableIdentifier.of("bench", table);
  }

  private Path registryFile(Plan plan) throws Exception {
    StackEndpoints.MariaDb server = stack.mariaDb(1);
    Path file = folder.resolve("registry-%d.yaml".formatted(files++));
    return Files.writeString(
        file,
        """
        catalog:
          uri: %s
          warehouse: %s
          properties: {clients: "8"}
        kafka:
          bootstrap-servers: %s
        coordinator:
          checkpoint-interval: %d ms
          idle-round-interval: 5 s
        servers:
          %s:
            hostname: %s
            port: %d
            username: %s
            password: {file: %s}
        tables:
          %s:
            bucket-column: id
            bucket-count: %d
        groups:
          %s:
            table: %s
            parallelism: %d
            checkpoint-interval: %d ms
            server-id: {%s: %d-%d}
            scan.incremental.snapshot.chunk.size: %d
        shards:
          - {number: 0, group: %s, server: %s, database: %s, table: %s}
        """
            .formatted(
                stack.metastoreUri(),
                stack.warehouse(),
                stack.kafkaBootstrapServers(),
                COORDINATOR_INTERVAL.toMillis(),
                server.name(),
                server.host(),
                server.port(),
                server.cdc().name(),
                server.cdc().passwordFile(),
                name(plan.table()),
                BUCKETS,
                GROUP,
                name(plan.table()),
                plan.parallelism(),
                plan.interval().toMillis(),
                server.name(),
                FIRST_SERVER_ID,
                FIRST_SERVER_ID + plan.parallelism() - 1,
                CHUNK_ROWS,
                GROUP,
                server.name(),
                SourceTable.DATABASE,
                plan.source().name()));
  }

  @Override
  public void close() throws Exception {
    cluster.close();
    catalog.close();
  }
}
