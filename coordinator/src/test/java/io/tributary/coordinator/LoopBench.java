package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.core.Action;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A table of its own between a real Kafka broker and a real Hive metastore, the coordinators that
 * are started on it, and looks at it from outside.
 */
final class LoopBench implements AutoCloseable {
  /** Far more than anything takes, on a machine that does much else. */
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final AtomicInteger TABLES = new AtomicInteger();

  final TableName name =
      new TableName("it.orders_" + System.nanoTime() + "_" + TABLES.incrementAndGet());
  final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
  private final List<Running> started = new CopyOnWriteArrayList<>();
  private final List<TestGroup> groups = new ArrayList<>();
  private final HiveCatalog catalog = setup().catalog();

  @Override
  public void close() {
    ticks.shutdownNow();
    started.forEach(Running::close);
    groups.forEach(TestGroup::close);
    threads.shutdownNow();
    catalog.dropTable(TableIdentifier.parse(name.value()), true);
  }

  LoopSetup setup() {
    return LoopSetup.of(name);
  }

  HiveCatalog catalog() {
    return catalog;
  }

  /** A coordinator at work, ticked 5 times a second. */
  final class Running {
    private final CoordinatorLoop loop;
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final Future<?> end;

    private Running(CoordinatorLoop loop) {
      this.loop = loop;
      this.end =
          threads.submit(
              () -> {
                try {
                  loop.run();
                } catch (Throwable e) {
                  fault.set(e);
                }
              });
      ticks.scheduleWithFixedDelay(loop::tick, 200, 200, TimeUnit.MILLISECONDS);
    }

    /** How it ended; empty while it runs. */
    Optional<CoordinatorLoop.End> end() {
      return loop.end();
    }

    Optional<Throwable> fault() {
      return Optional.ofNullable(fault.get());
    }

    void close() {
      loop.close();
      awaitEnd();
    }

    void awaitEnd() {
      try {
        end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Tells of each action before it is done. */
  static Steps telling(Consumer<Action> listener) {
    return new Steps() {
      @Override
      public void before(Action action) {
        listener.accept(action);
      }
    };
  }

  Running start() {
    return start(setup());
  }

  Running start(LoopSetup setup) {
    Running running = new Running(setup.loop(threads));
    started.add(running);
    return running;
  }

  /** A group that has said hello and is answered. */
  TestGroup group(String group, int shard) {
    TestGroup made = sayHello(group, shard);
    awaitState(
        state ->
            state
                .group(made.name())
                .filter(answered -> answered.submission().equals(made.submission()))
                .isPresent());
    return made;
  }

  /** Closes a group of the test's own with everything else. */
  void add(TestGroup group) {
    groups.add(group);
  }

  /** A group that has said hello. */
  TestGroup sayHello(String group, int shard) {
    TestGroup made =
        new TestGroup(name, group, shard, Servers.get().endpoints().kafkaBootstrapServers());
    groups.add(made);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              made.hello();
              return true;
            });
    return made;
  }

  Optional<TableState> state() {
    try {
      return TableStateCodec.decode(table().properties());
    } catch (NoSuchTableException e) {
      return Optional.empty();
    }
  }

  Table table() {
    return catalog.loadTable(TableIdentifier.parse(name.value()));
  }

  private long committed(TestGroup group) {
    return state()
        .flatMap(state -> state.group(group.name()))
        .map(answered -> answered.epoch().value())
        .orElse(0L);
  }

  void awaitCommitted(TestGroup group, long epoch) {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> committed(group) >= epoch);
  }

  void awaitState(Predicate<TableState> reached) {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> state().filter(reached).isPresent());
  }

  /** Commits as another engine does, as often as it takes beside a coordinator. */
  void commitAsOthers(Consumer<Table> change) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              change.accept(table());
              return true;
            });
  }

  /** What a read_committed reader sees from the topic's first record to its end. */
  List<CommitStatus> messages() {
    TopicPartition partition = new TopicPartition(LoopSetup.statusTopic(name), 0);
    List<CommitStatus> messages = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                Servers.get().endpoints().kafkaBootstrapServers(),
                "isolation.level",
                "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          messages.add(CommitStatusCodec.decode(record.value()));
        }
      }
    }
    return messages;
  }

  void assertEachRoundOnceInOrder() {
    long round = state().orElseThrow().round().value();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(messages()).hasSizeGreaterThanOrEqualTo((int) round));
    List<CommitStatus> messages = messages();
    assertThat(messages.stream().map(message -> message.round().value()).toList())
        .isEqualTo(LongStream.rangeClosed(1, messages.size()).boxed().toList());
    Table table = table();
    assertThat(messages)
        .allSatisfy(
            message ->
                message
                    .snapshot()
                    .ifPresent(snapshot -> assertThat(table.snapshot(snapshot.id())).isNotNull()));
  }

  /** Every manifest that any snapshot of the table references, now. */
  void assertEveryManifestExists() {
    Table table = table();
    assertThat(table.snapshots())
        .allSatisfy(
            snapshot ->
                assertThat(snapshot.allManifests(table.io()))
                    .allMatch(manifest -> table.io().newInputFile(manifest.path()).exists()));
  }
}
