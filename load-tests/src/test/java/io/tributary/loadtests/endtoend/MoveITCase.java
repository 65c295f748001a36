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
import io.tributary.protocol.GroupState;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Shards go from group to group while all of them are written to and processes are killed. West and
 * east read the first server, north the second; north has no part in it.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MoveITCase {
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final GroupName NORTH = new GroupName("north");
  private static final int SHARDS_PER_SERVER = 4;
  private static final long ROWS = 4_000;

  private static final ShardId STAYS_WEST = new ShardId(0);
  private static final ShardId MOVES = new ShardId(1);
  private static final ShardId FOLLOWS = new ShardId(2);
  private static final ShardId STAYS_EAST = new ShardId(3);

  private final LocalStack stack;
  private final Map<ShardId, GroupName> owners = new TreeMap<>();

  MoveITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void shardsGoFromGroupToGroupWhileTheChangesOfAllFlow() throws Exception {
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_move", List.of("west", "north"), SHARDS_PER_SERVER);
    List<ProductShard> shards = landscape.shards();
    ProductLoader loader = new ProductLoader(shards, 7);
    loader.createTables();
    loader.load(ROWS, rows -> {});
    for (int shard = 0; shard < 2 * SHARDS_PER_SERVER; shard++) {
      owners.put(new ShardId(shard), shard < SHARDS_PER_SERVER ? WEST : NORTH);
    }
    owners.put(STAYS_EAST, EAST);
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      publish(pipeline);
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
        pipeline.submit(NORTH);
        pipeline.awaitWatermark(Instant.now());
        String north = pipeline.job(NORTH);

        // The registry alone takes it from west, whose job goes on with its other shards.
        owners.put(MOVES, EAST);
        publish(pipeline);
        TableState waiting =
            pipeline.awaitState(
                "the shard to be east's", state -> owner(state, MOVES).equals(EAST));
        assertThat(shard(waiting, MOVES).ownPosition()).isPresent();
        assertThat(shard(waiting, MOVES).covered()).isFalse();
        Watermark stands = shard(waiting, MOVES).watermark().orElseThrow();
        stack.process(pipeline.taskManagerOf(Pipeline.COORDINATOR)).kill9();
        Instant seen = Instant.now();
        TableState flowing =
            pipeline.awaitState(
                "changes of its siblings behind a killed coordinator",
                state ->
                    List.of(STAYS_WEST, FOLLOWS, STAYS_EAST).stream()
                            .allMatch(sibling -> reached(state, sibling).isAfter(seen))
                        && state.validThrough().filter(w -> w.instant().isAfter(seen)).isPresent());
        assertThat(shard(flowing, MOVES).watermark()).contains(stands);
        assertThat(shard(flowing, MOVES).ownPosition())
            .isEqualTo(shard(waiting, MOVES).ownPosition());
        assertThat(flowing.groups().values()).allMatch(group -> group.halt().isEmpty());

        // Its new owner begins where its rows end, and is killed before it has caught up or soon
        // after; west is submitted anew later.
        resubmit(pipeline, EAST);
        stack.process(pipeline.taskManagerOf(EAST.value())).kill9();
        TableState taken =
            pipeline.awaitState("the moved shard to count", state -> shard(state, MOVES).covered());
        assertThat(shard(taken, MOVES).phase()).isEqualTo(ShardPhase.ACTIVE);
        assertThat(shard(taken, MOVES).move()).isEmpty();
        resubmit(pipeline, WEST);

        // Two groups exchange shards in one edit, and then the last of one group's leaves it.
        owners.put(MOVES, WEST);
        owners.put(FOLLOWS, EAST);
        publish(pipeline);
        resubmit(pipeline, WEST);
        resubmit(pipeline, EAST);
        stack.process(pipeline.taskManagerOf(WEST.value())).kill9();
        pipeline.awaitState(
            "both exchanged shards to count",
            state ->
                owner(state, FOLLOWS).equals(EAST)
                    && owner(state, MOVES).equals(WEST)
                    && shard(state, FOLLOWS).covered()
                    && shard(state, MOVES).covered());
        owners.put(FOLLOWS, WEST);
        owners.put(STAYS_EAST, WEST);
        publish(pipeline);
        resubmit(pipeline, WEST);
        pipeline.awaitState(
            "all shards of the server to count as west's",
            state ->
                List.of(STAYS_WEST, MOVES, FOLLOWS, STAYS_EAST).stream()
                    .allMatch(id -> owner(state, id).equals(WEST) && shard(state, id).covered()));
        assertThat(pipeline.isRunning(EAST.value())).as("read on in vain, and harmless").isTrue();
        pipeline.cancel(EAST.value());

        Instant last = workload.stop().lastCommit().orElseThrow();
        TableState end = pipeline.awaitWatermark(last);
        assertThat(end.shards().values()).allMatch(ShardState::covered);
        assertThat(end.groups().values().stream().map(GroupState::halt)).allMatch(h -> h.isEmpty());
        VerifyReport report = pipeline.verify();
        assertThat(report.verdict()).as("%s", report).isEqualTo("clean");

        assertThat(pipeline.job(NORTH)).isEqualTo(north);
        assertThat(pipeline.isRunning(NORTH.value())).isTrue();
        long round = end.round().value();
        pipeline.await("the message of round " + round, () -> rounds.lastRound() >= round);
        assertThat(rounds.problems()).isEmpty();
      }
    }
  }

  /** Publishes the registry with the shards as they are owned now. */
  private void publish(Pipeline pipeline) {
    Landscape landscape = pipeline.landscape();
    String first = landscape.serverOf(WEST).value();
    String second = landscape.serverOf(NORTH).value();
    String groups =
        group(WEST, first, 5401) + group(EAST, first, 5411) + group(NORTH, second, 5421);
    String shards =
        owners.entrySet().stream()
            .map(
                shard ->
                    "  - {group: %s, server: %s, database: %s, table: %s, number: %d}\n"
                        .formatted(
                            shard.getValue(),
                            shard.getKey().value() < SHARDS_PER_SERVER ? first : second,
                            landscape.name(),
                            landscape.table(shard.getKey().value()),
                            shard.getKey().value()))
            .collect(Collectors.joining());
    pipeline.publish(
        landscape, yaml -> yaml.substring(0, yaml.indexOf("groups:\n")) + groups(groups, shards));
  }

  private static String groups(String groups, String shards) {
    return "groups:\n" + groups + "shards:\n" + shards;
  }

  private String group(GroupName name, String server, int firstId) {
    return owners.containsValue(name)
        ? "  %s: {checkpoint-interval: 1 s, parallelism: 1, server-id: {%s: %d-%d}}\n"
            .formatted(name, server, firstId, firstId + 3)
        : "";
  }

  /** As an operator does it for a group whose shards have changed. */
  private static void resubmit(Pipeline pipeline, GroupName group) {
    pipeline.cancel(group.value());
    pipeline.submit(group);
  }

  private static ShardState shard(TableState state, ShardId shard) {
    return state.shard(shard).orElseThrow();
  }

  private static GroupName owner(TableState state, ShardId shard) {
    return shard(state, shard).group();
  }

  private static Instant reached(TableState state, ShardId shard) {
    return shard(state, shard).watermark().map(Watermark::instant).orElse(Instant.MIN);
  }
}
