package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.Committable;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.SubmissionId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HelloTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void aHasCommittedOneEpoch() {
    driver = CoreDriver.onTable(a, b);
    driver.send(a.hello());
    driver.tick();
    driver.send(a.changes());
    driver.tick();
  }

  private void assertAnswer(HelloAnswer answer, long offset) {
    GroupState state = driver.state(a);
    assertThat(state.answer()).isEqualTo(answer);
    assertThat(state.helloOffset()).isEqualTo(offset);
    assertThat(state.incarnation()).isEqualTo(a.incarnation);
    assertThat(state.submission()).isEqualTo(a.submission);
  }

  @Test
  void aFirstHelloIsAnsweredAtTheNextTick() {
    long offset = driver.send(b.hello());
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.state(b).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state(b).helloOffset()).isEqualTo(offset);
    assertThat(driver.state(b).epoch()).isEqualTo(new Epoch(0));
    assertThat(driver.state(b).chain()).isEqualTo(b.chain);
    assertThat(driver.lastRound().layers()).isEmpty();
  }

  @Test
  void aHelloContinuesFromTheCommittedEpoch() {
    a.resubmitted();
    long offset = driver.send(a.helloContinuing());
    driver.tickAfter(Duration.ofMillis(1));
    assertAnswer(HelloAnswer.CONTINUE, offset);
    assertThat(driver.state(a).continuedFrom()).isEqualTo(new Epoch(1));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void aHelloContinuesFromAPendingEpochAndWhatLiesBehindItIsVoid() {
    driver.send(a.changes());
    Continuation state = a.continuation();
    driver.send(a.changes());
    a.restoredFrom(state);
    long offset = driver.send(a.helloContinuing());
    Committable other = a.changes();
    driver.send(other);
    driver.tick();
    driver.tick();
    assertAnswer(HelloAnswer.CONTINUE, offset);
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertThat(driver.state(a).chain()).isEqualTo(other.chain());
    assertThat(driver.view(a).voided()).isEqualTo(1);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void theAnswerContinueIsWrittenInTheRoundThatCommitsItsEpoch() {
    for (int i = 0; i < 6; i++) {
      driver.send(a.changes());
    }
    a.resubmitted();
    long offset = driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(5);
    assertThat(driver.state(a).incarnation()).isNotEqualTo(a.incarnation);
    assertThat(driver.state().controlOffset()).isLessThanOrEqualTo(offset);
    driver.restart();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(7);
    assertAnswer(HelloAnswer.CONTINUE, offset);
  }

  @Test
  void aHelloFromBeforeTheCommittedEpochIsRefused() {
    Continuation old = a.continuation();
    driver.send(a.changes());
    driver.tick();
    driver.send(a.changes());
    a.restoredFrom(old);
    long offset = driver.send(a.helloContinuing());
    driver.tick();
    assertAnswer(HelloAnswer.REFUSED, offset);
    // What was pending is void: it is read again by whoever starts from the table.
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.REWOUND);
    assertThat(driver.state(a).halt().get().message())
        .contains(
            "Cannot let incarnation 2 of group a on table shop.orders in term 2 go on",
            "committed epoch 2",
            "found epoch 1",
            "cure: start group a anew without Flink state (bin/tributary run-group a)");
    assertThat(driver.state().controlOffset()).isEqualTo(driver.topic.size());
  }

  @Test
  void aHelloFromAnEpochThatNeverArrivedIsRefused() {
    a.changes();
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.GAP);
    assertThat(driver.state(a).halt().get().message()).contains("epoch 1 at most", "found epoch 2");
  }

  @Test
  void aHelloWithoutStateStartsFromTheTableAndVoidsWhatIsPending() {
    driver.send(a.changes());
    a.resubmitted();
    long offset = driver.send(a.hello());
    driver.tick();
    assertAnswer(HelloAnswer.START_FROM_TABLE, offset);
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.state(a).continuedFrom()).isEqualTo(new Epoch(1));
    a.startFrom(driver.state());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
  }

  @Test
  void aFailoverOfTheJobIsJudgedAgainTheSameWay() {
    driver.send(a.changes());
    Continuation state = a.continuation();
    driver.send(a.changes());
    a.epoch = state.epoch();
    a.chain = state.chain();
    long offset = driver.send(a.helloContinuing());
    driver.tick();
    assertAnswer(HelloAnswer.CONTINUE, offset);
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void aHaltIsLiftedByAStartFromTheTable() {
    a.changes();
    driver.send(a.changes());
    driver.tickAfter(Duration.ofMinutes(6));
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.GAP);
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    assertThat(driver.state(a).halt()).isEmpty();
    assertThat(driver.view(a).halt()).isEmpty();
  }

  @Test
  void aRefusedHelloKeepsAHaltAndALaterOneLiftsIt() {
    Continuation old = a.continuation();
    driver.send(a.changes());
    driver.tick();
    a.restoredFrom(old);
    driver.send(a.helloContinuing());
    driver.tick();
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.state(a).halt()).isPresent();
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    assertThat(driver.state(a).halt()).isEmpty();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
  }

  @Test
  void aSecondSubmissionOfTheSameIncarnationIsRefusedAndTheFirstGoesOn() {
    driver.send(a.changes());
    TestGroup second = new TestGroup("a", "db1", 0, 1);
    second.submission = new SubmissionId(new UUID(5, 5));
    driver.send(second.hello());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).submission()).isEqualTo(a.submission);
    assertThat(driver.state(a).helloOffset()).isZero();
    assertThat(driver.alarms(Alarm.Code.DUPLICATE_SUBMISSION))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .contains(
                        "incarnation 1 of group a on table shop.orders in term 2",
                        second.submission.toString(),
                        "the first one goes on",
                        "cure: cancel"));
  }

  @Test
  void aHelloOfALowerIncarnationIsAZombies() {
    TestGroup zombie = new TestGroup("a", "db1", 0, 1);
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.send(zombie.hello());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).submission()).isEqualTo(a.submission);
    assertThat(driver.alarms(Alarm.Code.ZOMBIE)).hasSize(1);
  }

  @Test
  void theUnsentEpochsOfAPredecessorGetInBeforeTheHello() {
    Committable unsent = a.changes();
    driver.send(unsent);
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.CONTINUE);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void theUnsentEpochsSentAgainBehindTheHelloAreRepetitions() {
    Committable unsent = a.changes();
    driver.send(unsent);
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.send(unsent);
    driver.tick();
    driver.send(unsent);
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.view(a).halt()).isEmpty();
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void shardsOfAnotherGroupRefuseTheHello() {
    TestGroup greedy = new TestGroup("a", "db1", 0, 2).resubmitted();
    driver.send(greedy.hello());
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.NOT_OWNED);
    assertThat(driver.state(a).halt().get().message())
        .contains("shard 2 of group b on server db2", "read by group a", "cure: ");
  }

  @Test
  void sourcesThatDoNotFitTheTableRefuseTheHelloAndKeepWhatIsPending() {
    driver.send(a.changes());
    a.resubmitted();
    driver.run(
        new Event.Record(
            3, a.hello(), Optional.of("expected column price decimal(10,2), found none")));
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.SCHEMA_MISMATCH);
    assertThat(driver.state(a).halt().get().message()).contains("price decimal(10,2)");
  }

  @Test
  void aHelloWithANewerRegistryWaitsForIt() {
    TestGroup grown = new TestGroup("a", "db1", 0, 1, 3).startFrom(driver.state()).resubmitted();
    grown.registryVersion = 2;
    long offset = driver.send(grown.hello());
    driver.send(b.hello());
    driver.tick();
    assertThat(driver.state(a).helloOffset()).isZero();
    assertThat(driver.state(b).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state().controlOffset()).isEqualTo(offset);
    assertThat(driver.alarms(Alarm.Code.REGISTRY_BEHIND)).hasSize(1);
    driver.run(new Event.RegistryChanged(Members.of(2, CoreDriver.membersOf(grown, b).shards())));
    driver.tick();
    assertThat(driver.state(a).helloOffset()).isEqualTo(offset);
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state().registryVersion()).isEqualTo(2);
  }

  @Test
  void aRegistryFromAFileHasNoVersionToWaitFor() {
    driver.members = Members.of(0, driver.members.shards());
    driver.restart();
    a.registryVersion = 7;
    a.resubmitted();
    long offset = driver.send(a.helloContinuing());
    driver.tick();
    assertAnswer(HelloAnswer.CONTINUE, offset);
  }

  @Test
  void aHelloOfAnotherTableIsReported() {
    a.table = new io.tributary.protocol.TableName("shop.other");
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    assertThat(driver.state(a).helloOffset()).isZero();
    assertThat(driver.alarms(Alarm.Code.MISROUTED)).hasSize(1);
  }

  // ---------------------------------------------------------------- re-reading after a restart

  @Test
  void afterARestartPendingEpochsAreReadAgain() {
    driver.sendAll(a.changes(), a.changes());
    driver.restart();
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void afterARestartWhatAStartFromTheTableMadeVoidStaysVoid() {
    // b holds the topic's offset below a's void epoch.
    driver.send(b.hello());
    driver.tick();
    b.changes();
    driver.send(b.changes());
    driver.send(a.changes());
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    a.startFrom(driver.state());
    driver.restart();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
    assertThat(driver.view(a).halt()).isEmpty();
    assertThat(driver.view(a).voided()).isEqualTo(1);
  }

  @Test
  void afterARestartWhatLayBehindAContinuedEpochStaysVoid() {
    driver.send(b.hello());
    driver.tick();
    b.changes();
    driver.send(b.changes());
    driver.send(a.changes());
    Continuation state = a.continuation();
    driver.send(a.changes());
    a.restoredFrom(state);
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    driver.restart();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
    assertThat(driver.view(a).halt()).isEmpty();
  }

  @Test
  void afterARestartAVoidEpochWithTheNumberOfACommittedOneIsPassedOver() {
    // b holds the topic's offset below a's void epoch.
    driver.send(b.hello());
    driver.tick();
    b.changes();
    driver.send(b.changes());
    driver.send(a.changes());
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    a.startFrom(driver.state());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.CONTINUE);
    driver.restart();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.view(a).halt()).isEmpty();
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
  }

  @Test
  void anAnsweredHelloIsNotAnsweredAgainAfterARestart() {
    driver.send(b.hello());
    driver.tick();
    b.changes();
    driver.send(b.changes());
    a.resubmitted();
    long offset = driver.send(a.helloContinuing());
    driver.send(a.changes());
    driver.tick();
    driver.send(a.changes());
    driver.restart();
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertAnswer(HelloAnswer.CONTINUE, offset);
  }

  @Test
  void anUnwrittenAnswerIsFoundAgainAfterARestart() {
    driver.send(a.changes());
    a.resubmitted();
    long offset = driver.send(a.helloContinuing());
    driver.restart();
    driver.tick();
    assertAnswer(HelloAnswer.CONTINUE, offset);
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void aFaultyEpochThatAHelloWouldContinueFromRefusesIt() {
    driver.send(a.changes());
    a.resubmitted();
    driver.send(a.helloContinuing());
    driver.outcomes.add(
        new SwapOutcome.Faulty(
            List.of(
                new CommittableFault(
                    a.name, new Epoch(2), HaltCode.MISSING_FILES, "expected f, found none"))));
    driver.tick();
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.MISSING_FILES);
    assertThat(driver.epoch(a)).isEqualTo(1);
  }

  @Test
  void aHelloThatArrivesWhileItsPredecessorsEpochIsCommittedIsJudgedAfterIt() {
    driver.send(a.changes());
    Continuation old = new Continuation(new Epoch(1), driver.state(a).chain());
    List<Action> commit = driver.core.handle(new Event.Tick(), driver.now, new UUID(3, 3));
    RoundPlan plan =
        commit.stream()
            .filter(Action.CommitRound.class::isInstance)
            .map(action -> ((Action.CommitRound) action).plan())
            .findFirst()
            .orElseThrow();
    a.restoredFrom(old);
    Hello hello = a.helloContinuing();
    driver.send(hello);
    driver.table = Optional.of(plan.next());
    driver.run(new Event.SwapAnswered(new SwapOutcome.Done(plan.next())));
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).answer()).isEqualTo(HelloAnswer.REFUSED);
  }
}
