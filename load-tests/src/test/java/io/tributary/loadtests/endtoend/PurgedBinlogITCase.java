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
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
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
  private static final int FURTHER_EPOCHS = 5;

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
      pipeline.await("all of east to be committed", () -> pipeline.pendingEpochs(EAST) == 0);
      TableState before = pipeline.state().orElseThrow();
      purge(
          pipeline,
          east,
          before.source(EAST, landscape.serverOf(EAST)).map(SourcePosition::file).orElseThrow());
      String restarted = pipeline.launch(EAST);

      ShardId shard = landscape.shardsOf(EAST).get(0);
      pipeline.awaitState(
          "the shard of east to be halted",
          state ->
              state.shard(shard).filter(found -> found.phase() == ShardPhase.HALTED).isPresent());
      assertThat(pipeline.state().flatMap(state -> state.shard(shard)).orElseThrow().haltReason())
          .get()
          .asString()
          .contains("Cannot read on shard " + shard + " (e2e_purged.products_001) of server")
          .contains("mariadb-2 at ")
          .contains("expected the binlog at that position")
          .contains("cure");
      Epoch west = before.group(WEST).orElseThrow().epoch();
      pipeline.awaitState(
          "five more epochs of west",
          state ->
              state.group(WEST).orElseThrow().epoch().value() >= west.value() + FURTHER_EPOCHS);
      TableState after = pipeline.state().orElseThrow();
      assertThat(after.round().value()).isGreaterThan(before.round().value());
      assertThat(after.source(EAST, landscape.serverOf(EAST)))
          .as("nothing of east is skipped")
          .isPresent()
          .isEqualTo(before.source(EAST, landscape.serverOf(EAST)));
      assertThat(after.shard(shard).flatMap(ShardState::watermark))
          .isPresent()
          .isEqualTo(before.shard(shard).flatMap(ShardState::watermark));
      assertThat(after.validThrough().orElseThrow())
          .as("speaks for east too")
          .isLessThanOrEqualTo(after.shard(shard).flatMap(ShardState::watermark).orElseThrow());
      assertThat(stack.flinkRest().jobState(restarted)).isEqualTo("RUNNING");
      assertThat(stack.flinkRest().exceptions(restarted)).as("no restart").isEmpty();
      long last = after.round().value();
      pipeline.await("the message of round " + last, () -> rounds.lastRound() >= last);
      assertThat(rounds.problems()).isEmpty();
      workload.stop();
    }
  }

  private static void purge(Pipeline pipeline, ProductShard shard, String needed) throws Exception {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      // The server keeps what the cancelled job reads until it has noticed that nobody reads it.
      pipeline.await(
          "the end of binlog " + needed,
          () -> {
            statement.execute("FLUSH BINARY LOGS");
            List<String> files = binlogs(statement);
            statement.execute("PURGE BINARY LOGS TO '" + files.get(files.size() - 1) + "'");
            return !binlogs(statement).contains(needed);
          });
    }
  }

  private static List<String> binlogs(Statement statement) throws SQLException {
    List<String> files = new ArrayList<>();
    try (ResultSet logs = statement.executeQuery("SHOW BINARY LOGS")) {
      while (logs.next()) {
        files.add(logs.getString(1));
      }
    }
    return files;
  }
}
