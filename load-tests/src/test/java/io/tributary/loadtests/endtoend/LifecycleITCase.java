package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.LakeTable;
import io.tributary.cli.demo.StatusLog;
import io.tributary.cli.demo.StatusWatcher;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.loadtests.chaos.CommitJournal;
import io.tributary.loadtests.chaos.WatermarkCheck;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.protocol.reader.CommitStatusTail;
import io.tributary.protocol.reader.TailStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Shards of three groups come, pause, come back, move, are read again and leave, as an operator
 * does it, by the registry and the command line, while all of them are written to.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LifecycleITCase {
  private static final Path OUTPUTS = Path.of("target", "lifecycle");
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final GroupName SOUTH = new GroupName("south");

  /** West and south read the first server, east the second one. */
  private static final List<GroupName> GROUPS = List.of(WEST, EAST, SOUTH);

  private static final ShardId SIBLING = new ShardId(0);
  private static final ShardId PAUSED = new ShardId(1);
  private static final ShardId MOVED = new ShardId(2);
  private static final ShardId RESYNCED = new ShardId(5);
  private static final ShardId RETIRED = new ShardId(10);
  private static final ShardId ADDED_SMALL = new ShardId(3);
  private static final ShardId ADDED_LARGE = new ShardId(6);
  private static final Set<ShardId> NOT_THERE_AT_FIRST =
      Set.of(ADDED_SMALL, ADDED_LARGE, new ShardId(7), new ShardId(11));
  private static final Set<ShardId> UNUSED = Set.of(new ShardId(7), new ShardId(11));
  private static final int SHARDS_PER_GROUP = 4;
  private static final long ROWS_OF_EACH = 500;
  private static final Duration INTERVAL = Duration.ofSeconds(3);

  /** Above all keys that the workload knows. */
  private static final long FIRST_LOST_KEY = 1_000_000_000L;

  private static final int LOST_ROWS = 200;

  private final LocalStack stack;
  private final Map<ShardId, String> entries = new TreeMap<>();
  private final List<Step> steps = new ArrayList<>();
  private Pipeline pipeline;
  private int calls;

  LifecycleITCase(LocalStack stack) {
    this.stack = stack;
  }

  /** What was done from one time to another, and which groups it was about. */
  private record Step(String what, Set<GroupName> concerned, Instant from, Instant to) {}

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  @Test
  void shardsComePauseMoveAreReadAgainAndLeaveUnderLoad() throws Exception {
    live(40_000);
  }

  @Test
  @Tag("long")
  void soDoesOneOfAMillionRows() throws Exception {
    live(1_000_000);
  }

  private void live(long rowsOfTheLarge) throws Exception {
    entries.clear();
    steps.clear();
    Landscape landscape =
        Landscape.of(
                stack.endpoints(),
                "e2e_lifecycle_" + rowsOfTheLarge,
                GROUPS.stream().map(GroupName::value).toList(),
                SHARDS_PER_GROUP)
            .withCheckpointInterval(INTERVAL);
    List<ProductShard> shards =
        landscape.shards().stream().filter(shard -> !UNUSED.contains(shard.shard())).toList();
    load(shards, rowsOfTheLarge);
    for (GroupName group : GROUPS) {
      for (ShardId shard : landscape.shardsOf(group)) {
        if (!NOT_THERE_AT_FIRST.contains(shard)) {
          entry(shard, group, "");
        }
      }
    }
    CommitJournal journal = new CommitJournal();
    try (Pipeline jobs = new Pipeline(stack, landscape)) {
      pipeline = jobs;
      jobs.publish(landscape, this::withEntries);
      String topic = jobs.registry().table(landscape.table()).statusTopic();
      StatusLog log = new StatusLog();
      try (RoundLog rounds =
              new RoundLog(stack.endpoints().kafkaBootstrapServers(), topic, openLake());
          WatermarkCheck check = new WatermarkCheck(openLake(), journal);
          StatusWatcher watcher =
              new StatusWatcher(
                  stack.endpoints().kafkaBootstrapServers(),
                  topic,
                  log,
                  Clock.systemUTC(),
                  check::accept);
          LiveWorkload workload =
              LiveWorkload.start(shards, new WorkloadConfig(7, 90), journal::add)) {
        jobs.submitCoordinator();
        GROUPS.forEach(jobs::submit);
        jobs.awaitWatermark(Instant.now());
        loseRows();

        step("add", Set.of(WEST, EAST), this::add);
        step("pause", Set.of(WEST), this::pause);
        step("resume", Set.of(WEST), this::resume);
        step("move", Set.of(WEST, SOUTH), this::move);
        step("resync", Set.of(EAST), this::resync);
        step("retire", Set.of(SOUTH), this::retire);

        Instant last = workload.stop().lastCommit().orElseThrow();
        TableState end = jobs.awaitWatermark(last);
        assertThat(entries.keySet())
            .filteredOn(shard -> !shard.equals(RETIRED))
            .allMatch(shard -> covered(end, shard));
        VerifyReport report = jobs.verify();
        assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
        assertThat(report.notCompared()).containsExactly(RETIRED);
        long round = end.round().value();
        jobs.await("the message of round " + round, () -> rounds.lastRound() >= round);
        jobs.await("a look at round " + round, () -> check.checkedRound() >= round);
        assertThat(check.failure()).isEmpty();
        assertThat(check.problems()).isEmpty();
        assertThat(journal.violations()).isEmpty();
        assertThat(journal.checked()).isGreaterThan(1_000);
        assertThat(rounds.problems()).isEmpty();
        watcher.check();
        tellLags(landscape);
        System.out.printf(
            "%s: %,d rows, %d rounds, %,d transactions looked for at the watermark%n",
            landscape.name(), report.sourceRows(), round, journal.checked());
      }
    }
  }

  private LakeTable openLake() {
    return LakeTable.open(pipeline.registry().catalog(), pipeline.landscape().table());
  }

  private void load(List<ProductShard> shards, long rowsOfTheLarge) throws Exception {
    new ProductLoader(shards, 7).createTables();
    List<ProductShard> others =
        shards.stream().filter(shard -> !shard.shard().equals(ADDED_LARGE)).toList();
    new ProductLoader(others, 7).load(ROWS_OF_EACH * others.size(), rows -> {});
    List<ProductShard> large =
        shards.stream().filter(shard -> shard.shard().equals(ADDED_LARGE)).toList();
    new ProductLoader(large, 7).load(rowsOfTheLarge, rows -> {});
  }

  /** Rows that the table gets and that vanish at the source, of which no binlog tells. */
  private void loseRows() throws Exception {
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(2);
    String table =
        "`%s`.`%s`"
            .formatted(pipeline.landscape().name(), pipeline.landscape().table(RESYNCED.value()));
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      String columns = copiedColumns(connection);
      for (int i = 0; i < LOST_ROWS; i++) {
        statement.execute(
            "INSERT INTO %1$s (product_id, %2$s) SELECT %3$d, %2$s FROM %1$s LIMIT 1"
                .formatted(table, columns, FIRST_LOST_KEY + i));
      }
      pipeline.awaitWatermark(Instant.now());
      assertThat(lostRowsInTable()).isEqualTo(LOST_ROWS);
      statement.execute("SET SESSION sql_log_bin = 0");
      assertThat(
              statement.executeUpdate(
                  "DELETE FROM %s WHERE product_id >= %d".formatted(table, FIRST_LOST_KEY)))
          .isEqualTo(LOST_ROWS);
    }
  }

  private String copiedColumns(Connection connection) throws Exception {
    List<String> columns = new ArrayList<>();
    try (var found =
        connection
            .getMetaData()
            .getColumns(
                pipeline.landscape().name(),
                null,
                pipeline.landscape().table(RESYNCED.value()),
                null)) {
      while (found.next()) {
        if (!found.getString("COLUMN_NAME").equals("product_id")) {
          columns.add("`" + found.getString("COLUMN_NAME") + "`");
        }
      }
    }
    return String.join(", ", columns);
  }

  private long lostRowsInTable() throws Exception {
    return TableRows.upToKey(pipeline.table(), RESYNCED.value(), Long.MAX_VALUE)
        - TableRows.upToKey(pipeline.table(), RESYNCED.value(), FIRST_LOST_KEY - 1);
  }

  private void add() throws Exception {
    entry(ADDED_SMALL, WEST, "");
    entry(ADDED_LARGE, EAST, "");
    apply();
    resubmit(WEST);
    resubmit(EAST);
    TableState end =
        pipeline.awaitState(
            "the added shards to count",
            state -> covered(state, ADDED_SMALL) && covered(state, ADDED_LARGE));
    assertThat(covered(end, SIBLING)).isTrue();
  }

  private void pause() throws Exception {
    entry(PAUSED, WEST, "state: paused");
    apply();
    resubmit(WEST);
    TableState end = pipeline.awaitWatermark(Instant.now());
    assertThat(phase(end, PAUSED)).isEqualTo(ShardPhase.PAUSED);
    assertThat(covered(end, PAUSED)).isFalse();
  }

  private void resume() throws Exception {
    entry(PAUSED, WEST, "");
    apply();
    resubmit(WEST);
    pipeline.awaitState("the resumed shard to count", state -> covered(state, PAUSED));
  }

  private void move() throws Exception {
    entry(MOVED, SOUTH, "");
    apply();
    resubmit(WEST);
    resubmit(SOUTH);
    TableState end =
        pipeline.awaitState(
            "the moved shard to count with its new group",
            state -> covered(state, MOVED) && owner(state, MOVED).equals(SOUTH));
    assertThat(covered(end, SIBLING)).isTrue();
  }

  private void resync() throws Exception {
    assertThat(lostRowsInTable()).isEqualTo(LOST_ROWS);
    entry(RESYNCED, EAST, "resync: 1");
    apply();
    resubmit(EAST);
    Instant since = Instant.now();
    pipeline.awaitState(
        "the shard to count that is read again",
        state ->
            covered(state, RESYNCED)
                && state
                    .shard(RESYNCED)
                    .flatMap(ShardState::watermark)
                    .filter(reached -> reached.instant().isAfter(since))
                    .isPresent());
    assertThat(lostRowsInTable()).isZero();
  }

  private void retire() throws Exception {
    entry(RETIRED, SOUTH, "state: retired");
    apply();
    resubmit(SOUTH);
    TableState end = pipeline.awaitWatermark(Instant.now());
    assertThat(phase(end, RETIRED)).isEqualTo(ShardPhase.RETIRED);
  }

  /** Does something to some groups; the others' jobs are the same afterwards and never failed. */
  private void step(String what, Set<GroupName> concerned, Work work) throws Exception {
    Map<GroupName, String> before = new HashMap<>();
    GROUPS.forEach(group -> before.put(group, pipeline.job(group)));
    Instant from = Instant.now();
    work.run();
    steps.add(new Step(what, concerned, from, Instant.now()));
    for (GroupName group : GROUPS) {
      if (!concerned.contains(group)) {
        assertThat(pipeline.job(group))
            .as("job of %s, %s", group, what)
            .isEqualTo(before.get(group));
        assertThat(pipeline.isRunning(group.value())).as("%s, %s", group, what).isTrue();
        assertThat(pipeline.failures(group.value())).as("%s, %s", group, what).isEmpty();
      }
    }
  }

  /** How far groups lagged while others were concerned; figures, and no reason to fail. */
  private void tellLags(Landscape landscape) {
    Map<String, Duration> most = new TreeMap<>();
    try (CommitStatusReader reader =
            new CommitStatusReader(
                Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()));
        CommitStatusTail tail = reader.tail(landscape.table(), TailStart.beginning())) {
      for (Optional<CommitStatus> next = tail.poll(Duration.ofSeconds(20));
          next.isPresent();
          next = tail.poll(Duration.ofSeconds(2))) {
        CommitStatus status = next.get();
        for (Step step : steps) {
          if (status.committedAt().isAfter(step.from())
              && status.committedAt().isBefore(step.to())) {
            status.shards().stream()
                .filter(shard -> shard.phase() == ShardPhase.ACTIVE)
                .filter(shard -> !step.concerned().contains(shard.group()))
                .forEach(
                    shard ->
                        most.merge(
                            step.what(),
                            Duration.between(
                                shard.watermark().orElseThrow().instant(), status.committedAt()),
                            (one, other) -> one.compareTo(other) > 0 ? one : other));
          }
        }
      }
    }
    most.forEach(
        (what, lag) ->
            System.out.printf(
                "%s: %s: groups not concerned were at most %.1f s behind, %.1f intervals%n",
                landscape.name(),
                what,
                lag.toMillis() / 1e3,
                (double) lag.toMillis() / INTERVAL.toMillis()));
  }

  private void entry(ShardId shard, GroupName group, String more) {
    entries.put(shard, group + (more.isEmpty() ? "" : ", " + more));
  }

  /** The registry with a line for each shard. */
  private String withEntries(String yaml) {
    Landscape landscape = pipeline.landscape();
    String head =
        yaml.lines()
            .filter(line -> !line.contains("- {group: "))
            .collect(Collectors.joining("\n", "", "\n"));
    StringBuilder text = new StringBuilder(head);
    entries.forEach(
        (shard, entry) ->
            text.append(
                "  - {group: %s, server: %s, database: %s, table: %s, number: %d}%n"
                    .formatted(
                        entry,
                        landscape.serverOf(
                            landscape.groups().get(shard.value() / SHARDS_PER_GROUP)),
                        landscape.name(),
                        landscape.table(shard.value()),
                        shard.value())));
    return text.toString();
  }

  private void apply() throws Exception {
    Path file = OUTPUTS.resolve("registry-" + ++calls + ".yaml");
    Files.createDirectories(OUTPUTS);
    Files.writeString(file, withEntries(pipeline.landscape().yaml()));
    call("registry", "apply", file.toAbsolutePath().toString(), "--yes");
  }

  private void resubmit(GroupName group) throws Exception {
    pipeline.forget(group.value());
    String output = call("run-group", group.value(), "--take-over", "-o", "json");
    pipeline.adopt(group, new ObjectMapper().readTree(output).get("jobId").asText());
  }

  private String call(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "--folder", stack.folder().toString(), "--zookeeper", pipeline.zooKeeper().toString()));
    try (CommandLine line = CommandLine.start(OUTPUTS.resolve(++calls + ".txt"), all)) {
      assertThat(line.await(5)).as(line.output()).isZero();
      System.out.println(line.output());
      return line.output();
    }
  }

  private static ShardPhase phase(TableState state, ShardId shard) {
    return state.shard(shard).map(ShardState::phase).orElse(null);
  }

  private static GroupName owner(TableState state, ShardId shard) {
    return state.shard(shard).map(ShardState::group).orElse(null);
  }

  private static boolean covered(TableState state, ShardId shard) {
    return state.shard(shard).filter(ShardState::covered).isPresent();
  }
}
