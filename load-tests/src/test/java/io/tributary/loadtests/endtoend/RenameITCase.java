package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Eight shards of two groups rename a column one after the other, and jobs are started anew in the
 * midst of it, with Flink state and without.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RenameITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final int SHARDS = 8;
  private static final long ROWS_PER_SHARD = 25;
  private static final long SEED = 4_711;

  /** NOT NULL at the source: a NULL in any snapshot is a value that was lost. */
  private static final String BEFORE = "name";

  private static final String AFTER = "title";
  private static final String RENAME = "ALTER TABLE %s RENAME COLUMN name TO title";
  private static final Path OUTPUT = Path.of("target", "rename-status.txt");

  private final LocalStack stack;

  RenameITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void aColumnIsRenamedWhenTheEighthShardHasFollowedAndNoValueIsLost() throws Exception {
    Landscape landscape =
        Landscape.of(
            stack.endpoints(), "e2e_rename", List.of(WEST.value(), EAST.value()), SHARDS / 2);
    List<ProductShard> shards = landscape.shards();
    ProductLoader loader = new ProductLoader(shards, SEED);
    loader.createTables();
    loader.load(ROWS_PER_SHARD * SHARDS, rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      pipeline.submitCoordinator();
      pipeline.submit(WEST);
      pipeline.submit(EAST);
      pipeline.awaitWatermark(Instant.now());
      int field = pipeline.table().schema().findField(BEFORE).fieldId();

      for (ProductShard shard : shards.subList(0, SHARDS - 1)) {
        execute(shard, RENAME.formatted(shard.table()));
        change(shard, AFTER, 1);
      }
      change(shards.get(SHARDS - 1), BEFORE, 1);
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.table().schema().findField(field).name()).isEqualTo(BEFORE);
      JsonNode pending = status(pipeline).at("/columns");
      assertThat(pending).hasSize(1);
      assertThat(pending.get(0).toString())
          .isEqualTo(
              "{\"column\":\"name\",\"change\":\"renamed\",\"newName\":\"title\",\"shards\":[0,1,2,3,4,5,6],\"otherShards\":[7],\"clash\":null}");

      // One group goes on from its Flink state, the other from the table alone.
      stack.process(pipeline.taskManagerOf(WEST.value())).kill9();
      pipeline.cancel(EAST.value());
      pipeline.submit(EAST);
      for (ProductShard shard : shards) {
        change(shard, shard.shard().value() == SHARDS - 1 ? BEFORE : AFTER, 2);
      }
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.table().schema().findField(field).name()).isEqualTo(BEFORE);

      execute(shards.get(SHARDS - 1), RENAME.formatted(shards.get(SHARDS - 1).table()));
      for (ProductShard shard : shards) {
        change(shard, AFTER, 3);
      }
      pipeline.await(
          "the table's column renamed",
          () -> AFTER.equals(pipeline.table().schema().findField(field).name()));
      pipeline.cancel(EAST.value());
      pipeline.submit(EAST);
      for (ProductShard shard : shards) {
        change(shard, AFTER, 4);
      }
      pipeline.awaitWatermark(Instant.now());

      Table table = pipeline.table();
      assertThat(table.schema().findField(AFTER).fieldId()).isEqualTo(field);
      assertThat(table.schema().findField(BEFORE)).isNull();
      assertThat(status(pipeline).at("/columns")).isEmpty();
      VerifyReport report = pipeline.verify();
      assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
      assertThat(report.tableRows()).isEqualTo(ROWS_PER_SHARD * SHARDS);
      readSnapshots(table, field);
    }
  }

  /** Changes a few rows of a shard. */
  private static void change(ProductShard shard, String column, int value) throws SQLException {
    for (int i = 1; i <= 3; i++) {
      execute(
          shard,
          "UPDATE %s SET %s = 'shard %s, %d' ORDER BY product_id LIMIT %d"
              .formatted(shard.table(), column, shard.shard(), value, i));
    }
  }

  private static void execute(ProductShard shard, String sql) throws SQLException {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE " + shard.database());
      statement.execute(sql);
    }
  }

  /** What {@code tributary status} says of the table. */
  private static JsonNode status(Pipeline pipeline) throws Exception {
    try (CommandLine line =
        CommandLine.start(
            OUTPUT,
            List.of("status", "--zookeeper", pipeline.zooKeeper().toString(), "-o", "json"))) {
      line.await(5);
      String output = line.output();
      return new ObjectMapper().readTree(output.substring(output.indexOf('{'))).at("/tables/0");
    }
  }

  private static void readSnapshots(Table table, int field) throws IOException {
    int read = 0;
    for (Snapshot snapshot : table.snapshots()) {
      String name = table.schemas().get(snapshot.schemaId()).findColumnName(field);
      try (CloseableIterable<Record> rows =
          IcebergGenerics.read(table).useSnapshot(snapshot.snapshotId()).build()) {
        for (Record row : rows) {
          assertThat(row.getField(name)).as("%s in snapshot %s", name, snapshot).isNotNull();
        }
      }
      read++;
    }
    assertThat(read).isGreaterThan(2);
  }
}
