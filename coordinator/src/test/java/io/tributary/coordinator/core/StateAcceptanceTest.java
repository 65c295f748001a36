package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.core.StateAcceptance.Verdict;
import io.tributary.coordinator.core.TableFindings.ControlRecords;
import io.tributary.coordinator.core.TableFindings.ForeignSnapshot;
import io.tributary.coordinator.core.TableFindings.Heard;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StateAcceptanceTest {
  private static final LedgerProblem ROLLED_BACK =
      new LedgerProblem(LedgerProblem.Kind.ROLLED_BACK, "Cannot use table: rolled back");

  private final TestGroup a = new TestGroup("a", "db-a", 1, 2);
  private final TestGroup b = new TestGroup("b", "db-b", 3);
  private final CoreDriver driver = CoreDriver.onTable(a, b);

  /** What the table was a few rounds before its last. */
  private TableState older;

  private Continuation savepoint;

  @BeforeEach
  void runsForSomeRounds() {
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
    for (int i = 0; i < 3; i++) {
      driver.sendAll(a.changes(), b.changes());
      driver.tick();
    }
    older = driver.state();
    savepoint = a.continuation();
    for (int i = 0; i < 4; i++) {
      driver.sendAll(a.changes(), b.changes());
      driver.tick();
    }
    assertThat(last().validThrough()).isPresent();
  }

  private CommitStatus last() {
    return driver.published.get(driver.published.size() - 1);
  }

  private TableFindings found(
      Optional<TableState> recorded,
      Optional<LedgerProblem> problem,
      Optional<TableState> fitting,
      ForeignSnapshot... foreign) {
    return new TableFindings(
        TestGroup.TABLE,
        TestGroup.UUID_OF_TABLE,
        fitting.or(() -> recorded).flatMap(TableState::snapshot),
        recorded,
        problem,
        fitting,
        List.of(foreign),
        List.of(older),
        Optional.of(last()),
        ControlRecords.of(driver.deletedBelow, driver.topic.size(), Map.of()));
  }

  private TableFindings rolledBack(ForeignSnapshot... foreign) {
    return found(
        Optional.of(driver.state()), Optional.of(ROLLED_BACK), Optional.of(older), foreign);
  }

  private StateAcceptance decision(TableFindings found) {
    return StateAcceptance.of(found, driver.members, false);
  }

  private static StateAcceptance.Fresh fresh(StateAcceptance decision) {
    Map<GroupName, Incarnation> incarnations = new HashMap<>();
    decision
        .incarnations()
        .forEach((group, known) -> incarnations.put(group, new Incarnation(known + 1)));
    return new StateAcceptance.Fresh(
        decision.highestTerm().next(),
        new OwnerId(new UUID(70, 1)),
        new PlanId(new UUID(70, 2)),
        incarnations,
        new SubmissionId(new UUID(70, 3)),
        java.time.Instant.parse("2030-06-01T00:00:00Z"),
        "anna");
  }

  private TableState accepted(TableFindings found) {
    StateAcceptance decision = decision(found);
    assertThat(decision.judge()).isInstanceOf(Verdict.Acceptable.class);
    return decision.accept(fresh(decision));
  }

  private void coordinatorStartsOn(TableState state) {
    driver.table = Optional.of(state);
    driver.alarms.clear();
    driver.restart();
    assertThat(driver.stopped).isEmpty();
    assertThat(driver.core.stage()).isEqualTo("READY");
  }

  private void startAnew(TestGroup group) {
    group.incarnation = driver.state(group).incarnation();
    group.resubmitted();
    driver.send(group.hello());
    driver.tick();
    assertThat(driver.state(group).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state(group).halt()).isEmpty();
    group.startFrom(driver.state());
  }

  @Test
  void aRolledBackTableGoesOnFromTheStateThatItsRowsBelongTo() {
    RoundNumber announced = last().round();
    TableState state = accepted(rolledBack());

    assertThat(state.round()).isEqualTo(announced.next());
    assertThat(state.term()).isGreaterThan(driver.state().term());
    assertThat(state.snapshot()).isEqualTo(older.snapshot());
    assertThat(state.sources()).isEqualTo(older.sources());
    assertThat(state.shard(new ShardId(1)).orElseThrow().watermark())
        .isEqualTo(older.shard(new ShardId(1)).orElseThrow().watermark());
    assertThat(state.validThrough()).isEmpty();
    assertThat(state.promisedThrough()).isEqualTo(last().validThrough());
    assertThat(state.group(a.name).orElseThrow().epoch()).isEqualTo(driver.state(a).epoch());
    assertThat(state.controlOffset()).isEqualTo(driver.topic.size());

    coordinatorStartsOn(state);
    assertThat(last().round()).isEqualTo(announced.next());
    assertThat(last().validThrough()).isEmpty();
    assertThat(last().promisedThrough()).isEqualTo(state.promisedThrough());
    assertThat(driver.alarms(Alarm.Code.GROUP_HALTED))
        .extracting(Alarm::text)
        .allSatisfy(
            text ->
                assertThat(text)
                    .startsWith("state-accepted since")
                    .contains("after anna accepted the table", "cure: start group"));
  }

  @Test
  void theWatermarkComesBackOnceThePromiseHoldsAgain() {
    long promised = a.time;
    coordinatorStartsOn(accepted(rolledBack()));
    startAnew(a);
    startAnew(b);
    a.time = promised - 3;
    b.time = promised - 3;
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.state().validThrough()).isEmpty();
    assertThat(last().promisedThrough()).isPresent();
    for (int i = 0; i < 3; i++) {
      driver.sendAll(a.changes(), b.changes());
      driver.tick();
    }
    assertThat(driver.state().validThrough().orElseThrow().instant().getEpochSecond())
        .isGreaterThanOrEqualTo(promised);
    assertThat(last().promisedThrough()).isEmpty();
  }

  @Test
  void nothingThatWasSentBeforeGetsIn() {
    driver.send(a.changes());
    coordinatorStartsOn(accepted(rolledBack()));
    long epoch = driver.epoch(a);

    driver.send(a.changes());
    driver.tick();
    assertThat(driver.view(a).pendingEpochs()).isZero();
    assertThat(driver.alarms(Alarm.Code.ZOMBIE)).isNotEmpty();

    a.restoredFrom(savepoint);
    a.incarnation = driver.state(a).incarnation();
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(a).halt().orElseThrow().code()).isEqualTo(HaltCode.REWOUND);
    assertThat(driver.epoch(a)).isEqualTo(epoch);

    startAnew(a);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(epoch + 1);
  }

  @Test
  void shardsThatAForeignAppendTouchedAreCopiedFromEmptiedPartitions() {
    ForeignSnapshot foreign =
        new ForeignSnapshot(
            77, "append", 5, Optional.of(new TreeSet<>(List.of(new ShardId(3), new ShardId(9)))));
    StateAcceptance decision = decision(rolledBack(foreign));
    Verdict.Acceptable verdict = (Verdict.Acceptable) decision.judge();
    assertThat(verdict.copied()).containsExactly(new ShardId(3));
    assertThat(verdict.consequences())
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("snapshot 77 (append, 5 rows added, changes shards [3, 9])"))
        .anySatisfy(text -> assertThat(text).contains("shards [9]", "stay as they are"));

    coordinatorStartsOn(decision.accept(fresh(decision)));
    assertThat(driver.shard(3).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(driver.state().source(b.name, b.server)).isEmpty();
    assertThat(driver.state().source(a.name, a.server)).isPresent();
    startAnew(b);
    b.phase = ShardPhase.SNAPSHOT;
    driver.send(b.copied(3));
    driver.tick();
    assertThat(driver.lastRound().layers().get(0).emptyShards()).containsExactly(new ShardId(3));
  }

  @Test
  void aSnapshotThatOnlyRewritesFilesCopiesNothingAndOneThatCannotBeReadCopiesAll() {
    ForeignSnapshot rewritten = new ForeignSnapshot(77, "replace", 5, Optional.of(new TreeSet<>()));
    assertThat(((Verdict.Acceptable) decision(rolledBack(rewritten)).judge()).copied()).isEmpty();
    ForeignSnapshot unknown = new ForeignSnapshot(78, "overwrite", 5, Optional.empty());
    assertThat(((Verdict.Acceptable) decision(rolledBack(unknown)).judge()).copied()).hasSize(3);
  }

  @Test
  void withoutAStateThatFitsEveryShardIsCopiedAnew() {
    TableState state =
        accepted(found(Optional.of(driver.state()), Optional.of(ROLLED_BACK), Optional.empty()));
    assertThat(state.shards().values())
        .hasSize(3)
        .allSatisfy(
            shard -> {
              assertThat(shard.phase()).isEqualTo(ShardPhase.SNAPSHOT);
              assertThat(shard.watermark()).isEmpty();
              assertThat(shard.started()).isTrue();
            });
    assertThat(state.sources()).isEmpty();
    coordinatorStartsOn(state);
  }

  @Test
  void restoredMetadataGoesOnAboveWhatWasAnnounced() {
    TableFindings found = found(Optional.of(older), Optional.empty(), Optional.of(older));
    Verdict.Acceptable verdict = (Verdict.Acceptable) decision(found).judge();
    assertThat(verdict.found().toString())
        .contains("The commit-status topic does not fit", "round " + older.round());
    RoundNumber announced = last().round();
    TableState state = accepted(found);
    assertThat(state.round()).isEqualTo(announced.next());
    coordinatorStartsOn(state);
    assertThat(last().round()).isEqualTo(announced.next());
  }

  @Test
  void aRoundThatWasNotAnnouncedGivesItsNumberToTheDecision() {
    TableFindings found = rolledBack();
    CommitStatus before = driver.published.get(driver.published.size() - 2);
    TableFindings behind =
        new TableFindings(
            found.table(),
            found.tableUuid(),
            found.main(),
            found.recorded(),
            found.problem(),
            found.fitting(),
            found.foreign(),
            found.known(),
            Optional.of(before),
            found.control());
    assertThat(accepted(behind).round()).isEqualTo(before.round().next());
  }

  @Test
  void aTableThatWasCreatedAgainGoesOnBehindTheMessagesOfTheOldOne() {
    TableUuid other = new TableUuid(new UUID(8, 8));
    TableState recreated = CoreDriver.emptyTable();
    TableFindings found =
        new TableFindings(
            TestGroup.TABLE,
            other,
            Optional.empty(),
            Optional.of(driver.state()),
            Optional.of(new LedgerProblem(LedgerProblem.Kind.OTHER_UUID, "other table")),
            Optional.of(recreated),
            List.of(),
            List.of(),
            Optional.of(last()),
            ControlRecords.of(0, driver.topic.size(), Map.of()));
    RoundNumber announced = last().round();
    TableState state = accepted(found);
    assertThat(state.tableUuid()).isEqualTo(other);
    coordinatorStartsOn(state);
    assertThat(last().tableUuid()).isEqualTo(other);
    assertThat(last().round()).isEqualTo(announced.next());
  }

  @Test
  void aControlTopicThatWasCreatedAgainIsReadFromItsBeginning() {
    TableState before = driver.state();
    driver.topic.clear();
    TableFindings found =
        new TableFindings(
            TestGroup.TABLE,
            TestGroup.UUID_OF_TABLE,
            before.snapshot(),
            Optional.of(before),
            Optional.empty(),
            Optional.of(before),
            List.of(),
            List.of(),
            Optional.of(last()),
            ControlRecords.of(0, 0, Map.of()));
    assertThat(((Verdict.Acceptable) decision(found).judge()).found().toString())
        .contains("created again or lost records", "its end is 0");
    TableState state = accepted(found);
    assertThat(state.sources()).isEqualTo(before.sources());
    coordinatorStartsOn(state);
    startAnew(a);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(before.group(a.name).orElseThrow().epoch().value() + 1);
  }

  @Test
  void aControlTopicThatLostRecordsIsAccepted() {
    TableState before = driver.state();
    TableFindings found =
        new TableFindings(
            TestGroup.TABLE,
            TestGroup.UUID_OF_TABLE,
            before.snapshot(),
            Optional.of(before),
            Optional.empty(),
            Optional.of(before),
            List.of(),
            List.of(),
            Optional.of(last()),
            ControlRecords.of(
                before.controlOffset() + 2,
                before.controlOffset() + 5,
                Map.of(a.name, new Heard(9, 50))));
    assertThat(((Verdict.Acceptable) decision(found).judge()).found().toString())
        .contains("The control topic lost records");
    TableState state = accepted(found);
    assertThat(state.controlOffset()).isEqualTo(before.controlOffset() + 5);
    assertThat(state.group(a.name).orElseThrow().incarnation()).isEqualTo(new Incarnation(10));
    assertThat(state.group(a.name).orElseThrow().epoch().value()).isEqualTo(50);
  }

  @Test
  void whereNothingIsWrongThereIsNothingToAccept() {
    TableState state = driver.state();
    assertThat(decision(found(Optional.of(state), Optional.empty(), Optional.of(state))).judge())
        .isInstanceOfSatisfying(
            Verdict.Nothing.class,
            nothing -> assertThat(nothing.reason()).contains("expected something wrong"));
  }

  @Test
  void aLayoutOrLocksAreNotAccepted() {
    for (LedgerProblem.Kind kind :
        List.of(LedgerProblem.Kind.OTHER_LAYOUT, LedgerProblem.Kind.LOCK_MODE)) {
      TableFindings found =
          found(
              Optional.of(driver.state()),
              Optional.of(new LedgerProblem(kind, "Cannot use table: " + kind)),
              Optional.of(older));
      assertThat(decision(found).judge())
          .isEqualTo(new Verdict.Refused("Cannot use table: " + kind));
    }
  }

  @Test
  void positionsHoldOnlyWhereTheHistoryEnds() {
    LedgerProblem unproven = new LedgerProblem(LedgerProblem.Kind.UNPROVEN, "cannot tell");
    TableFindings found =
        found(Optional.of(driver.state()), Optional.of(unproven), Optional.empty());
    assertThat(
            ((Verdict.Acceptable) StateAcceptance.of(found, driver.members, false).judge())
                .copied())
        .hasSize(3);
    assertThat(
            ((Verdict.Acceptable) StateAcceptance.of(found, driver.members, true).judge()).copied())
        .isEmpty();
    assertThat(
            ((Verdict.Acceptable)
                    StateAcceptance.of(
                            found(
                                Optional.of(driver.state()),
                                Optional.of(ROLLED_BACK),
                                Optional.empty()),
                            driver.members,
                            true)
                        .judge())
                .copied())
        .hasSize(3);
  }

  @Test
  void everyGroupOfTheRegistryIsBegunAnew() {
    // What is left of the table is from before the first hello, and the topic has nothing of it.
    TableState first = CoreDriver.emptyTable();
    TableFindings found =
        new TableFindings(
            TestGroup.TABLE,
            TestGroup.UUID_OF_TABLE,
            Optional.empty(),
            Optional.of(first),
            Optional.empty(),
            Optional.of(first),
            List.of(),
            List.of(),
            Optional.empty(),
            ControlRecords.of(driver.topic.size(), driver.topic.size(), Map.of()));
    StateAcceptance decision = decision(found);
    assertThat(decision.incarnations()).containsOnlyKeys(a.name, b.name);
    assertThat(decision.accept(fresh(decision)).groups().values())
        .hasSize(2)
        .allSatisfy(
            group ->
                assertThat(group.halt().orElseThrow().code()).isEqualTo(HaltCode.STATE_ACCEPTED));
  }

  @Test
  void numbersThatWereUsedAreRefused() {
    StateAcceptance decision = decision(rolledBack());
    StateAcceptance.Fresh fresh = fresh(decision);
    assertThatThrownBy(
            () ->
                decision.accept(
                    new StateAcceptance.Fresh(
                        decision.highestTerm(),
                        fresh.owner(),
                        fresh.plan(),
                        fresh.incarnations(),
                        fresh.submission(),
                        fresh.at(),
                        "anna")))
        .hasMessageContaining("expected a term above");
    assertThatThrownBy(
            () ->
                decision.accept(
                    new StateAcceptance.Fresh(
                        fresh.term(),
                        fresh.owner(),
                        fresh.plan(),
                        Map.of(),
                        fresh.submission(),
                        fresh.at(),
                        "anna")))
        .hasMessageContaining("expected an incarnation of group a above 1, found null");
  }

  @Test
  void anAdoptedTableHasEveryShardCopiedFromEmptiedPartitions() {
    TableFindings found =
        new TableFindings(
            TestGroup.TABLE,
            TestGroup.UUID_OF_TABLE,
            older.snapshot(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            Optional.empty(),
            ControlRecords.of(0, 1, Map.of(a.name, new Heard(1, 0))));
    StateAcceptance decision = StateAcceptance.adopting(found, driver.members);
    assertThat(decision.judgeAdoption(List.of("expected column id, found none")))
        .isInstanceOfSatisfying(
            Verdict.Refused.class,
            refused -> assertThat(refused.reason()).contains("expected column id, found none"));
    assertThat(
            StateAcceptance.adopting(found, new Members(1, new TreeMap<>()))
                .judgeAdoption(List.of()))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(decision.judgeAdoption(List.of())).isInstanceOf(Verdict.Acceptable.class);

    TableState state = decision.accept(fresh(decision));
    driver.published.clear();
    driver.tail = Optional.empty();
    driver.topic.clear();
    driver.topic.add(a.hello());
    coordinatorStartsOn(state);
    assertThat(driver.state().round()).isEqualTo(new RoundNumber(1));
    assertThat(last().round()).isEqualTo(new RoundNumber(1));
    assertThat(driver.state().shards()).hasSize(3);
    startAnew(a);
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied(1, 2));
    driver.tick();
    assertThat(driver.lastRound().layers().get(0).emptyShards())
        .containsExactly(new ShardId(1), new ShardId(2));
    assertThat(new Term(2)).isLessThanOrEqualTo(driver.state().term());
  }
}
