package io.tributary.loadtests.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.CliException;
import io.tributary.cli.ExitCode;
import io.tributary.cli.LakeTable;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerifyTargets;
import io.tributary.cli.demo.StatusLog;
import io.tributary.cli.demo.StatusMessage;
import io.tributary.cli.demo.StatusWatcher;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.cli.verify.Difference;
import io.tributary.cli.verify.Verifier;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.loadtests.endtoend.Landscape;
import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.iceberg.Table;

/**
 * Runs the pipeline on real processes under a live workload, makes faults, and checks what came
 * out: row by row, round by round, and every watermark against what was committed before it.
 *
 * <p>Used once, by one thread. However it ends, everything it has started is stopped.
 */
public final class Chaos {
  /** The registry that the jobs read, in the stack's folder. */
  static final String JOBS_REGISTRY = "registry.yaml";

  /** The registry of who checks: without proxies. */
  static final String DIRECT_REGISTRY = "direct.yaml";

  /** Faults that are active at the same time. */
  private static final int AT_ONCE = 5;

  /** For what no fault delays, on a machine that is busy with other things. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration JOB_LOOK = Duration.ofSeconds(2);
  private static final int DIFFERENCES = 5;

  /** For faults that are under way when the run ends. */
  private static final Duration MOST_END = Duration.ofSeconds(20);

  private final ChaosConfig config;
  private final Terminal terminal;
  private final Clock clock = Clock.systemUTC();
  private final StatusLog messages = new StatusLog();
  private final StallLog stalls = new StallLog();
  private final CommitJournal journal = new CommitJournal();
  private long nextJobLook = System.nanoTime();

  public Chaos(ChaosConfig config, Terminal terminal) {
    this.config = config;
    this.terminal = terminal;
  }

  /**
   * Runs it to its end.
   *
   * @throws CliException when it cannot go on, or the work does not
   * @throws InterruptedException when this thread is interrupted
   */
  public ChaosResult run() throws InterruptedException {
    if (AttachedStack.findRunning(config.folder()).isPresent()) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot run chaos: expected no local stack in %s, found one that runs; stop it with: tributary local stop"
              .formatted(config.folder()));
    }
    terminal.line(
        terminal.bold(
            "Chaos for %s, seed %d: 4 MySQL shards on 2 servers, 2 groups, one Iceberg table"
                .formatted(minutes(config.length()), config.seed())));
    terminal.passing("  starting the local stack");
    ChaosStack stack =
        ChaosStack.start(config.folder(), line -> terminal.passing("  stack: " + line));
    try (stack;
        ChaosScreen screen =
            new ChaosScreen(terminal, clock, stack.local().logs().resolve("chaos.log"))) {
      screen.line(
          "stack up: %d processes; Flink UI %s; logs %s"
              .formatted(
                  stack.local().processNames().size(),
                  stack.local().endpoints().flink().webUi(),
                  stack.local().logs()));
      return run(stack, screen);
    }
  }

  private ChaosResult run(ChaosStack stack, ChaosScreen screen) throws InterruptedException {
    Landscape landscape = stack.direct();
    Registry direct = registry(stack, landscape, DIRECT_REGISTRY);
    ZooKeeperAddress place = publish(stack);
    Jobs jobs =
        new Jobs(
            stack.local(),
            config.coordinator(),
            config.ingest(),
            List.of("--zookeeper", place.toString()));
    TableSpec table = direct.table(landscape.table());
    ExecutorService executor = Executors.newCachedThreadPool(Chaos::daemon);
    try {
      ProductLoader loader = new ProductLoader(landscape.shards(), config.seed());
      loader.createTables();
      loader.load(config.rows(), rows -> {});
      try (LiveWorkload workload =
              LiveWorkload.start(
                  landscape.shards(),
                  new WorkloadConfig(config.seed(), config.transactionsPerSecond())
                      .thatOutlivesServers(),
                  journal::add);
          WatermarkCheck check =
              new WatermarkCheck(LakeTable.open(direct.catalog(), table.name()), journal);
          StatusWatcher watcher =
              new StatusWatcher(
                  stack.local().endpoints().kafkaBootstrapServers(),
                  table.statusTopic(),
                  messages,
                  clock,
                  message -> accept(message, check, screen))) {
        Watch watch = new Watch(watcher, check, jobs);
        screen.line(
            "%,d rows loaded, workload of %d transactions a second begun"
                .formatted(config.rows(), config.transactionsPerSecond()));
        submitAll(jobs, executor);
        await(watch, PATIENCE, "a first watermark", () -> watermark().isPresent());
        screen.line("first watermark " + watermark().orElseThrow() + "; faults begin");
        waves(stack, jobs, watch, workload, screen, executor);
        WorkloadSummary summary = workload.stop();
        Instant last = summary.lastCommit().orElse(Instant.EPOCH);
        screen.line(
            "workload stopped after %,d transactions, %,d changes"
                .formatted(summary.transactions(), summary.changes()));
        await(
            watch, PATIENCE, "a watermark past the last commit at " + last, () -> isCovered(last));
        return verify(stack, direct, table, watch, summary, screen);
      }
    } catch (SQLException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot run chaos: expected MariaDB to answer, found " + e.getMessage(),
          e);
    } finally {
      end(executor);
    }
  }

  /** Nobody does anything to the stack any more when it is stopped. */
  private static void end(ExecutorService executor) {
    executor.shutdownNow();
    boolean interrupted = Thread.interrupted();
    try {
      executor.awaitTermination(MOST_END.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whose health is looked after while something is waited for. */
  private record Watch(StatusWatcher watcher, WatermarkCheck check, Jobs jobs) {}

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "chaos");
    thread.setDaemon(true);
    return thread;
  }

  private Registry registry(ChaosStack stack, Landscape landscape, String name) {
    Path file = stack.local().folder().resolve(name);
    try {
      Files.writeString(file, landscape.yaml());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write " + file, e);
    }
    return RegistryParser.parseFile(file);
  }

  private ZooKeeperAddress publish(ChaosStack stack) {
    Registry registry = registry(stack, stack.seenByJobs(), JOBS_REGISTRY);
    String path = "/tributary/chaos";
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(
            new ZooKeeperAddress(stack.local().endpoints().zooKeeper(), path))) {
      RegistryStore store = new RegistryStore(connection, clock);
      store.publish(registry, store.current().map(Publication::version), "chaos");
    }
    return new ZooKeeperAddress(stack.proxy(ChaosStack.ZOOKEEPER).address(), path);
  }

  private void accept(StatusMessage message, WatermarkCheck check, ChaosScreen screen) {
    stalls.message(clock.instant());
    check.accept(message);
    screen.note(
        "round %d, snapshot %s, valid through %s"
            .formatted(
                message.round(),
                message.snapshotId().map(String::valueOf).orElse("-"),
                message.validThrough().map(String::valueOf).orElse("-")));
  }

  private void submitAll(Jobs jobs, ExecutorService executor) throws InterruptedException {
    List<String> names = new ArrayList<>(List.of(Jobs.COORDINATOR));
    names.addAll(ChaosStack.GROUPS);
    List<Future<?>> submissions = new ArrayList<>();
    for (String name : names) {
      submissions.add(
          executor.submit(
              () -> {
                jobs.submit(name);
                return null;
              }));
    }
    join(submissions);
  }

  private void waves(
      ChaosStack stack,
      Jobs jobs,
      Watch watch,
      LiveWorkload workload,
      ChaosScreen screen,
      ExecutorService executor)
      throws InterruptedException {
    FaultSchedule schedule = new FaultSchedule(config.seed());
    FaultRunner runner = new FaultRunner(stack, jobs, clock);
    Instant begun = clock.instant();
    Instant end = begun.plus(config.length());
    Semaphore free = new Semaphore(AT_ONCE);
    while (clock.instant().isBefore(end)) {
      List<Future<?>> faults = new ArrayList<>();
      for (PlannedFault fault : schedule.wave(Duration.between(begun, clock.instant()))) {
        TimeUnit.MILLISECONDS.sleep(fault.gap().toMillis());
        free.acquire();
        faults.add(
            executor.submit(
                () -> {
                  try {
                    make(fault, runner, screen);
                  } finally {
                    free.release();
                  }
                  return null;
                }));
      }
      join(faults);
      recover(watch, workload, screen, begun);
    }
  }

  private void make(PlannedFault fault, FaultRunner runner, ChaosScreen screen)
      throws InterruptedException {
    try {
      FaultRecord made = runner.run(fault);
      stalls.fault(made);
      screen.line(
          "%s%s, %.1f s"
              .formatted(
                  made,
                  made.flight()
                      .map(flight -> " in a " + flight.name().toLowerCase(java.util.Locale.ROOT))
                      .orElse(""),
                  Duration.between(made.begin(), made.end()).toMillis() / 1000.0));
    } catch (LocalStackException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedException("interrupted while making a fault");
      }
      screen.line(
          "#%d %s could not be made: %s"
              .formatted(
                  fault.number(),
                  fault.kind().word(),
                  e.getMessage().lines().findFirst().orElse("")));
    }
  }

  private void recover(Watch watch, LiveWorkload workload, ChaosScreen screen, Instant begun)
      throws InterruptedException {
    Optional<FaultRecord> last = stalls.faults().stream().max((a, b) -> a.end().compareTo(b.end()));
    if (last.isEmpty()) {
      return;
    }
    Instant ended = last.get().end();
    await(
        watch,
        config.recoveryBound().multipliedBy(3),
        "work to go on after " + last.get(),
        () -> isCovered(ended));
    Instant covered =
        messages.all().stream()
            .filter(entry -> entry.message().validThrough().filter(ended::isBefore).isPresent())
            .findFirst()
            .orElseThrow()
            .at();
    Duration took = Duration.between(ended, covered);
    stalls.recovered(new StallLog.Recovery(last.get(), took));
    screen.line(
        "work goes on %.1f s after %s; %s: %d faults, round %d, %,d changes, %,d transactions checked, %d violations"
            .formatted(
                took.toMillis() / 1000.0,
                last.get(),
                minutes(Duration.between(begun, clock.instant())),
                stalls.faults().size(),
                messages.last().map(StatusMessage::round).orElse(0L),
                workload.changes(),
                journal.checked(),
                journal.violated()));
  }

  private Optional<Instant> watermark() {
    return messages.last().flatMap(StatusMessage::validThrough);
  }

  private boolean isCovered(Instant time) {
    return watermark().filter(time::isBefore).isPresent();
  }

  /** Waits for something while looking after what it needs. */
  private void await(Watch watch, Duration atMost, String what, BooleanSupplier reached)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!reached.getAsBoolean()) {
      watch.watcher().check();
      watch
          .check()
          .failure()
          .ifPresent(
              cause -> {
                throw new IllegalStateException(
                    "Cannot check the messages: expected no failure, found " + cause, cause);
              });
      if (System.nanoTime() > nextJobLook) {
        nextJobLook = System.nanoTime() + JOB_LOOK.toNanos();
        Optional<String> ended = watch.jobs().ended();
        if (ended.isPresent()) {
          throw new CliException(
              ExitCode.NO,
              "Cannot go on with chaos: expected %s, found that %s".formatted(what, ended.get()));
        }
      }
      if (System.nanoTime() > deadline) {
        throw new CliException(
            ExitCode.TIMEOUT,
            "Cannot go on with chaos: expected %s within %d s, found round %s, watermark %s; %s"
                .formatted(
                    what,
                    atMost.toSeconds(),
                    messages.last().map(StatusMessage::round).orElse(0L),
                    watermark().map(String::valueOf).orElse("none"),
                    watch.jobs().states()));
      }
      messages.awaitNews(LOOK);
    }
  }

  private ChaosResult verify(
      ChaosStack stack,
      Registry direct,
      TableSpec table,
      Watch watch,
      WorkloadSummary summary,
      ChaosScreen screen)
      throws InterruptedException {
    try (LakeTable lake = LakeTable.open(direct.catalog(), table.name())) {
      Table iceberg =
          lake.load()
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot check the table: expected %s in the catalog, found none"
                              .formatted(table.name())));
      VerifyReport report =
          new Verifier(
                  VerifyTargets.of(direct, table, iceberg, DIFFERENCES, stack.local().folder()),
                  (shard, index, count, rows) ->
                      screen.passing(
                          "verify: shard %s (%d of %d), %,d rows read"
                              .formatted(shard, index, count, rows)))
              .verify();
      report.differences().forEach(difference -> screen.line("difference: " + difference));
      iceberg.refresh();
      TableState state = TableStateCodec.decode(iceberg.properties()).orElseThrow();
      long rounds = state.round().value();
      await(
          watch,
          PATIENCE,
          "the message of round " + rounds + " to be checked",
          () -> watch.check().checkedRound() >= rounds);
      journal.violations().forEach(screen::line);
      return result(report, rounds, watch.check().problems(), summary);
    }
  }

  private ChaosResult result(
      VerifyReport report, long rounds, List<String> history, WorkloadSummary summary) {
    List<String> wrong = new ArrayList<>();
    if (!report.quiet() || !report.layoutProblems().isEmpty()) {
      wrong.add(report.verdict());
    }
    wrong.addAll(messages.faults());
    wrong.addAll(history);
    Set<Long> announced = new HashSet<>();
    long again =
        messages.all().stream().filter(entry -> !announced.add(entry.message().round())).count();
    Optional<StallLog.Stall> stall = stalls.longestStall();
    return new ChaosResult(
        config.seed(),
        config.length(),
        faultsByKind(),
        (int) stalls.faults().stream().filter(fault -> fault.flight().isPresent()).count(),
        rounds,
        messages.all().stream().filter(entry -> entry.message().dataRound()).count(),
        summary.transactions(),
        summary.changes(),
        summary.uncertain(),
        journal.checked(),
        report.sourceRows(),
        report.sum(Difference.Kind.LOST),
        report.sum(Difference.Kind.DOUBLED),
        report.sum(Difference.Kind.EXTRA) + report.sum(Difference.Kind.DIFFERENT),
        LongStream.rangeClosed(1, rounds).filter(round -> !announced.contains(round)).count(),
        again,
        journal.violated(),
        stall.map(StallLog.Stall::length).orElse(Duration.ZERO),
        stall
            .map(found -> found.causes().stream().map(FaultRecord::toString).toList())
            .orElse(List.of()),
        stalls.recoveries().size(),
        stalls.longestRecovery().map(StallLog.Recovery::took).orElse(Duration.ZERO),
        config.recoveryBound(),
        wrong);
  }

  private Map<FaultKind, Integer> faultsByKind() {
    Map<FaultKind, Integer> kinds = new EnumMap<>(FaultKind.class);
    stalls.faults().forEach(fault -> kinds.merge(fault.kind(), 1, Integer::sum));
    return kinds;
  }

  /**
   * What {@code --json} writes of a run that did not come to its end, and therefore compared
   * nothing.
   *
   * @param why what ended it
   */
  ObjectNode unfinished(String why) {
    return ChaosResult.unfinished(config.seed(), config.length(), faultsByKind(), why);
  }

  private static void join(List<Future<?>> all) throws InterruptedException {
    for (Future<?> one : all) {
      try {
        one.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new IllegalStateException(
            "Cannot go on with chaos: expected no failure, found " + e.getCause(), e.getCause());
      }
    }
  }

  private static String minutes(Duration length) {
    return "%d:%02d min".formatted(length.toMinutes(), length.toSecondsPart());
  }
}
