package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.core.CoreDriver.Fate;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims, lost answers, conflicts, other coordinators, and the order of messages. */
class OutcomeTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private CoreDriver driver;

  @BeforeEach
  void theGroupGoes() {
    driver = CoreDriver.onTable(a);
    driver.send(a.hello());
    driver.tick();
    driver.rounds.clear();
    driver.actions.clear();
  }

  private List<Long> publishedRounds() {
    return driver.published.stream().map(CommitStatus::round).map(RoundNumber::value).toList();
  }

  private <T extends Action> List<T> actions(Class<T> type) {
    return driver.actions.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private void anotherCoordinatorClaims() {
    TableState state = driver.state();
    driver.table =
        Optional.of(state.claimed(state.term().next(), new OwnerId(new UUID(66, 6)), state.plan()));
  }

  // ------------------------------------------------------------------------------- claims

  @Test
  void theClaimTakesATermAboveTheTablesAndTheRegistrys() {
    assertThat(driver.state().term()).isEqualTo(new Term(2));
    OwnerId owner = driver.state().owner();
    driver.registryTerm = 9;
    driver.restart();
    assertThat(driver.state().term()).isEqualTo(new Term(10));
    assertThat(driver.state().owner()).isNotEqualTo(owner);
    assertThat(driver.state().round()).isEqualTo(new RoundNumber(1));
  }

  @Test
  void aClaimWhoseAnswerIsLostSucceededIfItsOwnerIsInTheTable() {
    driver.fates.add(Fate.LOST_APPLIED);
    driver.start();
    assertThat(driver.state().term()).isEqualTo(new Term(3));
    assertThat(driver.core.stage()).isEqualTo("READY");
    assertThat(actions(Action.Claim.class)).hasSize(1);
  }

  @Test
  void aClaimWhoseAnswerIsLostAndThatWasNotAppliedIsRepeatedWithAFreshOwner() {
    driver.fates.add(Fate.LOST);
    driver.start();
    assertThat(driver.core.stage()).isEqualTo("READY");
    assertThat(actions(Action.Claim.class)).hasSize(2);
    assertThat(actions(Action.Claim.class).get(0).next().owner())
        .isNotEqualTo(actions(Action.Claim.class).get(1).next().owner());
  }

  @Test
  void aClaimThatIsRefusedIsMadeAnewWithALimit() {
    driver.fates.addAll(List.of(Fate.CONFLICT, Fate.CONFLICT));
    driver.start();
    assertThat(driver.core.stage()).isEqualTo("READY");
    driver.fates.addAll(List.of(Fate.CONFLICT, Fate.CONFLICT, Fate.CONFLICT, Fate.CONFLICT));
    driver.start();
    assertThat(driver.stopped.orElseThrow())
        .contains("Cannot claim table shop.orders", "at most 3 refused swaps", "cure: ");
  }

  @Test
  void aClaimKeepsTheLastRoundsPlan() {
    PlanId plan = driver.state().plan();
    driver.restart();
    assertThat(driver.state().plan()).isEqualTo(plan);
  }

  @Test
  void aTableThatCannotBeReachedIsTriedAgainAtTheNextTick() {
    driver.look = Optional.of(new TableLook.Unreachable("connection refused"));
    driver.start();
    assertThat(driver.alarms(Alarm.Code.UNREACHABLE).get(0).text())
        .contains("Cannot read the table", "shop.orders", "connection refused");
    driver.tick();
    driver.look = Optional.empty();
    driver.fates.add(Fate.UNREACHABLE);
    driver.tick();
    driver.tick();
    assertThat(driver.core.stage()).isEqualTo("READY");
  }

  @Test
  void aTableThatMustNotBeTouchedStopsTheCoordinator() {
    driver.look = Optional.of(new TableLook.Unusable("Cannot use table: expected a state"));
    driver.start();
    assertThat(driver.stopped).contains("Cannot use table: expected a state");
    assertThat(driver.core.isEnded()).isTrue();
  }

  // ------------------------------------------------------------------------- lost answers

  @Test
  void aLostAnswerOfARoundThatWasAppliedIsSettledByAClaimAndPublishedOnce() {
    driver.fates.add(Fate.LOST_APPLIED);
    OwnerId owner = driver.state().owner();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.rounds).hasSize(1);
    assertThat(actions(Action.Claim.class)).hasSize(1);
    assertThat(driver.state().owner()).isNotEqualTo(owner);
    assertThat(driver.state().term()).isEqualTo(new Term(2));
    assertThat(publishedRounds()).containsExactly(1L, 2L);
    assertThat(driver.alarms(Alarm.Code.UNKNOWN_OUTCOME).get(0).text())
        .contains("round 2 of term 2 of table shop.orders", "no answer within 30 s");
  }

  @Test
  void aLostAnswerOfARoundThatWasNotAppliedIsSettledAndTheRoundMadeAgain() {
    driver.fates.add(Fate.LOST);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isZero();
    assertThat(publishedRounds()).containsExactly(1L);
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.rounds).hasSize(2);
    assertThat(driver.rounds.get(0).next().plan()).isNotEqualTo(driver.rounds.get(1).next().plan());
    assertThat(publishedRounds()).containsExactly(1L, 2L);
  }

  @Test
  void aSettlingClaimWhoseAnswerIsLostTooIsFoundInTheTable() {
    driver.fates.addAll(List.of(Fate.LOST_APPLIED, Fate.LOST_APPLIED));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(publishedRounds()).containsExactly(1L, 2L);
  }

  @Test
  void aSettlingClaimThatMeetsTheLateRoundIsMadeAnewOnIt() {
    driver.fates.add(Fate.LOST);
    driver.send(a.changes());
    // The claim is refused because the round lands just before it.
    driver.fates.add(Fate.CONFLICT);
    CoreDriver late = driver;
    List<Action> actions = late.core.handle(new Event.Tick(), late.now, new UUID(3, 1));
    RoundPlan plan = ((Action.CommitRound) actions.get(0)).plan();
    late.fates.clear();
    late.core.handle(
        new Event.SwapAnswered(new SwapOutcome.Unknown("lost")), late.now, new UUID(3, 2));
    late.core.handle(
        new Event.TableRead(new TableLook.Present(late.state(), late.layout)),
        late.now,
        new UUID(3, 3));
    late.table = Optional.of(plan.next());
    late.run(new Event.SwapAnswered(new SwapOutcome.Conflict(late.state())));
    assertThat(late.epoch(a)).isEqualTo(1);
    assertThat(publishedRounds()).containsExactly(1L, 2L);
    assertThat(late.core.stage()).isEqualTo("READY");
  }

  @Test
  void aLostAnswerOfADeposedCoordinatorEndsItWithoutAClaim() {
    driver.send(a.changes());
    List<Action> actions = driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 1));
    assertThat(actions.get(0)).isInstanceOf(Action.CommitRound.class);
    anotherCoordinatorClaims();
    driver.run(new Event.SwapAnswered(new SwapOutcome.Unknown("lost")));
    assertThat(driver.deposed.orElseThrow())
        .contains("table shop.orders", "expected term 2", "found term 3");
    assertThat(actions(Action.Claim.class)).isEmpty();
    assertThat(actions(Action.OpenPublisher.class)).isEmpty();
  }

  @Test
  void noRoundIsMadeWhileOneIsUnsettled() {
    driver.send(a.changes());
    driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 1));
    assertThat(driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 2))).isEmpty();
    driver.look = Optional.of(new TableLook.Unreachable("down"));
    driver.run(new Event.SwapAnswered(new SwapOutcome.Unknown("lost")));
    driver.tick();
    driver.tick();
    assertThat(driver.rounds).isEmpty();
    driver.look = Optional.empty();
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
  }

  // ---------------------------------------------------------------------------- conflicts

  @Test
  void aConflictAfterTheRoundWasAppliedIsDone() {
    driver.fates.add(Fate.APPLIED_TOLD_CONFLICT);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.rounds).hasSize(1);
    assertThat(publishedRounds()).containsExactly(1L, 2L);
  }

  @Test
  void aForeignCommitInBetweenMakesTheRoundAnewAtOnce() {
    driver.fates.add(Fate.CONFLICT);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.rounds).hasSize(2);
    assertThat(driver.alarms(Alarm.Code.CONFLICT)).hasSize(1);
  }

  @Test
  void conflictsHaveALimit() {
    driver.fates.addAll(List.of(Fate.CONFLICT, Fate.CONFLICT, Fate.CONFLICT, Fate.CONFLICT));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.stopped.orElseThrow())
        .contains("Cannot commit round 2 of table shop.orders", "found 4", "cure: ");
  }

  @Test
  void anotherTermInTheTableDeposes() {
    anotherCoordinatorClaims();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.deposed.orElseThrow()).contains("expected term 2", "found term 3");
    assertThat(driver.core.isEnded()).isTrue();
    assertThat(driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 2))).isEmpty();
  }

  @Test
  void anotherOwnerOfTheSameTermDeposes() {
    TableState state = driver.state();
    driver.table =
        Optional.of(state.claimed(state.term(), new OwnerId(new UUID(66, 6)), state.plan()));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.deposed).isPresent();
  }

  @Test
  void aTableThatWasRolledBackStops() {
    TableState before = driver.state();
    driver.send(a.changes());
    driver.tick();
    driver.table = Optional.of(before);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.stopped.orElseThrow())
        .contains("table shop.orders in term 2", "expected round 2", "found round 1", "cure: ");
  }

  @Test
  void nothingSentIsTriedAgainAtTheNextTick() {
    driver.fates.add(Fate.UNREACHABLE);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isZero();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
  }

  // ----------------------------------------------------------------------------- messages

  @Test
  void aMessageMissingAtStartIsPublished() {
    driver.send(a.changes());
    driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 1));
    driver.send(a.changes());
    driver.restart();
    driver.tick();
    assertThat(publishedRounds()).containsExactly(1L, 2L);
    // Committed, and gone before the message.
    driver.messages.add(new PublishOutcome.NotConfirmed("killed"));
    driver.look = Optional.of(new TableLook.Unreachable("killed"));
    driver.tick();
    assertThat(publishedRounds()).containsExactly(1L, 2L);
    driver.look = Optional.empty();
    driver.restart();
    assertThat(publishedRounds()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void theSameRoundAlwaysGivesTheSameMessage() {
    CommitStatus status = driver.published.get(0);
    assertThat(CommitStatus.of(TestGroup.TABLE, driver.state())).isEqualTo(status);
  }

  @Test
  void aMessageWithoutConfirmationThatIsOutIsNotSentAgain() {
    driver.unconfirmedIsOut = true;
    driver.messages.add(new PublishOutcome.NotConfirmed("no answer to the commit"));
    driver.send(a.changes());
    driver.tick();
    // What fails at once must not be tried again at once.
    assertThat(actions(Action.OpenPublisher.class)).isEmpty();
    driver.tick();
    assertThat(publishedRounds()).startsWith(1L, 2L).doesNotHaveDuplicates();
    assertThat(actions(Action.OpenPublisher.class)).hasSize(1);
    assertThat(driver.core.stage()).isEqualTo("READY");
  }

  @Test
  void aMessageWithoutConfirmationThatIsNotOutIsSentAgain() {
    driver.messages.add(new PublishOutcome.NotConfirmed("no answer to the commit"));
    driver.send(a.changes());
    driver.tick();
    assertThat(publishedRounds()).containsExactly(1L);
    driver.tick();
    assertThat(publishedRounds()).startsWith(1L, 2L).doesNotHaveDuplicates();
  }

  @Test
  void aFencedProducerOfADeposedCoordinatorIsNotOpenedAgain() {
    driver.send(a.changes());
    List<Action> commit = driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 1));
    RoundPlan plan = ((Action.CommitRound) commit.get(0)).plan();
    driver.table = Optional.of(plan.next());
    driver.core.handle(
        new Event.SwapAnswered(new SwapOutcome.Done(plan.next())), driver.now, new UUID(3, 2));
    anotherCoordinatorClaims();
    driver.run(new Event.PublishAnswered(new PublishOutcome.NotConfirmed("fenced")));
    driver.tick();
    assertThat(driver.deposed).isPresent();
    assertThat(actions(Action.OpenPublisher.class)).isEmpty();
  }

  @Test
  void noRoundIsMadeBeforeTheMessageOfTheLastOneIsOut() {
    driver.send(a.changes());
    driver.send(a.changes());
    List<Action> commit = driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 1));
    RoundPlan plan = ((Action.CommitRound) commit.get(0)).plan();
    driver.table = Optional.of(plan.next());
    List<Action> publish =
        driver.core.handle(
            new Event.SwapAnswered(new SwapOutcome.Done(plan.next())), driver.now, new UUID(3, 2));
    assertThat(publish).hasOnlyElementsOfType(Action.Publish.class);
    assertThat(driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 3))).isEmpty();
    driver.run(new Event.PublishAnswered(new PublishOutcome.Published()));
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void recordsAreDeletedOnlyBelowWhatTheTableSays() {
    driver.send(a.changes());
    long needed = driver.send(a.changes());
    driver.tick();
    assertThat(driver.deletedBelow).isEqualTo(needed).isEqualTo(driver.state().controlOffset());
  }

  private void assertStopped(StatusTail tail, String found) {
    driver.published.clear();
    driver.tail = Optional.ofNullable(tail);
    driver.start();
    assertThat(driver.stopped.orElseThrow())
        .startsWith("Cannot publish for table shop.orders in term")
        .contains(found, "cure: ");
    assertThat(driver.core.isEnded()).isTrue();
  }

  private StatusTail tail(long round, long term) {
    return new StatusTail(TestGroup.UUID_OF_TABLE, new RoundNumber(round), new Term(term));
  }

  @Test
  void aStatusTopicAheadOfTheTableStops() {
    assertStopped(tail(2, 2), "round 2 of term 2");
  }

  @Test
  void aStatusTopicThatKnowsALaterTermStops() {
    assertStopped(tail(1, 5), "later than the table's term 2");
  }

  @Test
  void aStatusTopicOfAnotherTableStops() {
    assertStopped(
        new StatusTail(new TableUuid(new UUID(8, 8)), new RoundNumber(1), new Term(2)),
        "another table");
  }

  @Test
  void aStatusTopicWithoutAMessageStopsWhenTheTableHasRounds() {
    driver.send(a.changes());
    driver.tick();
    assertStopped(null, "no message at all");
  }

  @Test
  void aStatusTopicTwoRoundsBehindStops() {
    driver.send(a.changes());
    driver.tick();
    driver.send(a.changes());
    driver.tick();
    assertStopped(tail(1, 2), "round 1 of term 2");
  }

  @Test
  void aTopicThatAnotherCoordinatorMovedOnDeposesInsteadOfAskingTheOperator() {
    driver.tail = Optional.of(tail(2, 9));
    driver.published.clear();
    driver.core = new CoordinatorCore(driver.settings, driver.members, Protections.all());
    driver.core.handle(new Event.Started(new Term(0)), driver.now, new UUID(4, 1));
    List<Action> claim =
        driver.core.handle(
            new Event.TableRead(new TableLook.Present(driver.state(), driver.layout)),
            driver.now,
            new UUID(4, 2));
    TableState mine = ((Action.Claim) claim.get(0)).next();
    driver.core.handle(
        new Event.SwapAnswered(new SwapOutcome.Done(mine)), driver.now, new UUID(4, 3));
    driver.table = Optional.of(mine);
    anotherCoordinatorClaims();
    driver.run(new Event.PublisherOpened(driver.tail));
    assertThat(driver.deposed).isPresent();
    assertThat(driver.stopped).isEmpty();
  }

  @Test
  void anAnswerThatNobodyAskedForIsAFaultOfTheHost() {
    assertThatThrownBy(
            () -> driver.run(new Event.SwapAnswered(new SwapOutcome.Done(driver.state()))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("table shop.orders in stage READY");
    assertThatThrownBy(() -> driver.run(new Event.PublishAnswered(new PublishOutcome.Published())))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> driver.run(new Event.PublisherOpened(Optional.empty())))
        .hasMessageContaining("expected stage OPENING, found READY");
  }
}
