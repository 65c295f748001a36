package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.TableState;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One table, 4 shards on 2 servers, a workload that never rests, and processes that are killed one
 * after the other, in the order of the tests. At the end not a row may be missing, there twice or
 * old, and the status topic may not have shown anything of it.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KillITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final long ROWS = 20_000;

  /** Makes the copy last over many checkpoints, whatever the machine. */
  private static final int ROWS_PER_SECOND = 200;

  private static final int GHOSTS = 200;
  private static final long SEED = 20_261_130;
  private static final int TRANSACTIONS_PER_SECOND = 120;

  private final LocalStack stack;
  private Pipeline pipeline;
  private RoundLog rounds;
  private LiveWorkload workload;

  /** What follows an accident that was not survived would only tell the same again. */
  private boolean sound = true;

  KillITCase(LocalStack stack) {
    this.stack = stack;
  }

  @BeforeAll
  void start() throws Exception {
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_kill", List.of("west", "east"), 2)
            .withRowsPerSecond(ROWS_PER_SECOND);
    pipeline = new Pipeline(stack, landscape);
    ProductLoader loader = new ProductLoader(landscape.shards(), SEED);
    loader.createTables();
    loader.load(ROWS, rows -> {});
    rounds =
        new RoundLog(
            stack.endpoints().kafkaBootstrapServers(),
            pipeline.registry().table(landscape.table()).statusTopic(),
            LakeTable.open(pipeline.registry().catalog(), landscape.table()));
    pipeline.submitCoordinator();
    pipeline.submit(WEST);
    workload =
        LiveWorkload.start(
            landscape.shards(), new WorkloadConfig(SEED, TRANSACTIONS_PER_SECOND), commit -> {});
  }

  @AfterAll
  void close() {
    if (workload != null) {
      workload.close();
    }
    if (rounds != null) {
      rounds.close();
    }
    if (pipeline != null) {
      pipeline.close();
    }
  }

  @Test
  @Order(1)
  void anIngestTaskManagerKilledWhileCopyingIsHealedByFlink() throws Exception {
    step(
        () -> {
          TableState before = awaitCopying(WEST);
          String host = pipeline.taskManagerOf(WEST.value());
          long restores = pipeline.restores(WEST.value());
          stack.process(host).kill9();
          assertCopying(WEST);
          pipeline.await(
              "the restored job of west",
              () -> pipeline.isRunning(WEST.value()) && pipeline.restores(WEST.value()) > restores);
          pipeline.awaitState(
              "more copied rows of west",
              state -> pipeline.copiedRows(state, WEST) > pipeline.copiedRows(before, WEST));
          assertThat(pipeline.group(WEST).incarnation())
              .isEqualTo(before.group(WEST).orElseThrow().incarnation());
        });
  }

  @Test
  @Order(2)
  void theCoordinatorKilledWhileShardsAreCopiedIsHealedByFlink() throws Exception {
    step(
        () -> {
          TableState before = pipeline.state().orElseThrow();
          stack.process(pipeline.taskManagerOf(Pipeline.COORDINATOR)).kill9();
          assertCopying(WEST);
          pipeline.awaitState(
              "rounds of a new term",
              state ->
                  state.term().value() > before.term().value()
                      && state.round().value() > before.round().value() + 1);
        });
  }

  @Test
  @Order(3)
  void jobsSubmittedAnewWhileCopyingEmptyThePartitionsFirst() throws Exception {
    step(
        () -> {
          pipeline.submit(EAST);
          TableState before = awaitCopying(EAST);
          ProductShard shard = pipeline.landscape().shards().get(2);
          assertThat(TableRows.upToKey(pipeline.table(), 2, GHOSTS))
              .as("rows of shard 2 that are in the table and will be deleted at their source")
              .isPositive();
          String host = pipeline.taskManagerOf(EAST.value());
          stack.process(host).kill9();
          assertCopying(EAST);
          together(
              () -> pipeline.cancel(Pipeline.COORDINATOR), () -> pipeline.cancel(EAST.value()));
          try (Connection connection = shard.server().connect();
              Statement statement = connection.createStatement()) {
            statement.execute(
                "DELETE FROM `%s`.`%s` WHERE product_id <= %d"
                    .formatted(shard.database(), shard.table(), GHOSTS));
          }
          pipeline.publish(pipeline.landscape().withoutLimit());
          together(() -> pipeline.submit(EAST), pipeline::submitCoordinator);
          TableState after =
              pipeline.awaitState(
                  "the new submission of east",
                  state ->
                      isNewer(state, before, EAST) && state.term().value() > before.term().value());
          assertThat(after.group(EAST).orElseThrow().answer())
              .isEqualTo(HelloAnswer.START_FROM_TABLE);
          pipeline.awaitState(
              "all shards to be active",
              state ->
                  state.shards().size() == 4
                      && state.shards().values().stream()
                          .allMatch(found -> found.phase() == ShardPhase.ACTIVE));
        });
  }

  @Test
  @Order(4)
  void theCoordinatorKilledWithCommittablesPendingIsHealedByFlink() throws Exception {
    step(
        () -> {
          TableState before = pipeline.state().orElseThrow();
          String host = pipeline.taskManagerOf(Pipeline.COORDINATOR);
          // While it is halted, what the groups send stays pending for certain.
          stack.process(host).pause();
          awaitPending();
          stack.process(host).kill9();
          pipeline.awaitState(
              "the rounds of a new term",
              state ->
                  state.term().value() > before.term().value()
                      && state.round().value() > before.round().value() + 1);
          pipeline.awaitWatermark(Instant.now());
        });
  }

  @Test
  @Order(5)
  void jobsSubmittedAnewWithCommittablesPendingLoseNothing() throws Exception {
    step(
        () -> {
          pipeline.cancel(Pipeline.COORDINATOR);
          awaitPending();
          TableState before = pipeline.state().orElseThrow();
          stack.process(pipeline.taskManagerOf(EAST.value())).kill9();
          pipeline.cancel(EAST.value());
          String savepoint = pipeline.stopWithSavepoint(WEST);
          together(
              pipeline::submitCoordinator,
              () -> pipeline.submit(EAST),
              () -> pipeline.submitFrom(savepoint, WEST));
          TableState after =
              pipeline.awaitState(
                  "the new submissions",
                  state -> isNewer(state, before, EAST) && isNewer(state, before, WEST));
          assertThat(after.group(EAST).orElseThrow().answer())
              .isEqualTo(HelloAnswer.START_FROM_TABLE);
          assertThat(after.group(WEST).orElseThrow().answer()).isEqualTo(HelloAnswer.CONTINUE);
          assertThat(after.shards().values())
              .allMatch(shard -> shard.phase() == ShardPhase.ACTIVE, "no second copy");
          pipeline.awaitWatermark(Instant.now());
        });
  }

  @Test
  @Order(6)
  void anIngestTaskManagerAndTheJobManagerKilledAreHealedByFlink() throws Exception {
    step(
        () -> {
          TableState before = pipeline.state().orElseThrow();
          String host = pipeline.taskManagerOf(WEST.value());
          stack.process("jobmanager").kill9();
          stack.process(host).kill9();
          pipeline.await(
              "all jobs under the new JobManager",
              () ->
                  pipeline.isRunning(WEST.value())
                      && pipeline.isRunning(EAST.value())
                      && pipeline.isRunning(Pipeline.COORDINATOR));
          pipeline.awaitWatermark(Instant.now());
          assertThat(pipeline.group(WEST).incarnation())
              .isEqualTo(before.group(WEST).orElseThrow().incarnation());
          assertThat(pipeline.group(EAST).incarnation())
              .isEqualTo(before.group(EAST).orElseThrow().incarnation());
        });
  }

  @Test
  @Order(7)
  void inTheEndEveryRowIsThereOnce() throws Exception {
    step(
        () -> {
          WorkloadSummary summary = workload.stop();
          System.out.println("Workload: " + summary);
          pipeline.awaitWatermark(summary.lastCommit().orElseThrow());
          VerifyReport report = pipeline.verify();
          System.out.println("Verified: " + report);
          assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
          assertThat(report.sourceRows()).isEqualTo(report.tableRows()).isPositive();
        });
  }

  @Test
  @Order(8)
  void theStatusTopicHasEachRoundOnceAndInOrder() throws Exception {
    step(
        () -> {
          long last = pipeline.state().orElseThrow().round().value();
          pipeline.await("the message of round " + last, () -> rounds.lastRound() >= last);
          System.out.printf(
              "Status topic: %d messages, round %d, %d snapshots%n",
              rounds.messages(), rounds.lastRound(), rounds.snapshots());
          assertThat(rounds.problems()).isEmpty();
          assertThat(rounds.messages()).isEqualTo(rounds.lastRound());
          assertThat(rounds.snapshots()).isPositive();
        });
  }

  private interface Step {
    void run() throws Exception;
  }

  private void step(Step step) throws Exception {
    assumeTrue(sound, "An earlier accident was not survived");
    sound = false;
    step.run();
    sound = true;
  }

  private TableState awaitCopying(GroupName group) {
    return pipeline.awaitState(
        "copied rows of " + group, state -> pipeline.copiedRows(state, group) >= 2 * GHOSTS);
  }

  private void assertCopying(GroupName group) {
    TableState now = pipeline.state().orElseThrow();
    assertThat(pipeline.landscape().shardsOf(group))
        .as("shards of %s are still being copied: %s", group, now.shards())
        .allMatch(shard -> now.shard(shard).orElseThrow().phase() == ShardPhase.SNAPSHOT);
  }

  private void awaitPending() {
    for (GroupName group : List.of(WEST, EAST)) {
      pipeline.await("pending committables of " + group, () -> pipeline.pendingEpochs(group) >= 2);
    }
  }

  private static boolean isNewer(TableState state, TableState before, GroupName group) {
    GroupState earlier = before.group(group).orElseThrow();
    return state
        .group(group)
        .filter(now -> now.incarnation().value() > earlier.incarnation().value())
        .isPresent();
  }

  private static void together(Runnable... steps) {
    CompletableFuture<?>[] running = new CompletableFuture<?>[steps.length];
    for (int i = 0; i < steps.length; i++) {
      running[i] = CompletableFuture.runAsync(steps[i], task -> new Thread(task).start());
    }
    CompletableFuture.allOf(running).join();
  }
}
