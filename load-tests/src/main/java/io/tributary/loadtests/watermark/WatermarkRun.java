package io.tributary.loadtests.watermark;

import io.tributary.cli.LakeTable;
import io.tributary.coordinator.CoordinatorJob;
import io.tributary.ingest.IngestJob;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.loadtests.fuzz.JobCluster;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Watermark;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.protocol.reader.CommitStatusTail;
import io.tributary.protocol.reader.TailStart;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;

/**
 * Eight shards on two servers, one 20 s ahead of us and one 30 s behind, each with clients of all
 * tempers and a clock that is set back and forth; two groups and a coordinator, all with
 * checkpoints every 500 ms; and a look at each message and its snapshot.
 */
final class WatermarkRun implements AutoCloseable {
  private static final int SERVERS = 2;
  private static final int SHARDS_EACH = 4;
  private static final int QUICK_EACH = 4;
  private static final int PATIENT_EACH = 3;
  private static final List<Duration> FIRST_OFFSETS =
      List.of(Duration.ofSeconds(20), Duration.ofSeconds(-30));
  private static final Duration MOST_AHEAD = SourceSpec.Timing.DEFAULT.clockAhead();
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final String DATABASE = "clocks";
  private static final TableName TABLE = new TableName("clocks.rows");

  private final Path folder;
  private final Consumer<String> progress;
  private final List<SteppedClock> clocks = new ArrayList<>();
  private final List<ClockStep> steps = new ArrayList<>();
  private final WatermarkAudit audit = new WatermarkAudit(MOST_AHEAD);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final LocalStack stack;

  /** Each shard's newest watermark, in microseconds; as far as messages were followed. */
  private volatile Map<ShardId, Long> reached = Map.of();

  private volatile boolean complete;
  private volatile int messages;
  private final List<Long> gapsMillis = new ArrayList<>();

  /**
   * @param library libfaketime
   * @param folder of the servers, emptied first
   */
  WatermarkRun(Path library, Path folder, Consumer<String> progress) throws Exception {
    this.folder = folder;
    this.progress = progress;
    Files.createDirectories(folder);
    LocalStackConfig config =
        LocalStackConfig.in(folder.resolve("stack"))
            .withOnly(Service.MARIADB, Service.KAFKA, Service.METASTORE)
            .withMariaDbServers(SERVERS)
            .withWipe(true)
            .withStartTimeout(START_TIMEOUT);
    for (int server = 1; server <= SERVERS; server++) {
      SteppedClock clock = new SteppedClock(server, library, folder, FIRST_OFFSETS.get(server - 1));
      clocks.add(clock);
      config = config.withEnvironment("mariadb-" + server, clock.environment());
    }
    this.stack = LocalStack.start(config, progress);
  }

  /**
   * Runs until so many pairs of shard and message were checked and all kinds of steps were made.
   *
   * @param plan when clocks are set
   */
  WatermarkResult run(long pairs, int leastSteps, ClockPlan plan) throws Exception {
    makeTables();
    Path file = folder.resolve("registry.yaml");
    Files.writeString(file, yaml());
    Registry registry = RegistryParser.parseFile(file);
    AtomicBoolean over = new AtomicBoolean();
    AtomicBoolean followed = new AtomicBoolean();
    List<TransactionWriter> writers = writers(over);
    try (JobCluster cluster = new JobCluster(folder.resolve("checkpoints"), 1, 4)) {
      List<JobID> jobs = new ArrayList<>();
      jobs.add(
          cluster.submit(
              Optional.empty(),
              () -> CoordinatorJob.main(new String[] {"--registry-file", file.toString()})));
      for (int server = 1; server <= SERVERS; server++) {
        String group = group(server);
        jobs.add(
            cluster.submit(
                Optional.empty(),
                () ->
                    IngestJob.main(
                        new String[] {"--registry-file", file.toString(), "--group", group})));
      }
      Future<?> follower =
          threads.submit(
              () -> {
                follow(registry, followed);
                return null;
              });
      await(follower, "the initial snapshots", () -> complete);
      progress.accept("initial snapshots complete; clients and clocks begin");
      long begin = System.nanoTime();
      List<Future<?>> running = new ArrayList<>();
      writers.forEach(writer -> running.add(threads.submit(writer)));
      setClocks(pairs, leastSteps, plan, follower, running);
      over.set(true);
      for (Future<?> one : running) {
        one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
      List<SourceCommit> commits =
          writers.stream().flatMap(writer -> writer.commits().stream()).toList();
      // Nobody waits until the time has come that a clock showed which was an hour ahead.
      long believed = micros(Instant.now().plus(MOST_AHEAD));
      List<SourceCommit> awaited =
          commits.stream().filter(commit -> commit.confirmedMicros() <= believed).toList();
      Map<Integer, Long> last = lastShown(awaited);
      await(
          follower,
          "watermarks past the last commit",
          () ->
              reached.entrySet().stream()
                  .allMatch(entry -> entry.getValue() > last.get(server(entry.getKey()))));
      followed.set(true);
      follower.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      for (JobID job : jobs) {
        cluster.cancel(job);
      }
      audit.check(commits, steps);
      return result(commits, (long) commits.size() - awaited.size(), seconds);
    } finally {
      over.set(true);
      followed.set(true);
    }
  }

  private WatermarkResult result(List<SourceCommit> commits, long farAhead, long seconds) {
    return new WatermarkResult(
        audit.messages(),
        audit.pairs(),
        commits.size(),
        commits.stream().mapToLong(commit -> commit.rows().size()).sum(),
        audit.checked(),
        audit.repeatedTimes(),
        farAhead,
        steps.stream().filter(step -> step.shiftMicros() < 0).count(),
        steps.stream().filter(step -> step.shiftMicros() > 0).count(),
        audit.missing(),
        audit.wrongTimes(),
        audit.violations(),
        gapsMillis.stream().sorted().skip(gapsMillis.size() / 2).findFirst().orElse(0L),
        seconds);
  }

  /** By server, what its clock has shown at most when its last transaction was committed. */
  private Map<Integer, Long> lastShown(List<SourceCommit> commits) {
    Map<Integer, Long> last = new HashMap<>();
    commits.forEach(
        commit -> last.merge(commit.server(), WatermarkAudit.shown(commit, steps), Math::max));
    return last;
  }

  private void setClocks(
      long pairs, int leastSteps, ClockPlan plan, Future<?> follower, List<Future<?>> writers)
      throws Exception {
    int made = 0;
    while (made < leastSteps || (long) messages * SERVERS * SHARDS_EACH < pairs) {
      pause(plan.every(), follower, writers);
      ClockPlan.Step step = plan.step(made++);
      SteppedClock clock = clocks.get(step.server() - 1);
      Duration before = clock.offset();
      set(clock, before.plus(step.shift()));
      if (step.corrected()) {
        pause(plan.correctedAfter(), follower, writers);
        set(clock, before);
      }
    }
    pause(plan.every(), follower, writers);
  }

  private void set(SteppedClock clock, Duration offset) throws Exception {
    ClockStep step = clock.step(stack.endpoints().mariaDb(clock.server()), offset, MOST_AHEAD);
    steps.add(step);
    progress.accept(
        "clock of server %d set to %s ahead of ours; %d messages so far"
            .formatted(clock.server(), offset, messages));
  }

  private static void pause(Duration length, Future<?> follower, List<Future<?>> writers)
      throws Exception {
    TimeUnit.MILLISECONDS.sleep(length.toMillis());
    for (Future<?> writer : writers) {
      throwIfFailed(writer);
    }
    throwIfFailed(follower);
  }

  private static void throwIfFailed(Future<?> thread) throws Exception {
    if (thread.isDone()) {
      thread.get();
    }
  }

  @FunctionalInterface
  private interface Condition {
    boolean holds();
  }

  private static void await(Future<?> follower, String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      throwIfFailed(follower);
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "Cannot go on: expected %s within %s, found none".formatted(what, PATIENCE));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
  }

  /** Takes message after message and looks at its snapshot. */
  private void follow(Registry registry, AtomicBoolean over) throws Exception {
    Optional<Instant> last = Optional.empty();
    try (CommitStatusReader reader =
            new CommitStatusReader(
                Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()));
        CommitStatusTail tail = reader.tail(TABLE, TailStart.beginning());
        LakeTable lake = LakeTable.open(registry.catalog(), TABLE)) {
      AddedRows added = null;
      while (true) {
        Optional<CommitStatus> next = tail.poll(Duration.ofSeconds(1));
        if (next.isEmpty()) {
          if (over.get()) {
            return;
          }
          continue;
        }
        Instant received = Instant.now();
        CommitStatus status = next.get();
        if (added == null) {
          added = new AddedRows(lake.load().orElseThrow());
        }
        audit.announced(
            Announcement.of(status, received),
            status.snapshot().isPresent() ? added.upTo(status.snapshot().get().id()) : List.of());
        Map<ShardId, Long> now = new TreeMap<>();
        status
            .shards()
            .forEach(
                shard ->
                    now.put(
                        shard.shard(), shard.watermark().map(Watermark::toEpochMicros).orElse(0L)));
        reached = now;
        if (status.validThrough().isPresent()) {
          complete = true;
          messages++;
          last.ifPresent(
              before -> gapsMillis.add(Duration.between(before, status.committedAt()).toMillis()));
          last = Optional.of(status.committedAt());
        }
        if (over.get()) {
          return;
        }
      }
    }
  }

  private List<TransactionWriter> writers(AtomicBoolean over) {
    List<TransactionWriter> writers = new ArrayList<>();
    for (int server = 1; server <= SERVERS; server++) {
      for (int i = 0; i < QUICK_EACH + PATIENT_EACH; i++) {
        writers.add(
            new TransactionWriter(
                writers.size() + 1,
                i >= QUICK_EACH,
                server,
                stack.endpoints().mariaDb(server),
                DATABASE,
                shards(server),
                over));
      }
    }
    return writers;
  }

  private void makeTables() throws Exception {
    for (int server = 1; server <= SERVERS; server++) {
      try (Connection connection = stack.endpoints().mariaDb(server).connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE " + DATABASE);
        for (ShardId shard : shards(server)) {
          String table = DATABASE + "." + TransactionWriter.table(shard);
          statement.execute("CREATE TABLE " + table + " (id BIGINT PRIMARY KEY, pad VARCHAR(8))");
          statement.execute("INSERT INTO " + table + " VALUES (1, 'first')");
        }
      }
    }
  }

  private static int server(ShardId shard) {
    return shard.value() / SHARDS_EACH + 1;
  }

  private static List<ShardId> shards(int server) {
    int first = (server - 1) * SHARDS_EACH;
    return IntStream.range(first, first + SHARDS_EACH).mapToObj(ShardId::new).toList();
  }

  private static String group(int server) {
    return "group-" + server;
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private String yaml() {
    StackEndpoints at = stack.endpoints();
    return """
        catalog:
          uri: %s
          warehouse: %s
          properties: {clients: "8"}
        kafka:
          bootstrap-servers: %s
        coordinator:
          checkpoint-interval: 500 ms
          idle-round-interval: 500 ms
        servers:
        %stables:
          %s:
            bucket-column: id
            bucket-count: 1
        groups:
        %sshards:
        %s"""
        .formatted(
            at.metastoreUri(),
            at.warehouse(),
            at.kafkaBootstrapServers(),
            each(this::serverSection),
            TABLE,
            each(this::groupSection),
            each(this::shardSection));
  }

  private static String each(IntFunction<String> section) {
    return IntStream.rangeClosed(1, SERVERS).mapToObj(section).collect(Collectors.joining());
  }

  private String serverSection(int server) {
    StackEndpoints.MariaDb at = stack.endpoints().mariaDb(server);
    return "  %s: {hostname: %s, port: %d, username: %s, password: {file: %s}}\n"
        .formatted(at.name(), at.host(), at.port(), at.cdc().name(), at.cdc().passwordFile());
  }

  private String groupSection(int server) {
    return "  %s:\n    table: %s\n    checkpoint-interval: 500 ms\n    server-id: {%s: 5401-5401}\n"
        .formatted(group(server), TABLE, stack.endpoints().mariaDb(server).name());
  }

  private String shardSection(int server) {
    return shards(server).stream()
        .map(
            shard ->
                "  - {number: %s, group: %s, server: %s, database: %s, table: %s}\n"
                    .formatted(
                        shard,
                        group(server),
                        stack.endpoints().mariaDb(server).name(),
                        DATABASE,
                        TransactionWriter.table(shard)))
        .collect(Collectors.joining());
  }

  @Override
  public void close() {
    threads.shutdownNow();
    stack.close();
  }
}
