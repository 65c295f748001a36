package io.tributary.loadtests.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.loadtests.endtoend.Landscape;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Watermark;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.protocol.reader.CommitStatusTail;
import io.tributary.protocol.reader.TailStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Brings up many groups, lets them work, rest, and be submitted anew. */
final class FleetRun implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

  /** A machine that is busy with other things must not end it. */
  private static final Duration PATIENCE = Duration.ofMinutes(20);

  private static final Duration LOAD = Duration.ofSeconds(60);
  private static final int TRANSACTIONS_PER_SECOND = 200;

  /** Code that has just been loaded is slow. */
  private static final Duration WARM_UP = Duration.ofSeconds(60);

  private static final Duration WINDOW = Duration.ofSeconds(60);
  private static final int WINDOWS = 3;
  private static final long SEED = 7;
  private static final int SLOTS_OF_A_TASK_MANAGER = 8;
  private static final int HEAP_MB = 1_024;

  /** How many times the metaspace is looked at while jobs are submitted anew. */
  private static final int LOOKS = 5;

  private final FleetSize size;
  private final Consumer<String> progress;
  private final Path folder;
  private final LocalStack stack;
  private final Landscape landscape;
  private final Verb verb;
  private long dataRounds;
  private long inOneSnapshot;
  private OptionalLong lastSnapshot = OptionalLong.empty();

  /**
   * @param folder of the servers, emptied first
   * @param progress told what happens
   */
  FleetRun(FleetSize size, Path folder, Consumer<String> progress) throws IOException {
    this.size = size;
    this.folder = folder;
    this.progress = progress;
    // A job that takes over runs beside the one before for a while.
    int taskManagers = (size.groups() + 2 + SLOTS_OF_A_TASK_MANAGER - 1) / SLOTS_OF_A_TASK_MANAGER;
    this.stack =
        LocalStack.start(
            LocalStackConfig.in(folder.resolve("stack"))
                .withMariaDbServers(size.servers())
                .withTaskManagers(taskManagers, SLOTS_OF_A_TASK_MANAGER)
                .withTaskManagerHeapMb(HEAP_MB)
                .withWipe(true)
                .withStartTimeout(START_TIMEOUT),
            progress);
    this.landscape =
        Landscape.of(
                stack.endpoints(),
                "fleet",
                IntStream.range(0, size.groups()).mapToObj("g%02d"::formatted).toList(),
                size.shardsOfAGroup())
            .withCheckpointInterval(size.checkpointInterval());
    this.verb =
        new Verb(
            List.of(
                "--folder",
                stack.folder().toString(),
                "--zookeeper",
                stack.endpoints().zooKeeper() + "/tributary/fleet"),
            folder);
  }

  FleetResult run() throws Exception {
    ProductLoader loader = new ProductLoader(landscape.shards(), SEED);
    loader.createTables();
    loader.load((long) size.rowsOfAShard() * size.shards(), rows -> {});
    progress.accept("%,d rows in %d shards".formatted(loadedRows(), size.shards()));
    Path registry = folder.resolve("registry.yaml");
    Files.writeString(registry, landscape.yaml());
    verb.run("registry", "apply", registry.toString(), "--yes", "--offline");
    Duration runAll = verb.run("run-all").took();
    progress.accept("run-all took %d s".formatted(runAll.toSeconds()));
    try (CommitStatusReader reader =
            new CommitStatusReader(
                Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()));
        CommitStatusTail tail = reader.tail(landscape.table(), TailStart.beginning())) {
      long begin = System.nanoTime();
      follow(tail, Instant.now());
      Duration active = Duration.ofNanos(System.nanoTime() - begin);
      Verb.Output status = verb.run("status");
      status.text().lines().forEach(progress);

      progress.accept(
          "%d transactions a second for %d s".formatted(TRANSACTIONS_PER_SECOND, LOAD.toSeconds()));
      WorkloadSummary done = work(tail);
      follow(tail, done.lastCommit().orElseThrow());

      follow(tail, WARM_UP);
      List<Map<String, Double>> windows = new ArrayList<>();
      for (int i = 0; i < WINDOWS; i++) {
        windows.add(rest(tail));
      }
      Map<String, Long> memory = new TreeMap<>();
      ProcessUse.of(stack).forEach((name, use) -> memory.put(name, use.residentKiB() >> 10));

      Map<Integer, Double> metaspace = new TreeMap<>();
      Duration resubmission = submitAnew(metaspace);
      follow(tail, Instant.now());
      return new FleetResult(
          size,
          runAll,
          active,
          status.took(),
          dataRounds,
          inOneSnapshot,
          medians(windows),
          memory,
          metaspace,
          resubmission,
          verifiedRows());
    }
  }

  private long loadedRows() {
    return (long) size.rowsOfAShard() * size.shards();
  }

  private WorkloadSummary work(CommitStatusTail tail) throws SQLException, InterruptedException {
    try (LiveWorkload workload =
        LiveWorkload.start(
            landscape.shards(), new WorkloadConfig(SEED, TRANSACTIONS_PER_SECOND), commit -> {})) {
      follow(tail, LOAD);
      return workload.stop();
    }
  }

  /** Parts of a core that each process takes while nothing is written. */
  private Map<String, Double> rest(CommitStatusTail tail) {
    long begin = System.nanoTime();
    Map<String, ProcessUse> before = ProcessUse.of(stack);
    follow(tail, WINDOW);
    Map<String, ProcessUse> after = ProcessUse.of(stack);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Map<String, Double> cores = new TreeMap<>();
    before.forEach(
        (name, use) ->
            cores.put(
                name,
                after.get(name).processor().minus(use.processor()).toNanos() / 1e9 / seconds));
    progress.accept("idle: parts of a core " + cores);
    return cores;
  }

  private static Map<String, Double> medians(List<Map<String, Double>> windows) {
    Map<String, Double> medians = new TreeMap<>();
    for (String name : windows.get(0).keySet()) {
      List<Double> sorted = new ArrayList<>(windows.stream().map(w -> w.get(name)).toList());
      Collections.sort(sorted);
      medians.put(name, sorted.get(sorted.size() / 2));
    }
    return medians;
  }

  /** Each group's job in turn; the mean time of one. */
  private Duration submitAnew(Map<Integer, Double> metaspace) throws Exception {
    Metaspace looks = new Metaspace(stack);
    metaspace.put(0, look(looks, 0));
    Duration sum = Duration.ZERO;
    int step = Math.max(1, size.resubmissions() / LOOKS);
    for (int i = 1; i <= size.resubmissions(); i++) {
      GroupName group = landscape.groups().get((i - 1) % size.groups());
      sum = sum.plus(verb.run("run-group", group.value(), "--take-over").took());
      if (i % step == 0 || i == size.resubmissions()) {
        metaspace.put(i, look(looks, i));
      }
    }
    return size.resubmissions() == 0 ? Duration.ZERO : sum.dividedBy(size.resubmissions());
  }

  private double look(Metaspace looks, int count) throws Exception {
    double mib = looks.bytes() / 1_048_576.0;
    progress.accept("%d resubmissions: %.1f MiB of class metadata".formatted(count, mib));
    return mib;
  }

  private long verifiedRows() throws Exception {
    JsonNode report = new ObjectMapper().readTree(verb.run("verify", "-o", "json").text());
    return report.get("sourceRows").asLong();
  }

  /** Reads messages until one speaks for all shards up to this time. */
  private void follow(CommitStatusTail tail, Instant time) {
    Watermark wanted = new Watermark(time);
    long end = System.nanoTime() + PATIENCE.toNanos();
    Optional<CommitStatus> last = Optional.empty();
    for (long left = PATIENCE.toNanos(); left > 0; left = end - System.nanoTime()) {
      Optional<CommitStatus> next = tail.poll(Duration.ofNanos(left));
      next.ifPresent(this::count);
      last = next.isPresent() ? next : last;
      if (next.isPresent()
          && next.get().notCovered().isEmpty()
          && next.get().shards().size() == size.shards()
          && next.get().validThrough().filter(found -> found.compareTo(wanted) >= 0).isPresent()) {
        return;
      }
    }
    throw new IllegalStateException(
        "Cannot go on: expected a message that speaks for all %d shards up to %s within %s, found %s"
            .formatted(size.shards(), time, PATIENCE, last));
  }

  /** Reads messages for a while. */
  private void follow(CommitStatusTail tail, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      tail.poll(Duration.ofNanos(left)).ifPresent(this::count);
    }
  }

  private void count(CommitStatus status) {
    if (status.dataRound()) {
      dataRounds++;
      if (status.snapshot().orElseThrow().parentId().equals(lastSnapshot)) {
        inOneSnapshot++;
      }
    }
    lastSnapshot =
        status.snapshot().map(found -> OptionalLong.of(found.id())).orElse(OptionalLong.empty());
  }

  @Override
  public void close() {
    stack.close();
  }
}
