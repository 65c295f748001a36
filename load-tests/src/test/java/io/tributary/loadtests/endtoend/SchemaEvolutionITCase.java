package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.mysql.MySqlServer;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardPhase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Eight shards of two groups whose columns change one shard after the other, while all are busy.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaEvolutionITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final long ROWS_PER_SHARD = 300;
  private static final int TRANSACTIONS_PER_SECOND = 40;

  /** In some order for each shard, but the second kind of a column after the first. */
  private static final List<String> CHANGES =
      List.of(
          "ADD COLUMN weight DECIMAL(10,3) NULL",
          "ADD COLUMN listed_on DATE NULL AFTER name",
          "ADD COLUMN origin VARCHAR(20) CHARACTER SET latin1 NULL",
          "MODIFY brand VARCHAR(160) NULL",
          "MODIFY price DECIMAL(18,2) NULL");

  private static final String WIDER = "MODIFY weight DECIMAL(14,3) NULL";

  private final LocalStack stack;

  SchemaEvolutionITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void shardsThatChangeOneAfterTheOtherLoseNothingAndTheTableIsReadableThroughout()
      throws Exception {
    long seed = Long.getLong("tributary.test.seed", System.nanoTime());
    System.out.println("schema evolution: replay with -Dtributary.test.seed=" + seed);
    Random random = new Random(seed);
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_schema", List.of("west", "east"), 4);
    List<ProductShard> shards = landscape.shards();
    ProductLoader loader = new ProductLoader(shards, seed);
    loader.createTables();
    loader.load(ROWS_PER_SHARD * shards.size(), rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      pipeline.submitCoordinator();
      pipeline.submit(WEST);
      pipeline.submit(EAST);
      pipeline.awaitWatermark(Instant.now());
      Map<String, Integer> before = columns(pipeline.table());
      Set<Long> read = new java.util.HashSet<>();
      try (LiveWorkload workload =
          LiveWorkload.start(
              shards,
              new WorkloadConfig(seed, TRANSACTIONS_PER_SECOND),
              commit -> {})) {
        Map<ProductShard, Deque<String>> left = new HashMap<>();
        shards.forEach(shard -> left.put(shard, changes(random)));
        int changed = 0;
        while (!left.isEmpty()) {
          List<ProductShard> open = shards.stream().filter(left::containsKey).toList();
          ProductShard shard = open.get(random.nextInt(open.size()));
          change(shard, left.get(shard).remove(), random.nextInt(6) == 0);
          touch(shard, random);
          if (left.get(shard).isEmpty()) {
            left.remove(shard);
          }
          if (++changed == 12) {
            String host = pipeline.taskManagerOf(EAST.value());
            stack.process(host).kill9();
          } else if (changed % 6 == 0) {
            // Commits fall in between, so that the table is seen with shards of both kinds.
            pipeline.awaitRounds(2);
            readSnapshots(pipeline.table(), read);
          }
        }
        pipeline.awaitWatermark(Instant.now());
      }
      pipeline.awaitWatermark(Instant.now());
      Table table = pipeline.table();
      readSnapshots(table, read);

      assertThat(pipeline.state().orElseThrow().shards().values())
          .allMatch(shard -> shard.phase() == ShardPhase.ACTIVE);
      assertThat(pipeline.restores(WEST.value())).as("restarts of the group beside").isZero();
      assertUnion(table, before);
      VerifyReport report = pipeline.verify();
      assertThat(report.verdict()).as(report.toString()).isEqualTo("clean");
    }
  }

  private static Deque<String> changes(Random random) {
    List<String> shuffled = new ArrayList<>(CHANGES);
    Collections.shuffle(shuffled, random);
    int first = shuffled.indexOf(CHANGES.get(0));
    shuffled.add(first + 1 + random.nextInt(shuffled.size() - first), WIDER);
    return new ArrayDeque<>(shuffled);
  }

  /** By itself, or by the steps of a tool for online schema changes. */
  private static void change(ProductShard shard, String change, boolean online)
      throws SQLException {
    String table = shard.database() + "." + shard.table();
    String copy = shard.database() + "._" + shard.table() + "_new";
    String old = shard.database() + "._" + shard.table() + "_old";
    if (!online) {
      execute(shard.server(), "ALTER TABLE " + table + " " + change);
      return;
    }
    String columns = columnsOf(shard);
    String values =
        java.util.Arrays.stream(columns.split(","))
            .map(column -> "NEW." + column)
            .collect(Collectors.joining(","));
    String replace =
        " FOR EACH ROW REPLACE INTO " + copy + " (" + columns + ") VALUES (" + values + ")";
    execute(
        shard.server(),
        "CREATE TABLE " + copy + " LIKE " + table,
        "ALTER TABLE " + copy + " " + change,
        "CREATE TRIGGER " + shard.database() + ".osc_ins AFTER INSERT ON " + table + replace,
        "CREATE TRIGGER "
            + shard.database()
            + ".osc_upd AFTER UPDATE ON "
            + table
            + " FOR EACH ROW BEGIN DELETE IGNORE FROM "
            + copy
            + " WHERE product_id = OLD.product_id; REPLACE INTO "
            + copy
            + " ("
            + columns
            + ") VALUES ("
            + values
            + "); END",
        "CREATE TRIGGER "
            + shard.database()
            + ".osc_del AFTER DELETE ON "
            + table
            + " FOR EACH ROW DELETE IGNORE FROM "
            + copy
            + " WHERE product_id = OLD.product_id",
        "INSERT IGNORE INTO "
            + copy
            + " ("
            + columns
            + ") SELECT "
            + columns
            + " FROM "
            + table
            + " LOCK IN SHARE MODE",
        "RENAME TABLE " + table + " TO " + old + ", " + copy + " TO " + table,
        "DROP TABLE " + old);
  }

  private static String columnsOf(ProductShard shard) throws SQLException {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "SELECT GROUP_CONCAT(column_name) FROM information_schema.columns"
                    + " WHERE table_schema = '"
                    + shard.database()
                    + "' AND table_name = '"
                    + shard.table()
                    + "'")) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Puts values into whatever columns the shard has by now. */
  private static void touch(ProductShard shard, Random random) throws SQLException {
    String table = shard.database() + "." + shard.table();
    String columns = columnsOf(shard);
    int remainder = random.nextInt(7);
    for (String assignment :
        List.of(
            "weight = product_id / 8 + " + random.nextInt(1_000),
            "listed_on = '2024-02-29'",
            "origin = 'Köln'")) {
      if (columns.contains(assignment.split(" ")[0])) {
        execute(
            shard.server(),
            "UPDATE " + table + " SET " + assignment + " WHERE product_id % 7 = " + remainder);
      }
    }
  }

  private static void execute(MySqlServer server, String... statements) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  private static Map<String, Integer> columns(Table table) {
    return table.schema().columns().stream()
        .collect(Collectors.toMap(Types.NestedField::name, Types.NestedField::fieldId));
  }

  private static void assertUnion(Table table, Map<String, Integer> before) {
    Map<String, Integer> now = columns(table);
    assertThat(now).containsAllEntriesOf(before).hasSize(before.size() + 3);
    assertThat(now.values()).doesNotHaveDuplicates();
    assertThat(table.schema().findType("weight")).isEqualTo(Types.DecimalType.of(14, 3));
    assertThat(table.schema().findType("price")).isEqualTo(Types.DecimalType.of(18, 2));
    assertThat(table.schema().findType("listed_on")).isEqualTo(Types.DateType.get());
    assertThat(table.schema().findType("origin")).isEqualTo(Types.StringType.get());
  }

  /** Each snapshot with the table's newest columns, as a reader sees it who comes late. */
  private static void readSnapshots(Table table, Set<Long> read) throws IOException {
    List<Snapshot> snapshots = new ArrayList<>();
    table.snapshots().forEach(snapshots::add);
    for (Snapshot snapshot : snapshots) {
      if (!read.add(snapshot.snapshotId()) || read.size() % 3 != 0) {
        continue;
      }
      Set<String> keys = new java.util.HashSet<>();
      try (CloseableIterable<Record> rows =
          IcebergGenerics.read(table).useSnapshot(snapshot.snapshotId()).build()) {
        for (Record row : rows) {
          assertThat(keys.add(row.getField("shard_id") + "/" + row.getField("product_id")))
              .as("one row per key in snapshot %d", snapshot.snapshotId())
              .isTrue();
        }
      }
      assertThat(keys).isNotEmpty();
    }
    Snapshot newest = table.currentSnapshot();
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(table).useSnapshot(newest.snapshotId()).build()) {
      assertThat(rows).isNotEmpty();
    }
  }
}
