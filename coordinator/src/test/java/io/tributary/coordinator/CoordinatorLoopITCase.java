package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.StateAcceptance;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.coordinator.iceberg.TableLedger;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.coordinator.iceberg.UnreliableCatalog;
import io.tributary.coordinator.kafka.KafkaClients;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop between a real Kafka broker and a real Hive metastore. */
class CoordinatorLoopITCase {
  private static final Duration PATIENCE = LoopBench.PATIENCE;

  private LoopBench bench;

  @BeforeEach
  void open() {
    bench = new LoopBench();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void carriesTwoGroupsFromHelloToMessages() {
    bench.start();
    TestGroup a = bench.group("a", 1);
    TestGroup b = bench.group("b", 2);
    for (int i = 1; i <= 5; i++) {
      a.upsert(bench.table(), 1, "a" + i);
      b.upsert(bench.table(), i, "b" + i);
      bench.awaitCommitted(a, i);
    }
    bench.awaitCommitted(b, 5);

    assertThat(new TableFiles(bench.table()).visibleRows())
        .contains(entry("1/1", "a5"), entry("2/1", "b1"), entry("2/5", "b5"))
        .hasSize(6);
    bench.assertEachRoundOnceInOrder();
    CommitStatus last = bench.messages().get(bench.messages().size() - 1);
    assertThat(last.validThrough()).isPresent();
    assertThat(last.notCovered()).isEmpty();
  }

  @Test
  void f4_theTableStaysSmallWhileRoundsGoOnAndNothingIsForgotten() {
    bench.start(bench.setup().withLimits(new TableMaintenance.Limits(3, 1_000, 1_000)));
    TestGroup a = bench.group("a", 1);
    bench.commitAsOthers(
        table ->
            table
                .updateProperties()
                .set("history.expire.max-snapshot-age-ms", "1")
                .set("history.expire.min-snapshots-to-keep", "2")
                .set("commit.manifest.min-count-to-merge", "4")
                .commit());
    for (int i = 1; i <= 15; i++) {
      a.upsert(bench.table(), i % 2, "a" + i);
      bench.awaitCommitted(a, i);
    }

    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              Table table = bench.table();
              assertThat(table.snapshots()).hasSizeLessThanOrEqualTo(4);
              assertThat(table.currentSnapshot().allManifests(table.io()))
                  .hasSizeLessThanOrEqualTo(8);
            });
    Table table = bench.table();
    TableState state = bench.state().orElseThrow();
    assertThat(table.refs().get("tributary").snapshotId())
        .isEqualTo(state.snapshot().orElseThrow().id());
    assertThat(new TableFiles(table).visibleRows())
        .containsOnly(entry("1/0", "a14"), entry("1/1", "a15"));
    bench.assertEveryManifestExists();
    List<Long> rounds = bench.messages().stream().map(message -> message.round().value()).toList();
    assertThat(rounds)
        .isEqualTo(LongStream.rangeClosed(1, rounds.size()).boxed().toList())
        .hasSizeGreaterThanOrEqualTo(15);
    a.upsert(bench.table(), 1, "a16");
    bench.awaitCommitted(a, 16);
  }

  @Test
  void aGroupThatIsHaltedIsReportedOnceAndStopsNoOther() {
    List<Alarm> halted = new CopyOnWriteArrayList<>();
    bench.start(
        bench
            .setup()
            .withSteps(
                LoopBench.telling(
                    action -> {
                      if (action instanceof Action.Raise raise
                          && raise.alarm().code() == Alarm.Code.GROUP_HALTED) {
                        halted.add(raise.alarm());
                      }
                    })));
    TestGroup a = bench.group("a", 1);
    TestGroup b = bench.group("b", 2);
    a.upsert(bench.table(), 1, "a1");
    bench.awaitCommitted(a, 1);
    GroupState first = bench.state().orElseThrow().group(a.name()).orElseThrow();
    a.upsert(bench.table(), 2, "a2");
    bench.awaitCommitted(a, 2);
    // Its job goes on from before its second epoch.
    a.startFrom(first);
    a.upsert(bench.table(), 3, "another second");
    bench.awaitState(state -> state.group(a.name()).flatMap(GroupState::halt).isPresent());
    for (int i = 1; i <= 4; i++) {
      a.upsert(bench.table(), 3 + i, "never");
      b.upsert(bench.table(), i, "b" + i);
      bench.awaitCommitted(b, i);
    }

    assertThat(halted)
        .singleElement()
        .satisfies(
            alarm -> {
              assertThat(alarm.group()).contains(a.name());
              assertThat(alarm.text()).contains("epoch 2 of group a", "cure: start group a anew");
            });
    TableState end = bench.state().orElseThrow();
    assertThat(end.group(a.name()).flatMap(GroupState::halt).map(Halt::code))
        .contains(HaltCode.REWOUND);
    assertThat(end.group(b.name()).flatMap(GroupState::halt)).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows().keySet())
        .containsExactly("1/1", "1/2", "2/1", "2/2", "2/3", "2/4");
    bench.assertEachRoundOnceInOrder();
  }

  /** Dies at a step whenever the condition, asked there alone, says so. */
  private static Steps dyingAt(String point, BooleanSupplier now) {
    return new Steps() {
      @Override
      public void before(Action action) {
        die("before " + action.getClass().getSimpleName());
      }

      @Override
      public void after(Action action, Event answer) {
        die("after " + action.getClass().getSimpleName());
      }

      private void die(String at) {
        if (at.equals(point) && now.getAsBoolean()) {
          throw new IllegalStateException("dies " + point);
        }
      }
    };
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
    Steps dying = dyingAt(point, () -> deaths.getAndIncrement() < 3);
    AtomicBoolean over = new AtomicBoolean();
    if (!point.contains("Create")) {
      // The first coordinator of a table creates it and needs no claim.
      LoopBench.Running first = bench.start();
      bench.group("b", 2);
      first.close();
    }
    bench.threads.submit(
        () -> {
          while (!over.get()) {
            LoopBench.Running running = bench.start(bench.setup().withSteps(dying));
            running.awaitEnd();
          }
        });
    TestGroup a = bench.group("a", 1);
    for (int i = 1; i <= 4; i++) {
      a.upsert(bench.table(), 1, "v" + i);
      a.upsert(bench.table(), 100 + i, "w" + i);
    }
    long epochs = 8;
    bench.awaitCommitted(a, epochs);
    // A round may take in many epochs: more of them until as many rounds were begun as it dies in.
    while (deaths.get() < (point.contains("Create") ? 1 : 3)) {
      assertThat(epochs).as("epochs until it died three times").isLessThan(40);
      a.upsert(bench.table(), 1, "v4");
      bench.awaitCommitted(a, ++epochs);
    }
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(
            entry("1/1", "v4"),
            entry("1/101", "w1"),
            entry("1/102", "w2"),
            entry("1/103", "w3"),
            entry("1/104", "w4"));
    // The last round may be one whose coordinator died right after it: another has to announce it.
    bench.assertEachRoundOnceInOrder();
    over.set(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"before CommitRound", "after CommitRound", "after Publish"})
  void aColumnThatTwoGroupsAskForIsAddedOnceAlsoByACoordinatorThatDies(String point) {
    AtomicBoolean asked = new AtomicBoolean();
    AtomicInteger deaths = new AtomicInteger();
    Steps dying = dyingAt(point, () -> asked.get() && deaths.getAndIncrement() < 2);
    AtomicBoolean over = new AtomicBoolean();
    bench.threads.submit(
        () -> {
          while (!over.get()) {
            bench.start(bench.setup().withSteps(dying)).awaitEnd();
          }
        });
    TestGroup a = bench.group("a", 1);
    TestGroup b = bench.group("b", 2);
    a.upsert(bench.table(), 1, "before");
    bench.awaitCommitted(a, 1);
    asked.set(true);
    a.request(bench.table(), new RequestedColumn("price", "int"));
    b.request(
        bench.table(), new RequestedColumn("price", "long"), new RequestedColumn("note", "string"));
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> bench.table().schema().findField("note") != null);
    b.upsert(bench.table(), 2, "after");
    bench.awaitCommitted(b, 1);

    Table table = bench.table();
    assertThat(deaths.get()).isGreaterThanOrEqualTo(1);
    assertThat(table.schema().columns())
        .extracting(field -> field.fieldId() + " " + field.name() + " " + field.type())
        .containsExactly(
            "1 shard_id int", "2 id long", "3 name string", "4 price long", "5 note string");
    assertThat(new TableFiles(table).visibleRows())
        .containsExactly(entry("1/1", "before"), entry("2/2", "after"));
    bench.assertEachRoundOnceInOrder();
    over.set(true);
  }

  @Test
  void aSecondCoordinatorTakesOverAndTheFirstEnds() {
    LoopBench.Running first = bench.start();
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);

    bench.start();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> bench.state().orElseThrow().term().equals(new Term(2)));
    a.upsert(bench.table(), 1, "two");
    bench.awaitCommitted(a, 2);
    first.awaitEnd();

    assertThat(first.fault()).isEmpty();
    assertThat(first.end()).contains(CoordinatorLoop.End.DEPOSED);
    assertThat(new TableFiles(bench.table()).visibleRows()).containsExactly(entry("1/1", "two"));
    bench.assertEachRoundOnceInOrder();
  }

  @Test
  void settlesLostAnswersByClaims() {
    AtomicReference<UnreliableCatalog> network = new AtomicReference<>();
    LoopBench.Running running =
        bench.start(
            bench
                .setup()
                .withNetwork(
                    catalog -> {
                      network.set(new UnreliableCatalog(catalog));
                      return network.get();
                    }));
    TestGroup a = bench.group("a", 1);
    int epoch = 0;
    for (UnreliableCatalog.Fault fault : UnreliableCatalog.Fault.values()) {
      for (int i = 0; i < 2; i++) {
        network.get().next(fault);
        a.upsert(bench.table(), 1, "v" + ++epoch);
        a.upsert(bench.table(), 10 + epoch, "w" + epoch++);
        bench.awaitCommitted(a, epoch);
        assertThat(network.get().deliver()).isZero();
      }
    }

    assertThat(running.end()).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows())
        .hasSize(7)
        .contains(entry("1/1", "v" + (epoch - 1)), entry("1/11", "w1"));
    bench.assertEachRoundOnceInOrder();
  }

  @Test
  void waitsForKafkaAndTheMetastore() {
    LoopBench.Running running = bench.start();
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);
    Table table = bench.table();
    for (String process : Arrays.asList("kafka", "metastore")) {
      Servers.get().stopProcess(process);
      if (process.equals("metastore")) {
        a.upsert(table, 1, "while the metastore is down");
      }
      sleep(3_000);
      Servers.get().startProcess(process);
    }
    a.upsert(table, 2, "after");
    bench.awaitCommitted(a, 3);

    assertThat(running.fault()).isEmpty();
    assertThat(running.end()).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "while the metastore is down"), entry("1/2", "after"));
    bench.assertEachRoundOnceInOrder();
  }

  @Test
  void aTableThatWasRolledBackGoesOnOnceAnOperatorHasAcceptedIt() {
    LoopBench.Running first = bench.start();
    TestGroup a = bench.group("a", 1);
    TestGroup b = bench.group("b", 2);
    a.upsert(bench.table(), 1, "one");
    b.upsert(bench.table(), 1, "other");
    bench.awaitCommitted(a, 1);
    bench.awaitCommitted(b, 1);
    long kept = bench.table().currentSnapshot().snapshotId();
    a.upsert(bench.table(), 1, "two");
    bench.awaitCommitted(a, 2);
    assertThat(decision().toAccept(false).orElseThrow().verdict())
        .isInstanceOf(StateAcceptance.Verdict.Nothing.class);
    bench.commitAsOthers(table -> table.manageSnapshots().rollbackTo(kept).commit());
    a.upsert(bench.table(), 2, "void");
    first.awaitEnd();
    assertThat(first.end()).contains(CoordinatorLoop.End.STOPPED);

    TableDecision.Proposal proposal = decision().toAccept(false).orElseThrow();
    assertThat(((StateAcceptance.Verdict.Acceptable) proposal.verdict()).copied()).isEmpty();
    assertThat(proposal.carryOut("anna")).isInstanceOf(SwapOutcome.Done.class);
    TableState accepted = bench.state().orElseThrow();
    assertThat(accepted.promisedThrough()).isPresent();

    LoopBench.Running second = bench.start();
    a.upsert(bench.table(), 3, "void too");
    TestGroup a2 = startedAnew(a, accepted);
    TestGroup b2 = startedAnew(b, accepted);
    a2.upsert(bench.table(), 1, "two");
    a2.upsert(bench.table(), 2, "three");
    b2.upsert(bench.table(), 2, "another");
    bench.awaitCommitted(a2, accepted.group(a.name()).orElseThrow().epoch().value() + 2);
    bench.awaitCommitted(b2, accepted.group(b.name()).orElseThrow().epoch().value() + 1);
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> bench.state().orElseThrow().validThrough().isPresent());

    assertThat(second.end()).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(
            entry("1/1", "two"),
            entry("1/2", "three"),
            entry("2/1", "other"),
            entry("2/2", "another"));
    bench.assertEachRoundOnceInOrder();
    assertThat(bench.messages())
        .anySatisfy(
            message -> assertThat(message.promisedThrough()).isEqualTo(accepted.promisedThrough()));
    assertThat(bench.state().orElseThrow().validThrough().orElseThrow())
        .isGreaterThanOrEqualTo(accepted.promisedThrough().orElseThrow());
  }

  @Test
  void aTableThatSomebodyElseCreatedIsAdoptedAndCopiedAnew() {
    org.apache.iceberg.catalog.Namespace namespace = org.apache.iceberg.catalog.Namespace.of("it");
    if (!bench.catalog().namespaceExists(namespace)) {
      bench.catalog().createNamespace(namespace);
    }
    org.apache.iceberg.Schema schema =
        org.apache.iceberg.SchemaParser.fromJson(TestGroup.proposal().schemaJson());
    bench
        .catalog()
        .createTable(
            TableIdentifier.parse(bench.name.value()),
            schema,
            org.apache.iceberg.PartitionSpec.builderFor(schema)
                .identity("shard_id")
                .bucket("id", 1)
                .build(),
            Map.of("format-version", "2", "engine.hive.lock-enabled", "false"));
    bench
        .table()
        .newAppend()
        .appendFile(new TableFiles(bench.table()).data(1, new TableFiles.Row(9, "ghost")))
        .commit();
    LoopBench.Running refused = bench.start();
    refused.awaitEnd();
    assertThat(refused.end()).contains(CoordinatorLoop.End.STOPPED);
    TestGroup a =
        new TestGroup(bench.name, "a", 1, Servers.get().endpoints().kafkaBootstrapServers());
    bench.add(a);
    a.hello();

    TableDecision.Proposal proposal = decision().toAdopt().orElseThrow();
    assertThat(proposal.carryOut("anna")).isInstanceOf(SwapOutcome.Done.class);
    bench.start();
    TableState adopted = bench.state().orElseThrow();
    TestGroup again = startedAnew(a, adopted);
    again.copy(bench.table(), 1, "copied");
    bench.awaitCommitted(again, 1);
    assertThat(new TableFiles(bench.table()).visibleRows()).containsExactly(entry("1/1", "copied"));
  }

  /** What the verbs do. */
  private TableDecision decision() {
    KafkaClients kafka =
        new KafkaClients(
            Map.of("bootstrap.servers", Servers.get().endpoints().kafkaBootstrapServers()));
    return new TableDecision(
        bench.name,
        TableLedger.in(bench.catalog(), bench.name),
        kafka,
        LoopSetup.controlTopic(bench.name),
        () -> {
          List<CommitStatus> all = bench.messages();
          return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
        },
        LoopSetup.MEMBERS,
        TableDecision.Numbers.NONE,
        Clock.systemUTC());
  }

  private TestGroup startedAnew(TestGroup before, TableState accepted) {
    TestGroup made =
        new TestGroup(
                bench.name,
                before.name().value(),
                before.shard(),
                Servers.get().endpoints().kafkaBootstrapServers())
            .incarnation(accepted.group(before.name()).orElseThrow().incarnation().next());
    bench.add(made);
    made.hello();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () ->
                bench
                    .state()
                    .orElseThrow()
                    .group(made.name())
                    .orElseThrow()
                    .submission()
                    .equals(made.submission()));
    made.startFrom(bench.state().orElseThrow().group(made.name()).orElseThrow());
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
