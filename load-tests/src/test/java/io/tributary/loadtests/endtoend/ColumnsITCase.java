package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.TableState;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Eight busy shards of two groups whose columns change one shard after the other, some by the steps
 * of tools for online schema changes, while processes are killed; then one is truncated and one
 * dropped and created again. Another seed with {@code -Dtributary.test.seed=S}.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ColumnsITCase {
  /** Stands for what makes the shard's table as that of the kept rows is. */
  private static final String CREATE_AS_KEPT = "as kept";

  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final int SHARDS_PER_GROUP = 4;
  private static final long ROWS_PER_SHARD = 200;
  private static final int TRANSACTIONS_PER_SECOND = 24;
  private static final long SEED = 20_261_130;

  /** Few enough snapshots that every one of them is read at the end. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(2);

  private static final String WEIGHT = "ADD COLUMN weight DECIMAL(10,3) NULL";

  /** In some order for each shard, after {@link #WEIGHT}. */
  private static final List<String> CHANGES =
      List.of(
          "ADD COLUMN listed_on DATE NULL AFTER name",
          "ADD COLUMN origin VARCHAR(20) CHARACTER SET latin1 NULL FIRST",
          "MODIFY weight DECIMAL(14,3) NULL",
          "MODIFY brand VARCHAR(160) NULL, MODIFY price DECIMAL(18,2) NULL");

  private static final Map<String, Type> UNION =
      Map.of(
          "weight", Types.DecimalType.of(14, 3),
          "listed_on", Types.DateType.get(),
          "origin", Types.StringType.get(),
          "price", Types.DecimalType.of(18, 2));

  /** Names of the copy and of the table that it takes the place of, behind {@code _table}. */
  private enum Tool {
    GH_OST("_gho", "_del"),
    PT("_new", "_old");

    private final String copy;
    private final String old;

    Tool(String copy, String old) {
      this.copy = copy;
      this.old = old;
    }
  }

  private final LocalStack stack;

  ColumnsITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void shardsThatChangeOneAfterTheOtherLoseNothingAndEachSnapshotIsReadable() throws Exception {
    long seed = Long.getLong("tributary.test.seed", SEED);
    Random random = new Random(seed);
    Landscape landscape =
        Landscape.of(
                stack.endpoints(),
                "e2e_schema",
                List.of(WEST.value(), EAST.value()),
                SHARDS_PER_GROUP)
            .withCheckpointInterval(CHECKPOINTS);
    List<ProductShard> shards = landscape.shards();
    ProductLoader loader = new ProductLoader(shards, seed);
    loader.createTables();
    loader.load(ROWS_PER_SHARD * shards.size(), rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      pipeline.submitCoordinator();
      pipeline.submit(WEST);
      pipeline.submit(EAST);
      pipeline.awaitWatermark(Instant.now());
      Map<String, Integer> before = columns(pipeline.table().schema());
      try (LiveWorkload workload =
          LiveWorkload.start(
              shards, new WorkloadConfig(seed, TRANSACTIONS_PER_SECOND), commit -> {})) {
        bothGroupsAskForOneColumnAtOnce(pipeline, random);
        changeAll(pipeline, random);
        WorkloadSummary summary = workload.stop();
        System.out.println("Workload: " + summary);
        emptyTwoShards(pipeline, random);
        awaitCaughtUp(pipeline);
        for (GroupName group : List.of(WEST, EAST)) {
          assertThat(pipeline.failures(group.value()))
              .as("failures of %s, which may lose processes but not fail in what reads", group)
              .noneMatch(failure -> failure.contains("io.tributary.ingest.source"));
        }
      }

      Table table = pipeline.table();
      assertUnion(table, before);
      VerifyReport report = pipeline.verify();
      System.out.println("Verified: " + report);
      assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
      assertThat(report.sourceRows()).isEqualTo(report.tableRows()).isPositive();
      readSnapshots(table, landscape);
    }
  }

  /**
   * The first shard of each group gets the same column while the coordinator stands still, so that
   * it finds both requests at once when it is back.
   */
  private void bothGroupsAskForOneColumnAtOnce(Pipeline pipeline, Random random) throws Exception {
    List<ProductShard> shards = pipeline.landscape().shards();
    String host = pipeline.taskManagerOf(Pipeline.COORDINATOR);
    stack.process(host).pause();
    for (ProductShard shard : List.of(shards.get(0), shards.get(SHARDS_PER_GROUP))) {
      alter(shard, WEIGHT);
      fill(shard, random);
    }
    for (GroupName group : List.of(WEST, EAST)) {
      pipeline.await(
          "the request of " + group,
          // On a slow machine Flink may have found the coordinator gone and begun it elsewhere.
          () ->
              pipeline.pendingRequests(group, "weight") > 0
                  || pipeline.table().schema().findField("weight") != null);
    }
    stack.process(host).kill9();
  }

  /**
   * Changes the shards one by one until each has all columns. The job of {@link #EAST} is killed
   * meanwhile.
   */
  private void changeAll(Pipeline pipeline, Random random) throws Exception {
    List<ProductShard> shards = pipeline.landscape().shards();
    Map<ProductShard, Deque<String>> left = new HashMap<>();
    for (ProductShard shard : shards) {
      List<String> shuffled = new ArrayList<>(CHANGES);
      Collections.shuffle(shuffled, random);
      Deque<String> changes = new ArrayDeque<>(shuffled);
      if (shard.shard().value() % SHARDS_PER_GROUP != 0) {
        changes.addFirst(WEIGHT);
      }
      left.put(shard, changes);
    }
    int all = left.values().stream().mapToInt(Deque::size).sum();
    int kill = all / 4 + random.nextInt(all / 2);
    // One shard of each group is changed by the steps of a tool, once.
    Set<ProductShard> online = new HashSet<>();
    for (int group = 0; group < 2; group++) {
      online.add(shards.get(group * SHARDS_PER_GROUP + random.nextInt(SHARDS_PER_GROUP)));
    }
    for (int done = 0; done < all; done++) {
      List<ProductShard> open = shards.stream().filter(one -> !left.get(one).isEmpty()).toList();
      ProductShard shard = open.get(random.nextInt(open.size()));
      String change = left.get(shard).remove();
      if (change.startsWith("ADD") && online.remove(shard)) {
        Tool tool = shard.shard().value() < SHARDS_PER_GROUP ? Tool.GH_OST : Tool.PT;
        swap(shard, change, tool, false);
        swap(shard, change, tool, true);
      } else {
        alter(shard, change);
      }
      fill(shard, random);
      if (done == kill) {
        stack.process(pipeline.taskManagerOf(EAST.value())).kill9();
      } else if (done % 6 == 5) {
        // So that the table is seen with shards of both kinds.
        awaitCaughtUp(pipeline);
      }
    }
    assertThat(online).as("shards that no tool has changed").isEmpty();
  }

  /**
   * One shard of {@link #WEST} is truncated and filled again, twice, and its job killed in between;
   * one of {@link #EAST} is dropped and created again, without a column that comes back later.
   */
  private void emptyTwoShards(Pipeline pipeline, Random random) throws Exception {
    List<ProductShard> shards = pipeline.landscape().shards();
    ProductShard truncated = shards.get(random.nextInt(SHARDS_PER_GROUP));
    ProductShard dropped = shards.get(SHARDS_PER_GROUP + random.nextInt(SHARDS_PER_GROUP));
    refill(truncated, "TRUNCATE TABLE %s");
    refill(dropped, "DROP TABLE %s", "ALTER TABLE kept DROP origin", CREATE_AS_KEPT);
    stack.process(pipeline.taskManagerOf(WEST.value())).kill9();
    refill(truncated, "DELETE FROM %s WHERE product_id %% 3 = 0", "TRUNCATE TABLE %s");
    alter(dropped, "ADD COLUMN origin VARCHAR(20) CHARACTER SET latin1 NULL");
    fill(dropped, random);
    awaitCaughtUp(pipeline);
    int emptied = 0;
    for (Snapshot snapshot : pipeline.table().snapshots()) {
      emptied += snapshot.summary().containsKey("tributary.emptied-shards") ? 1 : 0;
    }
    assertThat(emptied).as("snapshots in which shards were emptied").isBetween(2, 3);
  }

  /** Runs statements on a shard's table and puts every second row of before back. */
  private static void refill(ProductShard shard, String... statements) throws SQLException {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE " + shard.database());
      statement.execute("CREATE OR REPLACE TABLE kept LIKE " + shard.table());
      statement.execute("INSERT INTO kept SELECT * FROM " + shard.table());
      for (String one : statements) {
        statement.execute(
            one.equals(CREATE_AS_KEPT)
                ? definitionOfKept(statement, shard)
                : one.formatted(shard.table()));
      }
      String names = String.join(", ", columnsOf(statement, shard));
      statement.execute(
          "INSERT INTO %s (%s) SELECT %s FROM kept WHERE product_id %% 2 = 0"
              .formatted(shard.table(), names, names));
      statement.execute("DROP TABLE kept");
    }
  }

  /**
   * A statement that the change reader understands, which it does not of CREATE TABLE LIKE: behind
   * such a one the columns must not change again at once.
   */
  private static String definitionOfKept(Statement statement, ProductShard shard)
      throws SQLException {
    try (ResultSet result = statement.executeQuery("SHOW CREATE TABLE kept")) {
      assertThat(result.next()).isTrue();
      return result.getString(2).replace("CREATE TABLE `kept`", "CREATE TABLE " + shard.table());
    }
  }

  /** Waits until the table has everything, and gives up at once when a shard is halted. */
  private static void awaitCaughtUp(Pipeline pipeline) {
    Instant now = Instant.now();
    pipeline.await(
        "a watermark past " + now,
        () -> {
          TableState state = pipeline.state().orElseThrow();
          assertThat(state.shards().values())
              .as("shards, none of which may halt: %s", state.shards())
              .allMatch(shard -> shard.phase() == ShardPhase.ACTIVE);
          return state.validThrough().filter(reached -> reached.instant().isAfter(now)).isPresent();
        });
  }

  private static void alter(ProductShard shard, String change) throws SQLException {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE " + shard.database());
      statement.execute("ALTER TABLE " + shard.table() + " " + change);
    }
  }

  /**
   * What a tool for online schema changes does: makes a copy, lets it follow by triggers, fills it,
   * and puts it in the table's place.
   *
   * @param tool the names it gives
   * @param whole whether it comes to its end; otherwise the tool gives up before it renames
   */
  private static void swap(ProductShard shard, String change, Tool tool, boolean whole)
      throws SQLException {
    String table = shard.table();
    String copy = "_" + table + tool.copy;
    String old = "_" + table + tool.old;
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE " + shard.database());
      List<String> columns = columnsOf(statement, shard);
      String names = String.join(", ", columns);
      String replace =
          "REPLACE INTO %s (%s) VALUES (%s)"
              .formatted(
                  copy,
                  names,
                  columns.stream().map(name -> "NEW." + name).collect(Collectors.joining(", ")));
      String delete = "DELETE FROM %s WHERE product_id = OLD.product_id".formatted(copy);
      statement.execute("CREATE TABLE %s LIKE %s".formatted(copy, table));
      statement.execute("ALTER TABLE %s %s".formatted(copy, change));
      Map<String, String> followed =
          Map.of(
              "INSERT",
              replace,
              "DELETE",
              delete,
              "UPDATE",
              "BEGIN %s; %s; END".formatted(delete, replace));
      for (Map.Entry<String, String> event : followed.entrySet()) {
        statement.execute(
            "CREATE TRIGGER %s_%s AFTER %s ON %s FOR EACH ROW %s"
                .formatted(copy, event.getKey(), event.getKey(), table, event.getValue()));
      }
      // Nobody writes while it is filled, so that no row comes back that was deleted meanwhile.
      statement.execute("LOCK TABLES %s WRITE, %s WRITE".formatted(table, copy));
      statement.execute("DELETE FROM " + copy);
      statement.execute(
          "INSERT INTO %s (%s) SELECT %s FROM %s".formatted(copy, names, names, table));
      statement.execute("UNLOCK TABLES");
      if (whole) {
        statement.execute("RENAME TABLE %s TO %s, %s TO %s".formatted(table, old, copy, table));
        statement.execute("DROP TABLE " + old);
      } else {
        for (String event : followed.keySet()) {
          statement.execute("DROP TRIGGER %s_%s".formatted(copy, event));
        }
        statement.execute("DROP TABLE " + copy);
      }
    }
  }

  private static List<String> columnsOf(Statement statement, ProductShard shard)
      throws SQLException {
    List<String> names = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = '%s' AND table_name = '%s'"
                .formatted(shard.database(), shard.table()))) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  /** Puts values into the columns that the shard has by now, row by row. */
  private static void fill(ProductShard shard, Random random) throws SQLException {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE " + shard.database());
      List<String> names = columnsOf(statement, shard);
      Map<String, String> values =
          new TreeMap<>(
              Map.of(
                  "weight", String.valueOf(random.nextInt(1_000_000_000) / 1_000.0),
                  "listed_on", "'2024-02-29'",
                  "origin", "'Köln'"));
      values.keySet().retainAll(names);
      String set =
          values.entrySet().stream()
              .map(value -> value.getKey() + " = " + value.getValue())
              .collect(Collectors.joining(", "));
      for (int i = 0; i < 10 && !values.isEmpty(); i++) {
        // One key a transaction: the workload's own transactions lock several.
        statement.execute(
            "UPDATE %s SET %s, updated_at = CURRENT_TIMESTAMP(6) WHERE product_id = %d"
                .formatted(shard.table(), set, 1 + random.nextLong(ROWS_PER_SHARD)));
      }
    }
  }

  private static Map<String, Integer> columns(Schema schema) {
    return schema.columns().stream()
        .collect(Collectors.toMap(Types.NestedField::name, Types.NestedField::fieldId));
  }

  private static void assertUnion(Table table, Map<String, Integer> before) {
    Map<String, Integer> now = columns(table.schema());
    Set<String> expected = new HashSet<>(before.keySet());
    expected.addAll(UNION.keySet());
    assertThat(now).containsOnlyKeys(expected).containsAllEntriesOf(before);
    UNION.forEach(
        (name, type) -> assertThat(table.schema().findType(name)).as(name).isEqualTo(type));
    for (Schema schema : table.schemas().values()) {
      assertThat(now)
          .as("the field ids of schema %s", schema)
          .containsAllEntriesOf(columns(schema));
    }
  }

  /**
   * Each snapshot as a reader sees it who travels in time: one shard's rows, and all rows where the
   * columns have just changed and at the end.
   */
  private static void readSnapshots(Table table, Landscape landscape) throws IOException {
    List<Snapshot> snapshots = new ArrayList<>();
    table.snapshots().forEach(snapshots::add);
    snapshots.sort(Comparator.comparingLong(Snapshot::sequenceNumber));
    Map<String, Integer> columns = Map.of();
    long rows = 0;
    int wholly = 0;
    for (int i = 0; i < snapshots.size(); i++) {
      Snapshot snapshot = snapshots.get(i);
      Map<String, Integer> now = columns(table.schemas().get(snapshot.schemaId()));
      assertThat(now).as("columns of snapshot %s", snapshot).containsAllEntriesOf(columns);
      boolean whole = !now.equals(columns) || i == snapshots.size() - 1;
      columns = now;
      wholly += whole ? 1 : 0;
      rows +=
          read(
              table,
              snapshot,
              whole
                  ? Expressions.alwaysTrue()
                  : Expressions.equal("shard_id", i % landscape.shards().size()));
    }
    System.out.printf(
        "Read %d snapshots, %d of them wholly, %d rows, %d schemas%n",
        snapshots.size(), wholly, rows, table.schemas().size());
    assertThat(wholly).as("snapshots with other columns than before").isGreaterThan(2);
    assertThat(rows).isPositive();
  }

  private static long read(Table table, Snapshot snapshot, Expression filter) throws IOException {
    Schema expected = table.schemas().get(snapshot.schemaId());
    Set<String> keys = new HashSet<>();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(table).useSnapshot(snapshot.snapshotId()).where(filter).build()) {
      for (Record row : rows) {
        // The reader may add columns of its own, such as a row's place in its file.
        assertThat(row.struct().fields()).containsAll(expected.columns());
        assertThat(keys.add(row.getField("shard_id") + "/" + row.getField("product_id")))
            .as("one row per key in snapshot %s", snapshot)
            .isTrue();
      }
    }
    return keys.size();
  }
}
