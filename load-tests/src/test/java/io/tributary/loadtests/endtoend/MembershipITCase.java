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
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Shards come, pause and leave while their siblings' changes flow. */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MembershipITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final ShardId SIBLING = new ShardId(0);
  private static final ShardId PAUSED = new ShardId(1);
  private static final ShardId ADDED = new ShardId(2);
  private static final ShardId RETIRED = new ShardId(3);
  private static final int SHARDS_PER_GROUP = 4;
  private static final long ROWS_OF_EACH = 500;
  private static final long ROWS_OF_ADDED = 30_000;

  /** The copy of the added shard takes about ten checkpoints. */
  private static final int ROWS_PER_SECOND = 3_000;

  private final LocalStack stack;

  MembershipITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void shardsComePauseAndLeaveWhileTheChangesOfOthersFlow() throws Exception {
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_members", List.of("west", "east"), SHARDS_PER_GROUP)
            .withRowsPerSecond(ROWS_PER_SECOND);
    List<ProductShard> shards = landscape.shards();
    load(shards);
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      publish(pipeline, "active", "absent", "active");
      try (RoundLog rounds =
              new RoundLog(
                  stack.endpoints().kafkaBootstrapServers(),
                  pipeline.registry().table(landscape.table()).statusTopic(),
                  LakeTable.open(pipeline.registry().catalog(), landscape.table()));
          LiveWorkload workload =
              LiveWorkload.start(shards, new WorkloadConfig(7, 60), commit -> {})) {
        pipeline.submitCoordinator();
        pipeline.submit(WEST);
        pipeline.submit(EAST);
        pipeline.awaitWatermark(Instant.now());
        String east = pipeline.job(EAST);

        // It is added: its siblings' changes flow while it is copied.
        publish(pipeline, "active", "active", "active");
        resubmit(pipeline, WEST);
        TableState copying =
            pipeline.awaitState(
                "a part of the added shard",
                state -> phase(state, ADDED) == ShardPhase.SNAPSHOT && copied(state, ADDED) > 0);
        Instant seen = Instant.now();
        TableState flowing =
            pipeline.awaitState(
                "changes of its sibling", state -> watermark(state, SIBLING).isAfter(seen));
        assertThat(phase(flowing, ADDED)).as("copied still").isEqualTo(ShardPhase.SNAPSHOT);
        assertThat(copied(flowing, ADDED))
            .isGreaterThanOrEqualTo(copied(copying, ADDED))
            .isLessThan(ROWS_OF_ADDED);
        assertThat(covered(flowing, SIBLING)).isTrue();
        assertThat(covered(flowing, ADDED)).isFalse();
        pipeline.awaitState("the added shard to count", state -> covered(state, ADDED));

        // One is paused, and its rows stay as they are; another leaves for good.
        publish(pipeline, "paused", "active", "retired");
        resubmit(pipeline, WEST);
        Instant away = Instant.now();
        TableState paused = pipeline.awaitWatermark(away);
        assertThat(phase(paused, PAUSED)).isEqualTo(ShardPhase.PAUSED);
        assertThat(phase(paused, RETIRED)).isEqualTo(ShardPhase.RETIRED);
        assertThat(covered(paused, PAUSED)).isFalse();
        List<String> retiredRows = rows(pipeline, RETIRED);
        assertThat(retiredRows).hasSizeGreaterThan(0);

        // It comes back, and counts once it is as far as the table.
        publish(pipeline, "active", "active", "retired");
        resubmit(pipeline, WEST);
        pipeline.awaitState("the resumed shard to count", state -> covered(state, PAUSED));

        Instant last = workload.stop().lastCommit().orElseThrow();
        TableState end = pipeline.awaitWatermark(last);
        assertThat(List.of(SIBLING, PAUSED, ADDED)).allMatch(shard -> covered(end, shard));
        VerifyReport report = pipeline.verify();
        assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
        assertThat(report.notCompared()).containsExactly(RETIRED);
        assertThat(rows(pipeline, RETIRED)).as("rows of the retired shard").isEqualTo(retiredRows);

        assertThat(pipeline.job(EAST)).isEqualTo(east);
        assertThat(pipeline.isRunning(EAST.value())).isTrue();
        assertThat(pipeline.failures(EAST.value())).isEmpty();
        long round = end.round().value();
        pipeline.await("the message of round " + round, () -> rounds.lastRound() >= round);
        assertThat(rounds.problems()).isEmpty();
      }
    }
  }

  private static void load(List<ProductShard> shards) throws Exception {
    ProductLoader all = new ProductLoader(shards, 7);
    all.createTables();
    List<ProductShard> others =
        shards.stream().filter(shard -> !shard.shard().equals(ADDED)).toList();
    new ProductLoader(others, 7).load(ROWS_OF_EACH * others.size(), rows -> {});
    new ProductLoader(List.of(shards.get(ADDED.value())), 7).load(ROWS_OF_ADDED, rows -> {});
  }

  /** Publishes the registry with other states of west's shards; {@code absent} leaves one out. */
  private static void publish(Pipeline pipeline, String paused, String added, String retired) {
    List<String> states = List.of("active", paused, added, retired);
    pipeline.publish(
        pipeline.landscape(),
        yaml ->
            yaml.lines()
                .flatMap(
                    line ->
                        line.contains("{group: west, ")
                            ? IntStream.range(0, SHARDS_PER_GROUP)
                                .filter(shard -> !states.get(shard).equals("absent"))
                                .mapToObj(
                                    shard ->
                                        line.replaceFirst(
                                            "table: .*}",
                                            "table: %s, number: %d, state: %s}"
                                                .formatted(
                                                    pipeline.landscape().table(shard),
                                                    shard,
                                                    states.get(shard))))
                            : Stream.of(line))
                .collect(Collectors.joining("\n", "", "\n")));
  }

  /** As an operator does it for a group whose shards have changed. */
  private static void resubmit(Pipeline pipeline, GroupName group) {
    pipeline.cancel(group.value());
    pipeline.submit(group);
  }

  private static List<String> rows(Pipeline pipeline, ShardId shard) throws Exception {
    return TableRows.ofShard(pipeline.table(), shard.value());
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
}
