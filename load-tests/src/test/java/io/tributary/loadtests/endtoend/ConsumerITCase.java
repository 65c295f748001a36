package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.reader.CommitStatusReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What readers of the status topic are promised, while the source is busy. */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsumerITCase {
  private static final GroupName GROUP = new GroupName("only");
  private static final Duration PATIENCE = Duration.ofMinutes(8);
  private static final int TIMES = 20;

  /** Many chunks. */
  private static final long COPIED = 4_000;

  /** Far above the keys of the workload, which leaves these rows alone. */
  private static final long FIRST_KEY = 1_000_000_000;

  private final LocalStack stack;

  ConsumerITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void awaitReturnsOnlyWhenTheRowCommittedBeforeTheInstantIsInTheTable() throws Exception {
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_await", List.of("only"), 1);
    ProductLoader loader = new ProductLoader(landscape.shards(), 4);
    loader.createTables();
    loader.load(COPIED, rows -> {});
    ProductShard shard = landscape.shards().get(0);
    try (Pipeline pipeline = new Pipeline(stack, landscape);
        RoundLog rounds =
            new RoundLog(
                stack.endpoints().kafkaBootstrapServers(),
                pipeline.registry().table(landscape.table()).statusTopic(),
                LakeTable.open(pipeline.registry().catalog(), landscape.table()));
        CommitStatusReader reader =
            new CommitStatusReader(
                Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()));
        Connection connection = shard.server().connect()) {
      pipeline.submitCoordinator();
      pipeline.submit(GROUP);
      pipeline.awaitWatermark(Instant.EPOCH);
      // Nothing has changed at the source: all that is there was copied.
      assertThat(TableRows.upToKey(pipeline.table(), 0, Long.MAX_VALUE)).isEqualTo(COPIED);
      assertThat(TableRows.equalityDeletes(pipeline.table())).isZero();
      try (LiveWorkload workload =
          LiveWorkload.start(landscape.shards(), new WorkloadConfig(4, 50), commit -> {})) {
        for (int i = 0; i < TIMES; i++) {
          long key = FIRST_KEY + i;
          insert(connection, shard, key);
          Instant committed = serverTime(connection);
          CommitStatus status = reader.awaitWatermark(landscape.table(), committed, PATIENCE);
          assertThat(
                  TableRows.withKey(pipeline.table(), status.snapshot().orElseThrow().id(), 0, key))
              .as("row committed before %s, in the snapshot of %s", committed, status)
              .isEqualTo(1);
        }
        workload.stop();
      }
      long last = pipeline.state().orElseThrow().round().value();
      pipeline.await("the message of round " + last, () -> rounds.lastRound() >= last);
      assertThat(rounds.problems()).isEmpty();
      assertThat(rounds.messages()).isEqualTo(rounds.lastRound());
    }
  }

  private static void insert(Connection connection, ProductShard shard, long key) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO `%s`.`%s` (product_id, name, category, price, stock, view_count, on_sale)"
                  .formatted(shard.database(), shard.table())
              + " VALUES (%d, '기다린 상품', 'food', 1.00, 1, 0, 1)".formatted(key));
    }
  }

  private static Instant serverTime(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT CAST(SYSDATE(6) AS CHAR)")) {
      found.next();
      return LocalDateTime.parse(found.getString(1).replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }
  }
}
