package io.tributary.loadtests.watermark;

import com.sun.management.OperatingSystemMXBean;
import io.tributary.coordinator.CoordinatorJob;
import io.tributary.ingest.IngestJob;
import io.tributary.loadtests.fuzz.JobCluster;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Watermark;
import io.tributary.protocol.reader.CommitStatusReader;
import io.tributary.protocol.reader.CommitStatusTail;
import io.tributary.protocol.reader.TailStart;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sources that nobody writes to, four servers as read by four groups each, with a coordinator and
 * checkpoints every 2 s, all in this process: what they cost, and whether the watermark moves.
 */
final class IdleRun implements AutoCloseable {
  private static final int SERVERS = 4;
  private static final int GROUPS = 4;
  private static final int FIRST_SERVER_ID = 6_000;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "idle";
  private static final TableName TABLE = new TableName("idle.rows");

  private final Path folder;
  private final Consumer<String> progress;
  private final LocalStack stack;
  private final OperatingSystemMXBean process =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /**
   * @param folder of the servers, emptied first
   */
  IdleRun(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.progress = progress;
    this.stack =
        LocalStack.start(
            LocalStackConfig.in(folder.resolve("stack"))
                .withOnly(Service.MARIADB, Service.KAFKA, Service.METASTORE)
                .withMariaDbServers(SERVERS)
                .withWipe(true)
                .withStartTimeout(START_TIMEOUT),
            progress);
  }

  /**
   * @param warmUp before the first window: code that has just been loaded is slow
   */
  IdleResult run(int windows, Duration window, Duration warmUp) throws Exception {
    makeTables();
    Path file = folder.resolve("registry.yaml");
    Files.writeString(file, yaml());
    try (JobCluster cluster =
            new JobCluster(folder.resolve("checkpoints"), 1, SERVERS * GROUPS + 1);
        CommitStatusReader reader =
            new CommitStatusReader(
                Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()));
        CommitStatusTail tail = reader.tail(TABLE, TailStart.beginning())) {
      cluster.submit(
          Optional.empty(),
          () -> CoordinatorJob.main(new String[] {"--registry-file", file.toString()}));
      for (int group = 1; group <= GROUPS; group++) {
        String name = group(group);
        cluster.submit(
            Optional.empty(),
            () ->
                IngestJob.main(new String[] {"--registry-file", file.toString(), "--group", name}));
      }
      Progress moved = new Progress(tail);
      moved.follow(PATIENCE, true);
      progress.accept("initial snapshots complete; idle from now on");
      moved.follow(warmUp, false);
      moved.restart();
      ThreadTimes threads = new ThreadTimes();
      List<IdleResult.Window> measured = new ArrayList<>();
      for (int i = 0; i < windows; i++) {
        threads.since();
        long begin = System.nanoTime();
        long own = process.getProcessCpuTime();
        double servers = serverSeconds();
        moved.follow(window, false);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Map<String, Double> kinds = new TreeMap<>();
        threads.since().forEach((kind, nanos) -> kinds.put(kind, nanos / 1e9));
        IdleResult.Window one =
            new IdleResult.Window(
                seconds,
                (process.getProcessCpuTime() - own) / 1e9,
                serverSeconds() - servers,
                kinds);
        measured.add(one);
        progress.accept(one.toString());
      }
      return new IdleResult(SERVERS * GROUPS, measured, moved.longestMillis());
    }
  }

  /** How the table's watermark moves. */
  private static final class Progress {
    private final CommitStatusTail tail;
    private Optional<Watermark> last = Optional.empty();
    private long lastNanos = System.nanoTime();
    private long longestNanos;

    Progress(CommitStatusTail tail) {
      this.tail = tail;
    }

    void follow(Duration time, boolean toTheFirst) {
      long end = System.nanoTime() + time.toNanos();
      for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
        Optional<CommitStatus> next = tail.poll(Duration.ofNanos(left));
        Optional<Watermark> now = next.flatMap(CommitStatus::validThrough);
        if (now.isPresent() && !now.equals(last)) {
          last = now;
          long nanos = System.nanoTime();
          longestNanos = Math.max(longestNanos, nanos - lastNanos);
          lastNanos = nanos;
          if (toTheFirst) {
            return;
          }
        }
      }
      if (toTheFirst) {
        throw new IllegalStateException(
            "Cannot go on: expected a watermark within %s, found none".formatted(time));
      }
      longestNanos = Math.max(longestNanos, System.nanoTime() - lastNanos);
    }

    void restart() {
      longestNanos = 0;
    }

    long longestMillis() {
      return TimeUnit.NANOSECONDS.toMillis(longestNanos);
    }
  }

  private double serverSeconds() {
    double seconds = 0;
    for (int server = 1; server <= SERVERS; server++) {
      seconds +=
          ProcessHandle.of(stack.process("mariadb-" + server).pid())
                  .flatMap(handle -> handle.info().totalCpuDuration())
                  .orElseThrow()
                  .toNanos()
              / 1e9;
    }
    return seconds;
  }

  private void makeTables() throws Exception {
    for (int server = 1; server <= SERVERS; server++) {
      try (Connection connection = stack.endpoints().mariaDb(server).connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE " + DATABASE);
        for (int group = 1; group <= GROUPS; group++) {
          String table = DATABASE + "." + table(server, group);
          statement.execute("CREATE TABLE " + table + " (id BIGINT PRIMARY KEY)");
          statement.execute("INSERT INTO " + table + " VALUES (1), (2)");
        }
      }
    }
  }

  private static String table(int server, int group) {
    return "t_%d_%d".formatted(server, group);
  }

  private static String group(int group) {
    return "group-" + group;
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
          checkpoint-interval: 2 s
          idle-round-interval: 2 s
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
            each(SERVERS, this::serverSection),
            TABLE,
            each(GROUPS, this::groupSection),
            each(SERVERS * GROUPS, this::shardSection));
  }

  private static String each(int count, IntFunction<String> section) {
    return IntStream.rangeClosed(1, count).mapToObj(section).collect(Collectors.joining());
  }

  private String serverSection(int server) {
    StackEndpoints.MariaDb at = stack.endpoints().mariaDb(server);
    return "  %s: {hostname: %s, port: %d, username: %s, password: {file: %s}}\n"
        .formatted(at.name(), at.host(), at.port(), at.cdc().name(), at.cdc().passwordFile());
  }

  private String groupSection(int group) {
    int id = FIRST_SERVER_ID + group;
    return "  %s:\n    table: %s\n    checkpoint-interval: 2 s\n    server-id: {%s}\n"
        .formatted(
            group(group),
            TABLE,
            IntStream.rangeClosed(1, SERVERS)
                .mapToObj(
                    server ->
                        "%s: %d-%d".formatted(stack.endpoints().mariaDb(server).name(), id, id))
                .collect(Collectors.joining(", ")));
  }

  private String shardSection(int number) {
    int server = (number - 1) % SERVERS + 1;
    int group = (number - 1) / SERVERS + 1;
    return "  - {number: %d, group: %s, server: %s, database: %s, table: %s}\n"
        .formatted(
            number,
            group(group),
            stack.endpoints().mariaDb(server).name(),
            DATABASE,
            table(server, group));
  }

  @Override
  public void close() {
    stack.close();
  }
}
