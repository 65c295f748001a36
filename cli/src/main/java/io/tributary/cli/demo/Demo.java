package io.tributary.cli.demo;

import io.tributary.cli.CliException;
import io.tributary.cli.ExitCode;
import io.tributary.cli.JobJar;
import io.tributary.cli.JobSubmission;
import io.tributary.cli.LakeTable;
import io.tributary.cli.Terminal;
import io.tributary.cli.VerifyTargets;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.cli.status.FlinkJobs;
import io.tributary.cli.verify.Verifier;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.AttachedStack;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.iceberg.Table;

/**
 * Starts a stack, makes shards, runs the pipeline under a live workload, and checks what came out.
 *
 * <p>Used once, by one thread. However it ends, a stack that shall not stay is stopped.
 */
public final class Demo {
  private static final Duration FIRST_DATA_TIMEOUT = Duration.ofMinutes(4);
  private static final Duration CATCH_UP_TIMEOUT = Duration.ofMinutes(4);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration JOB_LOOK = Duration.ofSeconds(2);
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final int TASK_MANAGERS = 2;
  private static final int SLOTS = 4;
  private static final int DIFFERENCES = 5;
  private static final String COORDINATOR = "the coordinator";

  private final DemoConfig config;
  private final DemoScreen screen;
  private final Terminal terminal;
  private final Clock clock;
  private final StatusLog log = new StatusLog();
  private final Map<String, String> jobs = new LinkedHashMap<>();
  private long nextJobLook = System.nanoTime();

  public Demo(DemoConfig config, Terminal terminal, Clock clock) {
    this.config = config;
    this.terminal = terminal;
    this.screen = new DemoScreen(terminal);
    this.clock = clock;
  }

  /**
   * Runs the demo to its end.
   *
   * @throws CliException when it cannot go on; the stack is stopped then
   * @throws InterruptedException when this thread is interrupted; the stack is stopped then
   */
  public DemoResult run() throws InterruptedException {
    if (AttachedStack.findRunning(config.folder()).isPresent()) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot run the demo: expected no local stack in %s, found one that runs; stop it with: tributary local stop"
              .formatted(config.folder()));
    }
    // Looked for first: without them the rest would be in vain.
    JobJar coordinator = JobJar.coordinator();
    JobJar ingest = JobJar.ingest();
    screen.title("Tributary demo: 4 MySQL shards on 2 servers, 2 groups, one Iceberg table");
    DemoStack stack = startStack();
    boolean stays = false;
    try {
      DemoResult result = run(stack, coordinator, ingest);
      stays = config.keep();
      return result;
    } finally {
      if (!stays) {
        screen.passing("stack", "stopping");
        stack.stop().run();
        terminal.endPassing();
      }
    }
  }

  private DemoStack startStack() {
    long start = System.nanoTime();
    LocalStackConfig stackConfig =
        LocalStackConfig.in(config.folder())
            .withTaskManagers(TASK_MANAGERS, SLOTS)
            .withWipe(!config.continueEarlier())
            .withStartTimeout(START_TIMEOUT);
    screen.passing("stack", "starting");
    DemoStack stack =
        DemoStack.start(stackConfig, config.keep(), line -> screen.passing("stack", line));
    screen.step(
        "stack",
        "%d processes up in %s: MariaDB, Kafka, ZooKeeper, Hive metastore, Flink"
            .formatted(stack.processes(), DemoScreen.since(start)));
    return stack;
  }

  private DemoResult run(DemoStack stack, JobJar coordinator, JobJar ingest)
      throws InterruptedException {
    long stackUp = System.nanoTime();
    Instant began = clock.instant();
    screen.step("Flink UI", stack.endpoints().flink().webUi().toString());
    List<ProductShard> shards = DemoRegistry.shards(stack.endpoints());
    ExecutorService executor =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "demo");
              thread.setDaemon(true);
              return thread;
            });
    LiveWorkload workload = null;
    StatusWatcher watcher = null;
    try {
      ZooKeeperAddress zooKeeper =
          new ZooKeeperAddress(stack.endpoints().zooKeeper(), ZooKeeperAddress.DEFAULT_PATH);
      Registry registry = applyRegistry(stack, zooKeeper);
      TableSpec table = registry.table(new TableName(DemoRegistry.TABLE));
      List<String> place = List.of("--zookeeper", zooKeeper.toString());
      // Most of a submission is the start of Flink's command line: it can go on beside the loading.
      long submitting = System.nanoTime();
      Future<String> coordinatorJob =
          executor.submit(() -> coordinatorJob(stack, coordinator, place));
      loadRows(shards);
      Map<String, Future<String>> groupJobs = new LinkedHashMap<>();
      for (String group : DemoRegistry.GROUPS) {
        List<String> arguments = new ArrayList<>(place);
        arguments.addAll(List.of("--group", group));
        groupJobs.put(
            group, executor.submit(() -> groupJob(stack, new GroupName(group), ingest, arguments)));
      }
      watcher =
          new StatusWatcher(
              stack.endpoints().kafkaBootstrapServers(),
              table.statusTopic(),
              log,
              clock,
              message -> {
                if (!message.committedAt().isBefore(began)) {
                  screen.status(message, clock.instant());
                }
              });
      screen.passing("jobs", "submitting with flink run");
      jobs.put(COORDINATOR, get(coordinatorJob));
      for (Map.Entry<String, Future<String>> job : groupJobs.entrySet()) {
        jobs.put("group " + job.getKey(), get(job.getValue()));
      }
      screen.step(
          "jobs",
          "coordinator and groups %s submitted in %s"
              .formatted(String.join(", ", DemoRegistry.GROUPS), DemoScreen.since(submitting)));
      // From here on, so that rows change also while they are copied.
      workload = startWorkload(shards);
      screen.statusHead();
      return observe(stack, registry, table, watcher, workload, began, stackUp);
    } catch (SQLException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot run the demo: expected MariaDB to answer, found " + e.getMessage(),
          e);
    } finally {
      if (workload != null) {
        workload.close();
      }
      if (watcher != null) {
        watcher.close();
      }
      executor.shutdownNow();
    }
  }

  private Registry applyRegistry(DemoStack stack, ZooKeeperAddress zooKeeper) {
    Path file = config.folder().resolve("registry.yaml");
    try {
      Files.writeString(file, DemoRegistry.yaml(stack.endpoints()));
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "Cannot write " + file, e);
    }
    Registry registry = RegistryParser.parseFile(file);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(zooKeeper)) {
      RegistryStore store = new RegistryStore(connection, clock);
      Optional<Publication> current = store.current();
      Publication published =
          current
              .filter(found -> found.registry().withoutVersion().equals(registry))
              .orElseGet(() -> store.publish(registry, current.map(Publication::version), "demo"));
      screen.step(
          "registry",
          "version %s: %d shards, %d groups (%s)"
              .formatted(
                  published.version(),
                  registry.shards().size(),
                  registry.groups().size(),
                  relative(file)));
      return published.registry();
    }
  }

  private static Path relative(Path file) {
    Path here = Path.of("").toAbsolutePath();
    return file.startsWith(here) ? here.relativize(file) : file;
  }

  private void loadRows(List<ProductShard> shards) throws SQLException, InterruptedException {
    ProductLoader loader = new ProductLoader(shards, config.seed());
    if (config.continueEarlier() && loader.tablesExist()) {
      screen.step("rows", "those of the earlier demo");
      return;
    }
    long start = System.nanoTime();
    AtomicLong loaded = new AtomicLong();
    loader.createTables();
    loader.load(
        config.rows(),
        rows ->
            screen.passing(
                "rows",
                "%s of %s loaded"
                    .formatted(
                        DemoScreen.number(loaded.addAndGet(rows)),
                        DemoScreen.number(config.rows()))));
    screen.step(
        "rows",
        "%s products in %d shards, loaded in %s"
            .formatted(DemoScreen.number(config.rows()), shards.size(), DemoScreen.since(start)));
  }

  private LiveWorkload startWorkload(List<ProductShard> shards) throws SQLException {
    LiveWorkload workload =
        LiveWorkload.start(
            shards,
            new WorkloadConfig(config.seed(), config.transactionsPerSecond()),
            commit -> {});
    screen.step(
        "workload",
        "%d transactions a second: inserts, updates, deletes, key updates"
            .formatted(config.transactionsPerSecond()));
    return workload;
  }

  private String coordinatorJob(DemoStack stack, JobJar job, List<String> arguments) {
    return recovered(new FlinkJobs(stack.flinkRest()).coordinator())
        .orElseGet(() -> submit(stack, COORDINATOR, job, arguments));
  }

  private String groupJob(DemoStack stack, GroupName group, JobJar job, List<String> arguments) {
    return recovered(new FlinkJobs(stack.flinkRest()).ingest(group))
        .orElseGet(() -> submit(stack, "group " + group, job, arguments));
  }

  /** An interrupted demo does not cancel its jobs: Flink goes on with them when it is back. */
  private Optional<String> recovered(Optional<FlinkJobs.JobView> found) {
    return found
        .filter(job -> config.continueEarlier() && !FlinkJobs.hasEnded(job.state()))
        .map(FlinkJobs.JobView::id);
  }

  private static String submit(DemoStack stack, String name, JobJar job, List<String> arguments) {
    return JobSubmission.submit(stack.flinkCli(), name, List.of(), job, arguments);
  }

  private DemoResult observe(
      DemoStack stack,
      Registry registry,
      TableSpec table,
      StatusWatcher watcher,
      LiveWorkload workload,
      Instant began,
      long stackUp)
      throws SQLException, InterruptedException {
    await(
        stack,
        watcher,
        FIRST_DATA_TIMEOUT,
        "a status message with data",
        () -> log.firstData(began).isPresent());
    double secondsToFirst = Math.round((System.nanoTime() - stackUp) / 1e8) / 10.0;
    Instant end = clock.instant().plus(config.duration());
    await(
        stack,
        watcher,
        config.duration().plus(FIRST_DATA_TIMEOUT),
        "the end of the workload",
        () -> !clock.instant().isBefore(end));
    WorkloadSummary summary = workload.stop();
    screen.blank();
    screen.step(
        "workload",
        "stopped after %s transactions: %s inserts, %s updates, %s deletes, %s key updates"
            .formatted(
                DemoScreen.number(summary.transactions()),
                DemoScreen.number(summary.inserts()),
                DemoScreen.number(summary.updates()),
                DemoScreen.number(summary.deletes()),
                DemoScreen.number(summary.keyUpdates())));
    long catchingUp = System.nanoTime();
    Instant last = summary.lastCommit().orElse(began);
    await(
        stack,
        watcher,
        CATCH_UP_TIMEOUT,
        "a watermark past the last commit at " + last,
        () ->
            log.last()
                .flatMap(StatusMessage::validThrough)
                .filter(time -> time.isAfter(last))
                .isPresent());
    screen.step("watermark", "past the last commit after " + DemoScreen.since(catchingUp));
    return check(
        stack,
        registry,
        table,
        watcher,
        began,
        summary,
        secondsToFirst,
        log.lags(began, clock.instant()));
  }

  private DemoResult check(
      DemoStack stack,
      Registry registry,
      TableSpec table,
      StatusWatcher watcher,
      Instant began,
      WorkloadSummary changes,
      double secondsToFirst,
      List<Long> lags)
      throws InterruptedException {
    try (LakeTable lake = LakeTable.open(registry.catalog(), table.name())) {
      Table iceberg =
          lake.load()
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot check the demo: expected table %s in the catalog, found none"
                              .formatted(table.name())));
      long start = System.nanoTime();
      VerifyReport report =
          new Verifier(
                  VerifyTargets.of(registry, table, iceberg, DIFFERENCES, config.folder()),
                  (shard, index, count, rows) ->
                      screen.passing(
                          "verify",
                          "shard %s (%d of %d): %s rows read"
                              .formatted(shard, index, count, DemoScreen.number(rows))))
              .verify();
      screen.step(
          "verify",
          "%s source rows, %s table rows, %s mismatches, in %s"
              .formatted(
                  DemoScreen.number(report.sourceRows()),
                  DemoScreen.number(report.tableRows()),
                  DemoScreen.number(report.mismatches()),
                  DemoScreen.since(start)));
      report
          .differences()
          .forEach(
              difference ->
                  screen.step(
                      "",
                      "%s in shard %s: %s"
                          .formatted(
                              difference.kind().word(), difference.shard(), difference.key())));
      iceberg.refresh();
      TableState state =
          TableStateCodec.decode(iceberg.properties())
              .orElseThrow(
                  () ->
                      new CliException(
                          ExitCode.FAILED,
                          "Cannot check the demo: expected the coordinator's state in table %s, found none"
                              .formatted(table.name())));
      long rounds = state.round().value();
      await(
          stack,
          watcher,
          CATCH_UP_TIMEOUT,
          "the message of round " + rounds,
          () -> log.last().filter(message -> message.round() >= rounds).isPresent());
      return result(stack, table, iceberg, state, report, began, changes, secondsToFirst, lags);
    }
  }

  private DemoResult result(
      DemoStack stack,
      TableSpec table,
      Table iceberg,
      TableState state,
      VerifyReport report,
      Instant began,
      WorkloadSummary changes,
      double secondsToFirst,
      List<Long> lags) {
    long rounds = state.round().value();
    TableAudit audit = new TableAudit(iceberg, table.shardIdColumn());
    List<StatusMessage> messages =
        log.all().stream()
            .map(StatusLog.Received::message)
            .filter(message -> message.round() <= rounds)
            .toList();
    long dataSnapshots = state.snapshot().map(found -> audit.dataSnapshots(found.id())).orElse(0L);
    // While a shard is copied its changes come in too, once the copy is read, and they delete by
    // key: only what they do not explain was written by the copy.
    long deleteRows =
        Math.max(
            0,
            audit.snapshotPhaseEqualityDeleteRows(
                    messages.stream()
                        .filter(message -> message.committedAt().isAfter(began))
                        .toList())
                - changes.equalityDeletes());
    OptionalLong conflicts = ConflictCount.of(stack.flinkRest(), jobs.get(COORDINATOR));
    List<String> wrong = new ArrayList<>();
    if (!report.clean()) {
      wrong.add(report.verdict());
    }
    if (messages.size() != rounds) {
      wrong.add("%d rounds but %d status messages".formatted(rounds, messages.size()));
    }
    if (log.duplicates() > 0) {
      wrong.add(log.duplicates() + " duplicate status messages");
    }
    wrong.addAll(log.faults());
    if (conflicts.isEmpty()) {
      wrong.add("the coordinator does not count commit conflicts");
    } else if (conflicts.getAsLong() > 0) {
      wrong.add(conflicts.getAsLong() + " commit conflicts");
    }
    if (deleteRows > 0) {
      wrong.add(deleteRows + " equality-delete rows written by the copy of the shards");
    }
    return new DemoResult(
        report.sourceRows(),
        report.tableRows(),
        report.mismatches(),
        rounds,
        messages.stream().filter(StatusMessage::dataRound).count(),
        audit.roundsInOneSnapshot(messages),
        dataSnapshots,
        messages.size(),
        log.duplicates(),
        conflicts.orElse(0),
        deleteRows,
        secondsToFirst,
        StatusLog.percentile(lags, 50),
        StatusLog.percentile(lags, 99),
        wrong);
  }

  /** Waits for something while looking after what it needs. */
  private void await(
      DemoStack stack,
      StatusWatcher watcher,
      Duration atMost,
      String what,
      Callable<Boolean> reached)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!isReached(reached)) {
      watcher.check();
      checkJobs(stack.flinkRest());
      if (System.nanoTime() > deadline) {
        throw new CliException(
            ExitCode.TIMEOUT,
            "Cannot go on with the demo: expected %s within %d s, found %s; %s; logs are in %s"
                .formatted(
                    what,
                    atMost.toSeconds(),
                    log.last()
                        .map(message -> "round " + message.round())
                        .orElse("no status message"),
                    jobStates(stack.flinkRest()),
                    stack.logs()));
      }
      log.awaitNews(LOOK);
    }
  }

  private static boolean isReached(Callable<Boolean> reached) {
    try {
      return reached.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void checkJobs(FlinkRest flink) {
    if (System.nanoTime() < nextJobLook) {
      return;
    }
    nextJobLook = System.nanoTime() + JOB_LOOK.toNanos();
    FlinkJobs known = new FlinkJobs(flink);
    jobs.forEach(
        (name, id) -> {
          String state;
          Optional<String> error;
          try {
            state = flink.jobState(id);
            error = FlinkJobs.hasEnded(state) ? known.lastError(id) : Optional.empty();
          } catch (LocalStackException e) {
            // A JobManager that is slow or restarting is no reason to give up: asked again soon.
            return;
          }
          if (FlinkJobs.hasEnded(state)) {
            throw new CliException(
                ExitCode.FAILED,
                "Cannot go on with the demo: expected %s to run, found it %s%s"
                    .formatted(name, state, error.map(cause -> ": " + cause).orElse("")));
          }
        });
  }

  private String jobStates(FlinkRest flink) {
    return jobs.entrySet().stream()
        .map(job -> job.getKey() + " " + jobState(flink, job.getValue()))
        .collect(Collectors.joining("; "));
  }

  private static String jobState(FlinkRest flink, String id) {
    try {
      return flink.jobState(id)
          + new FlinkJobs(flink).lastError(id).map(cause -> " after: " + cause).orElse("");
    } catch (LocalStackException e) {
      return "in a state that Flink does not tell";
    }
  }

  private static <T> T get(Future<T> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
