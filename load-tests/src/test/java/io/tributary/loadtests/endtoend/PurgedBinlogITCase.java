package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Field case D1: the binlog that a group needs is gone when its job comes back. */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PurgedBinlogITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final long ROWS = 1_000;
  private static final int FLUSHES = 5;

  private final LocalStack stack;

  PurgedBinlogITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void aPurgedBinlogIsNamedOnceAndStopsNoOtherGroup() throws Exception {
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_purged", List.of("west", "east"), 1);
    ProductLoader loader = new ProductLoader(landscape.shards(), 5);
    loader.createTables();
    loader.load(ROWS, rows -> {});
    ProductShard east = landscape.shards().get(1);
    try (Pipeline pipeline = new Pipeline(stack, landscape);
        RoundLog rounds =
            new RoundLog(
                stack.endpoints().kafkaBootstrapServers(),
                pipeline.registry().table(landscape.table()).statusTopic(),
                LakeTable.open(pipeline.registry().catalog(), landscape.table()));
        LiveWorkload workload =
            LiveWorkload.start(landscape.shards(), new WorkloadConfig(5, 40), commit -> {})) {
      pipeline.submitCoordinator();
      pipeline.submit(WEST);
      pipeline.submit(EAST);
      pipeline.awaitWatermark(java.time.Instant.now());

      pipeline.cancel(EAST.value());
      purge(east);
      TableState before = pipeline.state().orElseThrow();
      String restarted = pipeline.launch(EAST);

      pipeline.await(
          "the end of the job of east",
          () -> stack.flinkRest().jobState(restarted).equals("FAILED"));
      List<String> told = stack.flinkRest().exceptions(restarted);
      assertThat(told).as("told once, without a restart").hasSize(1);
      assertThat(told.get(0))
          .contains("Cannot read server mariadb-2 on at ")
          .contains("expected the binlog at that position")
          .contains("e2e_purged.products_001")
          .contains("cure");
      Epoch west = before.group(WEST).orElseThrow().epoch();
      pipeline.awaitState(
          "five more epochs of west",
          state -> state.group(WEST).orElseThrow().epoch().value() >= west.value() + FLUSHES);
      TableState after = pipeline.state().orElseThrow();
      assertThat(after.round().value()).isGreaterThan(before.round().value());
      assertThat(after.group(EAST).orElseThrow().epoch())
          .as("nothing of east is skipped")
          .isEqualTo(before.group(EAST).orElseThrow().epoch());
      assertThat(after.validThrough()).as("speaks for east too").isEqualTo(before.validThrough());
      long last = after.round().value();
      pipeline.await("the message of round " + last, () -> rounds.lastRound() >= last);
      assertThat(rounds.problems()).isEmpty();
      workload.stop();
    }
  }

  private static void purge(ProductShard shard) throws Exception {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < FLUSHES; i++) {
        statement.execute("FLUSH BINARY LOGS");
      }
      try (ResultSet status = statement.executeQuery("SHOW MASTER STATUS")) {
        status.next();
        statement.execute("PURGE BINARY LOGS TO '" + status.getString("File") + "'");
      }
    }
  }
}
