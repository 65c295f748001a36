package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.CoordinatorCore;
import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.StateAcceptance;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.coordinator.iceberg.UnreliableCatalog;
import io.tributary.coordinator.kafka.ControlTopic;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.coordinator.kafka.StatusTopic;
import io.tributary.coordinator.kafka.TableTopics;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop between a real Kafka broker and a real Hive metastore. */
class CoordinatorLoopITCase {
  /** Far more than anything takes, on a machine that does much else. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final AtomicInteger TABLES = new AtomicInteger();

  private static final Members MEMBERS =
      Members.of(
          0,
          Map.of(
              new ShardId(1),
              Members.Member.active(new io.tributary.protocol.GroupName("a"), TestGroup.SERVER),
              new ShardId(2),
              Members.Member.active(new io.tributary.protocol.GroupName("b"), TestGroup.SERVER)));

  private final TableName name =
      new TableName("it.orders_" + System.nanoTime() + "_" + TABLES.incrementAndGet());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
  private final List<Running> started = new CopyOnWriteArrayList<>();
  private final List<TestGroup> groups = new ArrayList<>();
  private HiveCatalog catalog;

  @BeforeEach
  void open() {
    catalog = catalog();
  }

  @AfterEach
  void close() {
    ticks.shutdownNow();
    started.forEach(Running::close);
    groups.forEach(TestGroup::close);
    threads.shutdownNow();
    catalog.dropTable(TableIdentifier.parse(name.value()), true);
  }

  private static HiveCatalog catalog() {
    HiveCatalog hive = new HiveCatalog();
    Configuration hadoop = new Configuration();
    hadoop.set("hive.metastore.client.socket.timeout", "10s");
    hive.setConf(hadoop);
    hive.initialize(
        "test",
        Map.of(
            "uri",
            Servers.get().endpoints().metastoreUri(),
            "warehouse",
            Servers.get().endpoints().warehouse().toString()));
    return hive;
  }

  /** A coordinator at work, ticked 5 times a second. */
  private final class Running {
    private final CoordinatorLoop loop;
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final java.util.concurrent.Future<?> end;

    Running(CoordinatorLoop loop) {
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

  private Running start(Steps steps) {
    return start(steps, catalog -> TableLedger.in(catalog, name));
  }

  private Running start(Steps steps, Function<HiveCatalog, Supplier<TableOperations>> tableIn) {
    String servers = Servers.get().endpoints().kafkaBootstrapServers();
    KafkaClients kafka = new KafkaClients(Map.of("bootstrap.servers", servers));
    String control = "tributary.control." + name;
    String status = "tributary.status." + name;
    HiveCatalog own = catalog();
    CoordinatorLoop loop =
        new CoordinatorLoop(
            new CoordinatorLoop.Parts(
                name,
                new CoordinatorCore(
                    CoreSettings.of(name, Duration.ofSeconds(1), 16, Duration.ofMinutes(1)),
                    MEMBERS,
                    Protections.all()),
                new TableLedger(
                    name, tableIn.apply(own), false, threads, LedgerHooks.NONE, Protections.all()),
                new TableCreator(own, name, new TableSettings(Optional.empty(), Map.of())),
                new TableTopics(kafka, control, status),
                new ControlTopic(kafka, control),
                new StatusTopic(kafka, name, status),
                Optional::empty,
                () -> new Term(0),
                message -> {},
                new LoopMetrics(new UnregisteredMetricsGroup(), name, Clock.systemUTC()),
                Clock.systemUTC(),
                UUID::randomUUID,
                steps));
    Running running = new Running(loop);
    started.add(running);
    return running;
  }

  private TestGroup group(String group, int shard) {
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
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                state()
                    .flatMap(state -> state.group(made.name()))
                    .filter(answered -> answered.submission().equals(made.submission()))
                    .isPresent());
    return made;
  }

  private Optional<TableState> state() {
    try {
      return TableStateCodec.decode(table().properties());
    } catch (NoSuchTableException e) {
      return Optional.empty();
    }
  }

  private Table table() {
    return catalog.loadTable(TableIdentifier.parse(name.value()));
  }

  private long committed(TestGroup group) {
    return state()
        .flatMap(state -> state.group(group.name()))
        .map(answered -> answered.epoch().value())
        .orElse(0L);
  }

  private void awaitCommitted(TestGroup group, long epoch) {
    await().atMost(PATIENCE).ignoreExceptions().until(() -> committed(group) >= epoch);
  }

  /** What a read_committed reader sees from the topic's first record to its end. */
  private List<CommitStatus> messages() {
    TopicPartition partition = new TopicPartition("tributary.status." + name, 0);
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

  private void assertEachRoundOnceInOrder() {
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

  @Test
  void carriesTwoGroupsFromHelloToMessages() {
    start(Steps.NONE);
    TestGroup a = group("a", 1);
    TestGroup b = group("b", 2);
    for (int i = 1; i <= 5; i++) {
      a.upsert(table(), 1, "a" + i);
      b.upsert(table(), i, "b" + i);
      awaitCommitted(a, i);
    }
    awaitCommitted(b, 5);

    assertThat(new TableFiles(table()).visibleRows())
        .contains(entry("1/1", "a5"), entry("2/1", "b1"), entry("2/5", "b5"))
        .hasSize(6);
    assertEachRoundOnceInOrder();
    CommitStatus last = messages().get(messages().size() - 1);
    assertThat(last.validThrough()).isPresent();
    assertThat(last.notCovered()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "after CreateTable",
        "after Claim",
        "after OpenPublisher",
        "before CommitRound",
        "after CommitRound",
        "before Publish",
        "after Publish"
      })
  void dyingAtAStepLosesAndRepeatsNothing(String point) {
    // Dies at the first three occasions, so that also the one that takes over dies.
    AtomicInteger deaths = new AtomicInteger();
    Steps dying =
        new Steps() {
          @Override
          public void before(Action action) {
            die("before " + action.getClass().getSimpleName());
          }

          @Override
          public void after(Action action, Event answer) {
            die("after " + action.getClass().getSimpleName());
          }

          private void die(String at) {
            if (at.equals(point) && deaths.getAndIncrement() < 3) {
              throw new IllegalStateException("dies " + point);
            }
          }
        };
    AtomicBoolean over = new AtomicBoolean();
    if (!point.contains("Create")) {
      // The first coordinator of a table creates it and needs no claim.
      Running first = start(Steps.NONE);
      group("b", 2);
      first.close();
    }
    threads.submit(
        () -> {
          while (!over.get()) {
            Running running = start(dying);
            running.awaitEnd();
          }
        });
    TestGroup a = group("a", 1);
    for (int i = 1; i <= 4; i++) {
      a.upsert(table(), 1, "v" + i);
      a.upsert(table(), 100 + i, "w" + i);
    }
    awaitCommitted(a, 8);

    assertThat(deaths.get()).isGreaterThanOrEqualTo(point.contains("Create") ? 1 : 3);
    assertThat(new TableFiles(table()).visibleRows())
        .containsExactly(
            entry("1/1", "v4"),
            entry("1/101", "w1"),
            entry("1/102", "w2"),
            entry("1/103", "w3"),
            entry("1/104", "w4"));
    // The last round may be one whose coordinator died right after it: another has to announce it.
    assertEachRoundOnceInOrder();
    over.set(true);
  }

  @Test
  void aSecondCoordinatorTakesOverAndTheFirstEnds() {
    Running first = start(Steps.NONE);
    TestGroup a = group("a", 1);
    a.upsert(table(), 1, "one");
    awaitCommitted(a, 1);

    start(Steps.NONE);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> state().orElseThrow().term().equals(new Term(2)));
    a.upsert(table(), 1, "two");
    awaitCommitted(a, 2);
    first.awaitEnd();

    assertThat(first.fault.get()).isNull();
    assertThat(first.loop.end()).contains(CoordinatorLoop.End.DEPOSED);
    assertThat(new TableFiles(table()).visibleRows()).containsExactly(entry("1/1", "two"));
    assertEachRoundOnceInOrder();
  }

  @Test
  void settlesLostAnswersByClaims() {
    AtomicReference<UnreliableCatalog> network = new AtomicReference<>();
    Running running =
        start(
            Steps.NONE,
            catalog -> {
              network.set(new UnreliableCatalog(TableLedger.in(catalog, name)));
              return network.get();
            });
    TestGroup a = group("a", 1);
    int epoch = 0;
    for (UnreliableCatalog.Fault fault : UnreliableCatalog.Fault.values()) {
      for (int i = 0; i < 2; i++) {
        network.get().next(fault);
        a.upsert(table(), 1, "v" + ++epoch);
        a.upsert(table(), 10 + epoch, "w" + epoch++);
        awaitCommitted(a, epoch);
        assertThat(network.get().deliver()).isZero();
      }
    }

    assertThat(running.loop.end()).isEmpty();
    assertThat(new TableFiles(table()).visibleRows())
        .hasSize(7)
        .contains(entry("1/1", "v" + (epoch - 1)), entry("1/11", "w1"));
    assertEachRoundOnceInOrder();
  }

  @Test
  void waitsForKafkaAndTheMetastore() {
    Running running = start(Steps.NONE);
    TestGroup a = group("a", 1);
    a.upsert(table(), 1, "one");
    awaitCommitted(a, 1);
    Table table = table();
    for (String process : Arrays.asList("kafka", "metastore")) {
      Servers.get().stopProcess(process);
      if (process.equals("metastore")) {
        a.upsert(table, 1, "while the metastore is down");
      }
      sleep(3_000);
      Servers.get().startProcess(process);
    }
    a.upsert(table, 2, "after");
    awaitCommitted(a, 3);

    assertThat(running.fault.get()).isNull();
    assertThat(running.loop.end()).isEmpty();
    assertThat(new TableFiles(table()).visibleRows())
        .containsExactly(entry("1/1", "while the metastore is down"), entry("1/2", "after"));
    assertEachRoundOnceInOrder();
  }

  @Test
  void aTableThatWasRolledBackGoesOnOnceAnOperatorHasAcceptedIt() {
    Running first = start(Steps.NONE);
    TestGroup a = group("a", 1);
    TestGroup b = group("b", 2);
    a.upsert(table(), 1, "one");
    b.upsert(table(), 1, "other");
    awaitCommitted(a, 1);
    awaitCommitted(b, 1);
    long kept = table().currentSnapshot().snapshotId();
    a.upsert(table(), 1, "two");
    awaitCommitted(a, 2);
    assertThat(decision().toAccept(false).orElseThrow().verdict())
        .isInstanceOf(StateAcceptance.Verdict.Nothing.class);
    table().manageSnapshots().rollbackTo(kept).commit();
    a.upsert(table(), 2, "void");
    first.awaitEnd();
    assertThat(first.loop.end()).contains(CoordinatorLoop.End.STOPPED);

    TableDecision.Proposal proposal = decision().toAccept(false).orElseThrow();
    assertThat(((StateAcceptance.Verdict.Acceptable) proposal.verdict()).copied()).isEmpty();
    assertThat(proposal.carryOut("anna")).isInstanceOf(SwapOutcome.Done.class);
    TableState accepted = state().orElseThrow();
    assertThat(accepted.promisedThrough()).isPresent();

    Running second = start(Steps.NONE);
    a.upsert(table(), 3, "void too");
    TestGroup a2 = startedAnew(a, accepted);
    TestGroup b2 = startedAnew(b, accepted);
    a2.upsert(table(), 1, "two");
    a2.upsert(table(), 2, "three");
    b2.upsert(table(), 2, "another");
    awaitCommitted(a2, accepted.group(a.name()).orElseThrow().epoch().value() + 2);
    awaitCommitted(b2, accepted.group(b.name()).orElseThrow().epoch().value() + 1);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> state().orElseThrow().validThrough().isPresent());

    assertThat(second.loop.end()).isEmpty();
    assertThat(new TableFiles(table()).visibleRows())
        .containsExactly(
            entry("1/1", "two"),
            entry("1/2", "three"),
            entry("2/1", "other"),
            entry("2/2", "another"));
    assertEachRoundOnceInOrder();
    assertThat(messages())
        .anySatisfy(
            message -> assertThat(message.promisedThrough()).isEqualTo(accepted.promisedThrough()));
    assertThat(state().orElseThrow().validThrough().orElseThrow())
        .isGreaterThanOrEqualTo(accepted.promisedThrough().orElseThrow());
  }

  @Test
  void aTableThatSomebodyElseCreatedIsAdoptedAndCopiedAnew() {
    org.apache.iceberg.catalog.Namespace namespace = org.apache.iceberg.catalog.Namespace.of("it");
    if (!catalog.namespaceExists(namespace)) {
      catalog.createNamespace(namespace);
    }
    org.apache.iceberg.Schema schema =
        org.apache.iceberg.SchemaParser.fromJson(TestGroup.proposal().schemaJson());
    catalog.createTable(
        TableIdentifier.parse(name.value()),
        schema,
        org.apache.iceberg.PartitionSpec.builderFor(schema)
            .identity("shard_id")
            .bucket("id", 1)
            .build(),
        Map.of("format-version", "2", "engine.hive.lock-enabled", "false"));
    table()
        .newAppend()
        .appendFile(new TableFiles(table()).data(1, new TableFiles.Row(9, "ghost")))
        .commit();
    Running refused = start(Steps.NONE);
    refused.awaitEnd();
    assertThat(refused.loop.end()).contains(CoordinatorLoop.End.STOPPED);
    TestGroup a = new TestGroup(name, "a", 1, Servers.get().endpoints().kafkaBootstrapServers());
    groups.add(a);
    a.hello();

    TableDecision.Proposal proposal = decision().toAdopt().orElseThrow();
    assertThat(proposal.carryOut("anna")).isInstanceOf(SwapOutcome.Done.class);
    start(Steps.NONE);
    TableState adopted = state().orElseThrow();
    TestGroup again = startedAnew(a, adopted);
    again.copy(table(), 1, "copied");
    awaitCommitted(again, 1);
    assertThat(new TableFiles(table()).visibleRows()).containsExactly(entry("1/1", "copied"));
  }

  /** What the verbs do. */
  private TableDecision decision() {
    KafkaClients kafka =
        new KafkaClients(
            Map.of("bootstrap.servers", Servers.get().endpoints().kafkaBootstrapServers()));
    return new TableDecision(
        name,
        TableLedger.in(catalog, name),
        kafka,
        "tributary.control." + name,
        () -> {
          List<CommitStatus> all = messages();
          return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
        },
        MEMBERS,
        TableDecision.Numbers.NONE,
        Clock.systemUTC());
  }

  private TestGroup startedAnew(TestGroup before, TableState accepted) {
    TestGroup made =
        new TestGroup(
                name,
                before.name().value(),
                before.shard(),
                Servers.get().endpoints().kafkaBootstrapServers())
            .incarnation(accepted.group(before.name()).orElseThrow().incarnation().next());
    groups.add(made);
    made.hello();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                state()
                    .orElseThrow()
                    .group(made.name())
                    .orElseThrow()
                    .submission()
                    .equals(made.submission()));
    made.startFrom(state().orElseThrow().group(made.name()).orElseThrow());
    return made;
  }

  private static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
