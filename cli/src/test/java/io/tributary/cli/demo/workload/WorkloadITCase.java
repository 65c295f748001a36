package io.tributary.cli.demo.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadITCase {
  private static final int ROWS = 5_001;

  @TempDir static Path stackFolder;

  private static LocalStack stack;
  private static List<ProductShard> shards;

  @BeforeAll
  static void startServer() {
    stack =
        LocalStack.start(
            LocalStackConfig.in(stackFolder).withOnly(Service.MARIADB).withMariaDbServers(1));
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(1);
    shards =
        List.of(
            ProductShard.on(server, 0, "shop", "products_000"),
            ProductShard.on(server, 1, "shop", "products_001"));
  }

  @AfterAll
  static void stopServer() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void loadsAllRowsAndThenChangesThem() throws Exception {
    ProductLoader loader = new ProductLoader(shards, 7);
    AtomicLong progress = new AtomicLong();
    loader.createTables();
    loader.load(ROWS, progress::addAndGet);

    assertThat(progress).hasValue(ROWS);
    assertThat(loader.tablesExist()).isTrue();
    assertThat(rows(0)).isEqualTo(2_501);
    assertThat(rows(1)).isEqualTo(2_500);

    Queue<Commit> journal = new ConcurrentLinkedQueue<>();
    LiveWorkload workload = LiveWorkload.start(shards, new WorkloadConfig(7, 300), journal::add);
    while (workload.transactions() < 200) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    WorkloadSummary summary = workload.stop();

    assertThat(summary.transactions()).isEqualTo(journal.size()).isGreaterThanOrEqualTo(200);
    assertThat(summary.inserts()).isPositive();
    assertThat(summary.updates()).isPositive();
    assertThat(summary.deletes()).isPositive();
    assertThat(summary.keyUpdates()).isPositive();
    assertThat(rows(0) + rows(1)).isEqualTo(ROWS + summary.inserts() - summary.deletes());
    assertThat(journal).allMatch(commit -> !commit.after().isBefore(commit.before()));
    Instant last = journal.stream().map(Commit::after).max(Instant::compareTo).orElseThrow();
    assertThat(summary.lastCommit()).contains(last);
  }

  private static long rows(int shard) throws SQLException {
    try (Connection connection = shards.get(shard).server().connect();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT COUNT(*) FROM " + shards.get(shard).quotedName())) {
      result.next();
      return result.getLong(1);
    }
  }
}
