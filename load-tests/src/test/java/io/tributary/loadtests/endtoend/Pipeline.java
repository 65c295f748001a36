package io.tributary.loadtests.endtoend;

import io.tributary.cli.JobJar;
import io.tributary.cli.LakeTable;
import io.tributary.cli.VerifyTargets;
import io.tributary.cli.verify.Verifier;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.zookeeper.Publication;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The jobs of one landscape, and looks at them from outside. Closing it ends the jobs. */
final class Pipeline implements AutoCloseable {
  static final String COORDINATOR = "coordinator";

  /** A machine that is busy with other things must not fail a test. */
  private static final Duration PATIENCE = Duration.ofMinutes(8);

  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Set<String> ENDED = Set.of("FAILED", "CANCELED", "FINISHED");

  /** Something to wait for; an exception of the stack's means: not yet. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  private final LocalStack stack;
  private final ZooKeeperAddress zooKeeper;
  private final boolean withZooKeeper;
  private final Path file;
  private final Map<String, String> jobs = Collections.synchronizedMap(new LinkedHashMap<>());
  private Landscape landscape;
  private Registry registry;
  private LakeTable lake;

  /** Jobs that read the registry in ZooKeeper. */
  Pipeline(LocalStack stack, Landscape landscape) {
    this(stack, landscape, true);
  }

  /**
   * @param withZooKeeper whether the jobs read the registry there, or in its file
   */
  Pipeline(LocalStack stack, Landscape landscape, boolean withZooKeeper) {
    this.stack = stack;
    this.withZooKeeper = withZooKeeper;
    this.zooKeeper =
        new ZooKeeperAddress(stack.endpoints().zooKeeper(), "/tributary/" + landscape.name());
    this.file = stack.folder().resolve(landscape.name() + ".yaml");
    publish(landscape);
    this.lake = LakeTable.open(registry.catalog(), landscape.table());
  }

  Landscape landscape() {
    return landscape;
  }

  Registry registry() {
    return registry;
  }

  ZooKeeperAddress zooKeeper() {
    return zooKeeper;
  }

  /** Makes this the registry's next version. */
  void publish(Landscape next) {
    publish(next, UnaryOperator.identity());
  }

  /**
   * Makes this the registry's next version.
   *
   * @param edit made to its text
   */
  void publish(Landscape next, UnaryOperator<String> edit) {
    landscape = next;
    try {
      Files.writeString(file, edit.apply(next.yaml()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    registry = RegistryParser.parseFile(file);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(zooKeeper)) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      store.publish(registry, store.current().map(Publication::version), "tests");
    }
  }

  /** Submits the coordinator's job anew. */
  void submitCoordinator() {
    jobs.put(COORDINATOR, run(List.of(), JobJar.coordinator(), registryArguments()));
  }

  /** Submits a group's job anew, without Flink state. */
  void submit(GroupName group) {
    jobs.put(group.value(), launch(group));
  }

  /** {@code flink run} of a group's job that is not looked after from then on. */
  String launch(GroupName group) {
    return submission(List.of(), group);
  }

  /** Looks after this job of a group from now on. */
  void adopt(GroupName group, String job) {
    jobs.put(group.value(), job);
  }

  /** Looks after this job from now on. */
  void adopt(String name, String job) {
    jobs.put(name, job);
  }

  /** Looks no longer after a job: somebody else ends it. */
  void forget(String name) {
    jobs.remove(name);
  }

  /** Submits a group's job with the state of a savepoint. */
  void submitFrom(String savepoint, GroupName group) {
    jobs.put(group.value(), submission(List.of("-s", savepoint), group));
  }

  private String submission(List<String> options, GroupName group) {
    List<String> arguments = new ArrayList<>(registryArguments());
    arguments.addAll(List.of("--group", group.toString()));
    return run(options, JobJar.ingest(), arguments);
  }

  private List<String> registryArguments() {
    return withZooKeeper
        ? List.of("--zookeeper", zooKeeper.toString())
        : List.of("--registry-file", file.toString());
  }

  private String run(List<String> options, JobJar jar, List<String> arguments) {
    return stack.flinkCli().run(options, jar.jar(), jar.mainClass(), arguments);
  }

  /** The Flink job of a group, or the coordinator's. */
  String job(String name) {
    return jobs.get(name);
  }

  String job(GroupName group) {
    return job(group.value());
  }

  /** Ends a job without a savepoint and waits until it has ended. */
  void cancel(String name) {
    cancelJob(jobs.remove(name));
  }

  void cancelJob(String id) {
    stack.flinkCli().cancel(id);
    await("the end of job " + id, () -> ENDED.contains(stack.flinkRest().jobState(id)));
  }

  /** Ends a group's job after a last savepoint. */
  String stopWithSavepoint(GroupName group) {
    String id = jobs.remove(group.value());
    String savepoint = stack.flinkCli().stopWithSavepoint(id);
    await("the end of job " + id, () -> ENDED.contains(stack.flinkRest().jobState(id)));
    return savepoint;
  }

  /** The TaskManager that runs a job, as soon as one does. */
  String taskManagerOf(String name) {
    List<String> found = new ArrayList<>();
    await(
        "a TaskManager that runs " + name,
        () -> {
          found.clear();
          found.addAll(stack.flinkRest().taskManagersOf(jobs.get(name)));
          return isRunning(name) && found.size() == 1;
        });
    return found.get(0);
  }

  boolean isRunning(String name) {
    return stack.flinkRest().jobState(jobs.get(name)).equals("RUNNING");
  }

  /** How often Flink has restored a job from a checkpoint since its JobManager began. */
  long restores(String name) {
    return stack.flinkRest().checkpoints(jobs.get(name)).restored();
  }

  /** What the table remembers now. */
  Optional<TableState> state() {
    return lake.state();
  }

  Table table() {
    return lake.load().orElseThrow();
  }

  GroupState group(GroupName group) {
    return state().flatMap(state -> state.group(group)).orElseThrow();
  }

  /** Rows of a group's shards that their initial snapshots have brought into the table. */
  long copiedRows(TableState state, GroupName group) {
    return landscape.shardsOf(group).stream()
        .flatMap(shard -> state.shard(shard).stream())
        .mapToLong(ShardState::copiedRows)
        .sum();
  }

  /** Epochs of a group that lie in the control topic and are not in the table. */
  long pendingEpochs(GroupName group) {
    TableState state = state().orElseThrow();
    long committed = state.group(group).map(GroupState::epoch).map(Epoch::value).orElse(0L);
    return controlMessages(state.controlOffset())
        .filter(Committable.class::isInstance)
        .map(Committable.class::cast)
        .filter(found -> found.group().equals(group) && found.epoch().value() > committed)
        .count();
  }

  /** Columns of this name that a group asks for and the table may not have yet. */
  long pendingRequests(GroupName group, String column) {
    return controlMessages(state().orElseThrow().controlOffset())
        .filter(SchemaRequest.class::isInstance)
        .map(SchemaRequest.class::cast)
        .filter(found -> found.group().equals(group))
        .flatMap(found -> found.columns().stream())
        .filter(found -> found.name().equals(column))
        .count();
  }

  private Stream<ControlMessage> controlMessages(long from) {
    List<ControlMessage> messages = new ArrayList<>();
    TopicPartition partition =
        new TopicPartition(registry.table(landscape.table()).controlTopic(), 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      consumer.seek(partition, from);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> found : consumer.poll(LOOK)) {
          messages.add(ControlMessageCodec.decode(found.value()));
        }
      }
    }
    return messages.stream();
  }

  /** Failures of a job that Flink remembers, with their stack traces. */
  List<String> failures(String name) {
    return stack.flinkRest().exceptions(jobs.get(name));
  }

  /** Waits until the table remembers something. */
  TableState awaitState(String what, Predicate<TableState> reached) {
    List<TableState> found = new ArrayList<>();
    await(
        what,
        () -> {
          found.clear();
          state().filter(reached).ifPresent(found::add);
          return !found.isEmpty();
        });
    return found.get(0);
  }

  /** Waits until so many more rounds than now are committed. */
  TableState awaitRounds(int more) {
    long now = state().map(state -> state.round().value()).orElse(0L);
    return awaitState("round " + (now + more), state -> state.round().value() >= now + more);
  }

  /** Waits until the table is complete up to a time. */
  TableState awaitWatermark(Instant time) {
    return awaitState(
        "a watermark past " + time,
        state ->
            state.validThrough().filter(reached -> reached.instant().isAfter(time)).isPresent());
  }

  /**
   * Waits for something, and tells what is wrong with the jobs when it does not come.
   *
   * @throws AssertionError when it takes too long, or one of the jobs has ended by itself
   */
  void await(String what, Condition condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long begin = System.nanoTime();
    Exception last = null;
    while (System.nanoTime() < deadline) {
      try {
        if (condition.holds()) {
          System.out.printf("%s: %s (%.1f s)%n", landscape.name(), what, seconds(begin));
          return;
        }
        last = null;
        for (Map.Entry<String, String> job : jobs.entrySet()) {
          String state = stack.flinkRest().jobState(job.getValue());
          if (ENDED.contains(state)) {
            throw new AssertionError(
                "Waiting for %s: %s is %s; %s"
                    .formatted(what, job.getKey(), state, exceptions(job.getValue())));
          }
        }
      } catch (LocalStackException e) {
        last = e;
      } catch (Exception e) {
        last = e;
      }
      pause();
    }
    throw new AssertionError(
        "Waiting for %s took more than %d s; jobs %s; table %s"
            .formatted(what, PATIENCE.toSeconds(), jobReports(), look()),
        last);
  }

  private static double seconds(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted", e);
    }
  }

  private String look() {
    try {
      return state().map(Object::toString).orElse("not there");
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  private Map<String, String> jobReports() {
    Map<String, String> reports = new LinkedHashMap<>();
    jobs.forEach(
        (name, id) -> {
          try {
            reports.put(name, stack.flinkRest().jobState(id) + " " + exceptions(id));
          } catch (RuntimeException e) {
            reports.put(name, e.toString());
          }
        });
    return reports;
  }

  private List<String> exceptions(String id) {
    return stack.flinkRest().exceptions(id).stream().limit(2).toList();
  }

  /** Compares all shards with the table, row by row. The sources must be quiet. */
  VerifyReport verify() {
    return new Verifier(
            VerifyTargets.of(
                registry, registry.table(landscape.table()), table(), 20, stack.folder()),
            (shard, index, count, rows) -> {})
        .verify();
  }

  /** Ends the jobs that run. */
  @Override
  public void close() {
    for (String id : jobs.values()) {
      if (!ENDED.contains(stack.flinkRest().jobState(id))) {
        stack.flinkCli().cancel(id);
      }
    }
    lake.close();
  }
}
