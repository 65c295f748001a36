package io.tributary.loadtests.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.LakeTable;
import io.tributary.cli.VerifyTargets;
import io.tributary.cli.verify.Difference;
import io.tributary.cli.verify.Verifier;
import io.tributary.cli.verify.VerifyProgress;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.coordinator.CoordinatorJob;
import io.tributary.ingest.IngestJob;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.TableState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;

/**
 * Some tables at a time, from their making to the comparison: first rows; changes while they are
 * copied, in the midst of which every TaskManager dies; changes after that; some jobs submitted
 * anew; more changes; comparison.
 */
final class FuzzWave implements AutoCloseable {
  private static final int CHANGES = 90;
  private static final int PAUSE_MILLIS = 30;
  private static final int MOST_DIFFERENCES = 3;
  private static final int LONGEST_VALUE = 300;
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final Duration LOOK = Duration.ofMillis(200);

  /** Something done with a table. */
  @FunctionalInterface
  interface Step {
    void with(FuzzTable table) throws Exception;
  }

  /** One table on its way. */
  private static final class Course {
    private final FuzzTable table;
    private final TableWriter writer;
    private Optional<JobID> job = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private LakeTable lake;

    Course(FuzzTable table, TableWriter writer) {
      this.table = table;
      this.writer = writer;
    }

    boolean reads() {
      return job.isPresent() && failure.isEmpty();
    }

    void fail(String reason) {
      failure = Optional.of(reason);
    }
  }

  private final List<Course> courses = new ArrayList<>();
  private final StackEndpoints at;
  private final JobCluster cluster;
  private final Path folder;
  private final FuzzTally tally;
  private final ExecutorService writers;
  private final Path registryFile;
  private final Step beforeComparison;
  private Registry registry;
  private JobID coordinator;

  FuzzWave(
      List<FuzzTable> tables,
      StackEndpoints at,
      JobCluster cluster,
      Path folder,
      FuzzTally tally,
      Step beforeComparison)
      throws SQLException {
    this.at = at;
    this.cluster = cluster;
    this.folder = folder;
    this.tally = tally;
    this.beforeComparison = beforeComparison;
    this.writers = Executors.newFixedThreadPool(tables.size());
    this.registryFile = folder.resolve("registry-" + tables.get(0).index() + ".yaml");
    for (FuzzTable table : tables) {
      courses.add(new Course(table, new TableWriter(table, at.mariaDb(1))));
    }
  }

  void run() throws Exception {
    for (Course course : courses) {
      course.writer.create();
    }
    Files.writeString(registryFile, yaml());
    registry = RegistryParser.parseFile(registryFile);
    coordinator =
        cluster.submit(
            Optional.empty(),
            () -> CoordinatorJob.main(new String[] {"--registry-file", registryFile.toString()}));
    List<Future<?>> changes = change("while copied");
    for (Course course : courses) {
      start(course);
    }
    await("an answer to its hello", state -> !state.groups().isEmpty());
    courses.stream().filter(Course::reads).forEach(this::countPhase);
    cluster.killTaskManagers();
    await(changes);
    changes = change("after the death");
    // A state in which nothing was sealed yet is refused, and says so.
    await(
        "a committed epoch",
        state -> state.groups().values().stream().allMatch(group -> group.epoch().value() > 0));
    for (Course course : courses) {
      restart(course);
    }
    await(changes);
    await(change("in the end"));
    Instant end = clock();
    await(
        "a watermark past " + end,
        state ->
            state.validThrough().filter(reached -> reached.instant().isAfter(end)).isPresent());
    for (Course course : courses) {
      if (course.reads()) {
        beforeComparison.with(course.table);
        compare(course);
      }
    }
    courses.forEach(
        course ->
            tally.add(course.table, course.failure, course.writer.done(), course.writer.refused()));
  }

  private List<Future<?>> change(String part) {
    return courses.stream()
        .<Future<?>>map(
            course ->
                writers.submit(
                    () -> {
                      course.writer.change(part, CHANGES, PAUSE_MILLIS);
                      return null;
                    }))
        .toList();
  }

  private static void await(List<Future<?>> changes) throws Exception {
    for (Future<?> one : changes) {
      one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private void start(Course course) {
    try {
      course.job = Optional.of(submit(course, Optional.empty()));
      course.table.refusal().ifPresent(says -> course.fail("expected to be refused with: " + says));
    } catch (Exception e) {
      String found = JobCluster.causes(e);
      if (!course.table.refusal().filter(found::contains).isPresent()) {
        course.fail("refused: " + found);
      }
    }
  }

  private JobID submit(Course course, Optional<String> checkpoint) throws Exception {
    return cluster.submit(
        checkpoint,
        () ->
            IngestJob.main(
                new String[] {
                  "--registry-file",
                  registryFile.toString(),
                  "--group",
                  course.table.group().toString()
                }));
  }

  private void restart(Course course) throws Exception {
    if (!course.reads() || course.table.restart() == FuzzTable.Restart.NONE) {
      return;
    }
    JobID job = course.job.orElseThrow();
    cluster.cancel(job);
    // Asked for when the job has ended: until then a newer one may take its place.
    Optional<String> checkpoint =
        course.table.restart() == FuzzTable.Restart.FROM_CHECKPOINT
            ? cluster.newestCheckpoint(job)
            : Optional.empty();
    try {
      course.job = Optional.of(submit(course, checkpoint));
      tally.restarted(checkpoint.isPresent());
    } catch (Exception e) {
      course.fail("refused when it was submitted anew: " + JobCluster.causes(e));
    }
  }

  private void countPhase(Course course) {
    boolean copied =
        state(course)
            .filter(
                state ->
                    state.shards().values().stream()
                        .allMatch(shard -> shard.phase() == ShardPhase.ACTIVE))
            .isPresent();
    tally.killed(!copied);
  }

  /** Waits until the state of every table that is still read satisfies the predicate. */
  private void await(String what, Predicate<TableState> reached) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    List<Course> left = new ArrayList<>(courses);
    while (true) {
      left.removeIf(course -> !course.reads());
      for (Course course : List.copyOf(left)) {
        Optional<TableState> state = state(course);
        if (state.filter(reached).isPresent()) {
          left.remove(course);
          continue;
        }
        cluster.failure(course.job.orElseThrow()).ifPresent(why -> course.fail("failed: " + why));
        state.flatMap(FuzzWave::halt).ifPresent(why -> course.fail("halted: " + why));
        if (System.nanoTime() > deadline) {
          course.fail("expected %s, found %s".formatted(what, state));
        }
      }
      Optional<String> failed = cluster.failure(coordinator);
      if (failed.isPresent()) {
        left.forEach(course -> course.fail("its coordinator failed: " + failed.get()));
      }
      if (left.isEmpty()) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
  }

  private static Optional<String> halt(TableState state) {
    return state.groups().values().stream()
        .flatMap(group -> group.halt().stream())
        .map(Object::toString)
        .findFirst()
        .or(
            () ->
                state.shards().values().stream()
                    .flatMap(shard -> shard.haltReason().stream())
                    .map(Object::toString)
                    .findFirst());
  }

  private Optional<TableState> state(Course course) {
    if (course.lake == null) {
      course.lake = LakeTable.open(registry.catalog(), course.table.name());
    }
    return course.lake.state();
  }

  private void compare(Course course) {
    VerifyReport report =
        new Verifier(
                VerifyTargets.of(
                    registry,
                    registry.table(course.table.name()),
                    course.lake.load().orElseThrow(),
                    MOST_DIFFERENCES,
                    folder),
                VerifyProgress.NONE)
            .verify();
    tally.compared(report.sourceRows());
    if (!report.clean()) {
      course.fail(
          report.verdict()
              + report.differences().stream()
                  .map(FuzzWave::shown)
                  .collect(Collectors.joining("\n  ", "\n  ", "")));
    }
  }

  private static String shown(Difference difference) {
    return "%s in shard %s at %s: %s"
        .formatted(
            difference.kind().word(),
            difference.shard(),
            difference.key(),
            difference.columns().stream()
                .map(
                    column ->
                        "'%s' is %s at the source, %s in the table"
                            .formatted(
                                column.column(),
                                cut(column.source().orElse("NULL")),
                                cut(column.table().orElse("NULL"))))
                .collect(Collectors.joining("; ")));
  }

  private static String cut(String value) {
    return value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "...";
  }

  private Instant clock() throws SQLException {
    try (Connection connection = at.mariaDb(1).connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR)")) {
      result.next();
      return Instant.parse(result.getString(1).replace(' ', 'T') + "Z");
    }
  }

  private String yaml() {
    StackEndpoints.MariaDb server = at.mariaDb(1);
    return """
        catalog:
          uri: %s
          warehouse: %s
          # All jobs and the comparison are in one process, which has one pool of connections.
          properties: {clients: "16"}
        kafka:
          bootstrap-servers: %s
        coordinator:
          checkpoint-interval: 1500 ms
          idle-round-interval: 1500 ms
        servers:
          %s:
            hostname: %s
            port: %d
            username: %s
            password: {file: %s}
        tables:
        %sgroups:
        %sshards:
        %s"""
        .formatted(
            at.metastoreUri(),
            at.warehouse(),
            at.kafkaBootstrapServers(),
            server.name(),
            server.host(),
            server.port(),
            server.cdc().name(),
            server.cdc().passwordFile(),
            each(FuzzWave::tableSection),
            each(this::groupSection),
            each(this::shardSection));
  }

  private String each(java.util.function.Function<FuzzTable, String> section) {
    return courses.stream()
        .map(course -> section.apply(course.table))
        .collect(Collectors.joining());
  }

  private static String tableSection(FuzzTable table) {
    return "  %s:\n%s    bucket-column: %s\n    bucket-count: %d\n"
        .formatted(
            table.name(),
            table.reading().namedKey()
                ? table.keyColumns().stream()
                    .map(column -> quoted(column.name()))
                    .collect(Collectors.joining(", ", "    key: [", "]\n"))
                : "",
            quoted(table.reading().bucketColumn()),
            table.reading().bucketCount());
  }

  private String groupSection(FuzzTable table) {
    int first = 5_000 + 10 * table.index();
    return "  %s:\n    table: %s\n    parallelism: %d\n    checkpoint-interval: 1 s\n    server-id: {%s: %d-%d}\n    scan.incremental.snapshot.chunk.size: %d\n%s"
        .formatted(
            table.group(),
            table.name(),
            table.reading().parallelism(),
            at.mariaDb(1).name(),
            first,
            first + table.reading().parallelism() - 1,
            table.reading().chunkSize(),
            table.reading().rowsPerSecond().isPresent()
                ? "    snapshot-rows-per-second: "
                    + table.reading().rowsPerSecond().getAsInt()
                    + "\n"
                : "");
  }

  private String shardSection(FuzzTable table) {
    return IntStream.range(0, table.shards().size())
        .mapToObj(
            shard ->
                "  - {number: %d, group: %s, server: %s, database: %s, table: %s}\n"
                    .formatted(
                        shard,
                        table.group(),
                        at.mariaDb(1).name(),
                        quoted(table.database()),
                        quoted(table.shards().get(shard))))
        .collect(Collectors.joining());
  }

  /** A text of JSON is one of YAML. */
  private static String quoted(String text) {
    try {
      return new ObjectMapper().writeValueAsString(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws Exception {
    writers.shutdownNow();
    for (Course course : courses) {
      if (course.job.isPresent()) {
        cluster.cancel(course.job.get());
      }
      if (course.lake != null) {
        course.lake.close();
      }
    }
    if (coordinator != null) {
      cluster.cancel(coordinator);
    }
    for (Course course : courses) {
      course.writer.drop();
      course.writer.close();
    }
    try {
      Files.deleteIfExists(registryFile);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot remove " + registryFile, e);
    }
  }
}
