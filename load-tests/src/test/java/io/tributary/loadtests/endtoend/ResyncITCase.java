package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A shard changed without a word in the binlog, as when a purged one held what was changed: nothing
 * but a new copy brings it right. It replaces the old one at once, also when the job that copies
 * dies in the midst of it.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResyncITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final ShardId SIBLING = new ShardId(0);
  private static final ShardId RESYNCED = new ShardId(1);
  private static final int SHARDS_PER_GROUP = 2;
  private static final long ROWS_OF_EACH = 500;
  private static final long ROWS_OF_RESYNCED = 8_000;

  /** The copy takes about ten checkpoints. */
  private static final int ROWS_PER_SECOND = 800;

  private static final long GONE = ROWS_OF_RESYNCED / 10;
  private static final long CAME = 300;

  /** What every row of the new copy has, and none of the old. */
  private static final String MARK = "of the new copy";

  private final LocalStack stack;

  ResyncITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void aShardIsCopiedAnewAndReadersSeeItsOldRowsOrItsNewOnes() throws Exception {
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_resync", List.of("west", "east"), SHARDS_PER_GROUP)
            .withRowsPerSecond(ROWS_PER_SECOND);
    List<ProductShard> shards = landscape.shards();
    ProductShard resynced = shards.get(RESYNCED.value());
    List<ProductShard> others = shards.stream().filter(shard -> shard != resynced).toList();
    new ProductLoader(shards, 3).createTables();
    new ProductLoader(others, 3).load(ROWS_OF_EACH * others.size(), rows -> {});
    new ProductLoader(List.of(resynced), 3).load(ROWS_OF_RESYNCED, rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape);
        RoundLog rounds =
            new RoundLog(
                stack.endpoints().kafkaBootstrapServers(),
                pipeline.registry().table(landscape.table()).statusTopic(),
                LakeTable.open(pipeline.registry().catalog(), landscape.table()));
        LiveWorkload workload =
            LiveWorkload.start(others, new WorkloadConfig(3, 40), commit -> {})) {
      pipeline.submitCoordinator();
      pipeline.submit(WEST);
      pipeline.submit(EAST);
      pipeline.awaitWatermark(Instant.now());
      String east = pipeline.job(EAST);

      pipeline.cancel(WEST.value());
      pipeline.await("all of west to be committed", () -> pipeline.pendingEpochs(WEST) == 0);
      changeUnseen(resynced);
      pipeline.submit(WEST);
      pipeline.awaitWatermark(Instant.now());
      assertThat(copyOf(pipeline.table(), pipeline.table().currentSnapshot()))
          .as("no binlog says what changed")
          .isEqualTo(Copy.OLD);

      TableState before = pipeline.state().orElseThrow();
      pipeline.publish(
          landscape,
          yaml ->
              yaml.replace("products_{000..001}\"}", "products_{000..001}\", resync-of: {1: 1}}"));
      pipeline.cancel(WEST.value());
      pipeline.await("all of west to be committed", () -> pipeline.pendingEpochs(WEST) == 0);
      long last = pipeline.table().currentSnapshot().sequenceNumber();
      try (Load load = new Load(resynced)) {
        pipeline.submit(WEST);
        TableState copying =
            pipeline.awaitState(
                "a part of the new copy",
                state ->
                    phase(state, RESYNCED) == ShardPhase.SNAPSHOT && copied(state, RESYNCED) > 0);
        assertThat(covered(copying, RESYNCED)).isFalse();
        assertThat(copying.shard(RESYNCED).orElseThrow().resync()).isZero();
        Instant seen = Instant.now();
        TableState flowing =
            pipeline.awaitState(
                "changes of its sibling", state -> watermark(state, SIBLING).isAfter(seen));
        assertThat(phase(flowing, RESYNCED)).as("copied still").isEqualTo(ShardPhase.SNAPSHOT);
        assertThat(copied(flowing, RESYNCED)).isLessThan(ROWS_OF_RESYNCED - GONE + CAME);
        assertThat(flowing.validThrough().orElseThrow())
            .isGreaterThan(before.validThrough().orElseThrow());
        assertThat(flowing.group(EAST).orElseThrow().epoch())
            .isGreaterThan(before.group(EAST).orElseThrow().epoch());

        long restores = pipeline.restores(WEST.value());
        stack.process(pipeline.taskManagerOf(WEST.value())).kill9();
        pipeline.await(
            "the restored job of west",
            () -> pipeline.isRunning(WEST.value()) && pipeline.restores(WEST.value()) > restores);

        TableState whole =
            pipeline.awaitState("the new copy to count", state -> covered(state, RESYNCED));
        assertThat(whole.shard(RESYNCED).orElseThrow().resync()).isEqualTo(1);
        load.stop();
      }
      Instant end = workload.stop().lastCommit().orElseThrow();
      TableState done = pipeline.awaitWatermark(end.isAfter(Instant.now()) ? end : Instant.now());

      List<Copy> seen = new ArrayList<>();
      Table table = pipeline.table();
      for (Snapshot snapshot : since(table, last)) {
        Copy copy = copyOf(table, snapshot);
        if (seen.isEmpty() || seen.get(seen.size() - 1) != copy) {
          seen.add(copy);
        }
      }
      assertThat(seen).containsExactly(Copy.OLD, Copy.NEW);
      VerifyReport report = pipeline.verify();
      assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
      assertThat(pipeline.job(EAST)).isEqualTo(east);
      long round = done.round().value();
      pipeline.await("the message of round " + round, () -> rounds.lastRound() >= round);
      assertThat(rounds.problems()).isEmpty();
    }
  }

  /** What a snapshot shows of the shard. */
  private enum Copy {
    OLD,
    NEW
  }

  private static Copy copyOf(Table table, Snapshot snapshot) throws Exception {
    List<String> brands = TableRows.values(table, snapshot.snapshotId(), RESYNCED.value(), "brand");
    long rows = brands.size();
    long marked = brands.stream().filter(MARK::equals).count();
    boolean old = marked == 0 && rows == ROWS_OF_RESYNCED;
    boolean anew = marked == rows && rows == ROWS_OF_RESYNCED - GONE + CAME;
    assertThat(old || anew)
        .as(
            "snapshot %s (%s) shows %d rows of shard %s, %d of them new",
            snapshot.snapshotId(), snapshot.summary(), rows, RESYNCED, marked)
        .isTrue();
    return old ? Copy.OLD : Copy.NEW;
  }

  /** Main's snapshots from this one on, in order. */
  private static List<Snapshot> since(Table table, long sequence) {
    return StreamSupport.stream(table.snapshots().spliterator(), false)
        .filter(snapshot -> snapshot.sequenceNumber() >= sequence)
        .sorted((a, b) -> Long.compare(a.sequenceNumber(), b.sequenceNumber()))
        .toList();
  }

  /** Rows go, come and change, and the binlog has none of it. */
  private static void changeUnseen(ProductShard shard) throws SQLException {
    String name = shard.database() + "." + shard.table();
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0");
      assertThat(
              statement.executeUpdate("DELETE FROM %s WHERE product_id %% 10 = 3".formatted(name)))
          .isEqualTo((int) GONE);
      String came = shard.database() + ".came";
      statement.execute(
          "CREATE TEMPORARY TABLE %s AS SELECT * FROM %s LIMIT %d".formatted(came, name, CAME));
      statement.execute("UPDATE %s SET product_id = product_id + 1000000".formatted(came));
      statement.execute("INSERT INTO %s SELECT * FROM %s".formatted(name, came));
      statement.execute("UPDATE %s SET brand = '%s'".formatted(name, MARK));
    }
  }

  private static ShardPhase phase(TableState state, ShardId shard) {
    return state.shard(shard).map(ShardState::phase).orElse(null);
  }

  private static long copied(TableState state, ShardId shard) {
    return state.shard(shard).map(ShardState::copiedRows).orElse(0L);
  }

  private static boolean covered(TableState state, ShardId shard) {
    return state.shard(shard).filter(ShardState::covered).isPresent();
  }

  private static Instant watermark(TableState state, ShardId shard) {
    return state
        .shard(shard)
        .flatMap(ShardState::watermark)
        .map(Watermark::instant)
        .orElse(Instant.MIN);
  }

  /** Changes rows of the shard while it is copied. */
  private static final class Load implements AutoCloseable {
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<Long> updates;

    Load(ProductShard shard) {
      updates = thread.submit(() -> update(shard));
    }

    private long update(ProductShard shard) throws Exception {
      long changed = 0;
      try (Connection connection = shard.server().connect();
          PreparedStatement statement =
              connection.prepareStatement(
                  "UPDATE %s.%s SET stock = (stock + 1) %% 1000 WHERE product_id = ?"
                      .formatted(shard.database(), shard.table()))) {
        for (long key = 1; !ended.get(); key = 1 + (key + 2_997) % ROWS_OF_RESYNCED) {
          statement.setLong(1, key);
          changed += statement.executeUpdate();
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
      return changed;
    }

    void stop() throws Exception {
      ended.set(true);
      assertThat(updates.get(1, TimeUnit.MINUTES)).as("rows changed meanwhile").isPositive();
    }

    @Override
    public void close() {
      ended.set(true);
      thread.shutdown();
    }
  }
}
