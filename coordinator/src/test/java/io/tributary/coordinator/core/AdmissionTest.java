package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.Committable;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.TableUuid;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each row of the protocol's admission table, seen from outside. */
class AdmissionTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.send(a.hello());
    driver.send(b.hello());
    driver.tick();
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.epoch(b)).isEqualTo(1);
  }

  private void assertHalted(HaltCode code, String... texts) {
    assertThat(driver.view(a).halt()).hasValueSatisfying(h -> assertThat(h.code()).isEqualTo(code));
    assertThat(driver.view(a).halt().get().message())
        .startsWith("Cannot ")
        .contains("group a", "table shop.orders", "term 2", "expected", "found", "cure: ")
        .contains(texts);
    assertThat(driver.alarms(Alarm.Code.GROUP_HALTED))
        .singleElement()
        .satisfies(
            alarm -> {
              assertThat(alarm.text()).startsWith(code.wireName());
              assertThat(alarm.group()).contains(a.name);
              assertThat(alarm.table()).isEqualTo(TestGroup.TABLE);
            });
    // Nothing of it is committed, the table remembers it, and the others go on.
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.epoch(b)).isEqualTo(2);
    assertThat(driver.state(a).halt())
        .hasValueSatisfying(halt -> assertThat(halt.code()).isEqualTo(code));
    assertThat(driver.state(b).halt()).isEmpty();
    assertThat(driver.stopped).isEmpty();
  }

  @Test
  void theNextEpochIsAdmittedAndCommitted() {
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void anEpochThatWasSentTwiceIsDroppedAndCounted() {
    Committable second = a.changes();
    driver.sendAll(second, second);
    driver.tick();
    driver.send(second);
    Committable third = a.changes();
    driver.send(third);
    driver.tick();
    driver.send(second);
    assertThat(driver.epoch(a)).isEqualTo(3);
    assertThat(driver.view(a).duplicates()).isEqualTo(3);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void theCommittedEpochWithAnotherHashHaltsTheGroup() {
    TestGroup other = new TestGroup("a", "db1", 0, 1);
    driver.send(other.idle());
    assertHalted(HaltCode.REWOUND, "epoch 1", "chain hash", "restored", "without Flink state");
  }

  @Test
  void anAdmittedEpochWithAnotherHashHaltsTheGroupAndTheAdmittedOneIsCommitted() {
    Continuation before = a.continuation();
    driver.send(a.changes());
    a.epoch = before.epoch();
    a.chain = before.chain();
    driver.send(a.idle());
    assertThat(driver.view(a).halt()).isPresent();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.REWOUND);
  }

  @Test
  void theNextEpochOnAnotherHistoryHaltsTheGroup() {
    TestGroup other = new TestGroup("a", "db1", 0, 1);
    other.idle();
    driver.send(other.changes());
    assertHalted(HaltCode.REWOUND, "epoch 2", "to follow epoch 1");
  }

  @Test
  void anEpochAboveTheNextOneIsHeldWithAnAlarm() {
    a.changes();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.view(a).heldEpochs()).isEqualTo(1);
    assertThat(driver.alarms(Alarm.Code.GROUP_HELD))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .contains(
                        "Cannot admit epoch 3 of group a into table shop.orders in term 2",
                        "expected epoch 2"));
  }

  @Test
  void heldEpochsGetInOnceTheMissingOneArrives() {
    Committable missing = a.changes();
    driver.sendAll(a.changes(), a.changes());
    driver.tickAfter(Duration.ofMinutes(1));
    driver.send(missing);
    assertThat(driver.view(a).heldEpochs()).isZero();
    assertThat(driver.view(a).pendingEpochs()).isEqualTo(3);
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(4);
  }

  @Test
  void aGapHaltsTheGroupAfterATimeAndAHeldEpochPinsTheTopic() {
    a.changes();
    long held = driver.send(a.changes());
    driver.send(b.changes());
    driver.tickAfter(Duration.ofMinutes(4));
    assertThat(driver.view(a).halt()).isEmpty();
    assertThat(driver.state().controlOffset()).isEqualTo(held);
    driver.tickAfter(Duration.ofMinutes(2));
    assertThat(driver.view(a).halt().get().code()).isEqualTo(HaltCode.GAP);
    assertThat(driver.view(a).halt().get().message())
        .contains("epoch 2 of group a", "within PT5M", "without Flink state");
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.state().controlOffset()).isEqualTo(held);
    assertThat(driver.state(a).halt()).isPresent();
  }

  @Test
  void aGapIsNoGapBeforeTheTopicIsReadToItsEnd() {
    driver.tellsEnd = false;
    a.changes();
    driver.send(a.changes());
    driver.tickAfter(Duration.ofMinutes(6));
    driver.tickAfter(Duration.ofMinutes(6));
    assertThat(driver.view(a).halt()).isEmpty();
  }

  @Test
  void aSupersededSubmissionsEpochIsDroppedCountedAndReported() {
    TestGroup zombie = new TestGroup("a", "db1", 0, 1);
    zombie.startFrom(driver.state());
    a.resubmitted();
    driver.send(a.hello());
    driver.send(zombie.changes());
    driver.tick();
    a.startFrom(driver.state());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
    assertThat(driver.view(a).zombies()).isEqualTo(1);
    assertThat(driver.alarms(Alarm.Code.ZOMBIE))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .contains("epoch 2 of group a", "expected incarnation 2, found 1", "cancel"));
  }

  @Test
  void anEpochWithoutAHelloHaltsTheGroup() {
    a.resubmitted();
    driver.send(a.changes());
    assertHalted(HaltCode.UNKNOWN_INCARNATION, "epoch 2", "incarnation 2", "never said hello");
  }

  @Test
  void anEpochOfAGroupThatNeverSaidHelloIsNotCommitted() {
    TestGroup c = new TestGroup("c", "db1", 0);
    driver.send(c.changes());
    driver.tick();
    assertThat(driver.state().group(c.name)).isEmpty();
    assertThat(driver.view(c).halt().get().code()).isEqualTo(HaltCode.UNKNOWN_INCARNATION);
  }

  @Test
  void anEpochOfASecondSubmissionOfTheSameIncarnationDoesNotDisturbTheFirst() {
    TestGroup second = new TestGroup("a", "db1", 0, 1).startFrom(driver.state());
    second.submission = new io.tributary.protocol.SubmissionId(new UUID(5, 5));
    driver.send(second.changes());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).chain()).isEqualTo(a.chain);
    assertThat(driver.alarms(Alarm.Code.DUPLICATE_SUBMISSION)).hasSize(1);
  }

  @Test
  void anotherPartitionSpecHaltsTheGroup() {
    a.specId = 1;
    driver.send(a.changes());
    assertHalted(HaltCode.WRONG_LAYOUT, "epoch 2", "spec 1", "spec 0");
  }

  @Test
  void anotherFormatVersionHaltsTheGroup() {
    a.formatVersion = 3;
    driver.send(a.changes());
    assertHalted(HaltCode.WRONG_LAYOUT, "version 3", "version 2");
  }

  @Test
  void aShardOfAnotherGroupHaltsTheGroup() {
    TestGroup greedy = new TestGroup("a", "db1", 0, 1, 2).startFrom(driver.state());
    driver.send(greedy.changes());
    assertHalted(HaltCode.NOT_OWNED, "epoch 2", "shard 2 of group b on server db2", "registry");
  }

  @Test
  void aShardFromAnotherServerHaltsTheGroup() {
    List<ShardProgress> moved =
        a.shards.stream()
            .map(a::progress)
            .map(
                p ->
                    new ShardProgress(
                        p.shard(),
                        new ServerName("db9"),
                        p.phase(),
                        p.watermark(),
                        0,
                        0,
                        Optional.empty()))
            .toList();
    driver.send(a.seal(List.of(), moved, Optional.empty()));
    assertHalted(HaltCode.NOT_OWNED, "server db9", "server db1");
  }

  @Test
  void emptyingAShardOfAnotherGroupHaltsTheGroup() {
    driver.send(a.copied(2));
    assertHalted(HaltCode.NOT_OWNED, "shard 2", "emptied by group a");
  }

  @Test
  void anEpochForAnotherTableOfThisNameHaltsTheGroup() {
    a.uuid = new TableUuid(new UUID(8, 8));
    driver.send(a.changes());
    assertHalted(HaltCode.OTHER_TABLE, "epoch 2", new UUID(8, 8).toString(), "created again");
  }

  @Test
  void aLayoutThatChangedUnderTheCoordinatorStopsTheTable() {
    driver.outcomes.add(new SwapOutcome.TableHalted("Cannot commit: expected spec 0, found 1"));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.stopped).contains("Cannot commit: expected spec 0, found 1");
    assertThat(driver.core.isEnded()).isTrue();
    driver.tick();
    assertThat(driver.rounds).hasSize(3);
  }

  @Test
  void missingFilesHaltTheGroupAndTheRoundIsMadeOfTheOthers() {
    driver.outcomes.add(
        new SwapOutcome.Faulty(
            List.of(
                new CommittableFault(
                    a.name,
                    new Epoch(2),
                    HaltCode.MISSING_FILES,
                    "expected file s3://w/1.parquet, found none"))));
    long faulty = driver.send(a.changes());
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.epoch(b)).isEqualTo(2);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.MISSING_FILES);
    assertThat(driver.state(a).halt().get().message())
        .contains(
            "Cannot commit epoch 2 of group a into table shop.orders in term 2",
            "s3://w/1.parquet",
            "cure: ");
    assertThat(driver.state().controlOffset()).isEqualTo(faulty);
  }

  @Test
  void aFaultFoundBeforeTheRoundHaltsTheGroup() {
    driver.send(a.changes());
    driver.run(
        new Event.FaultFound(
            new CommittableFault(
                a.name, new Epoch(2), HaltCode.FOREIGN_DELETES, "expected x, found y")));
    assertHalted(HaltCode.FOREIGN_DELETES, "epoch 2", "expected x, found y");
  }

  @Test
  void anUnreadableRecordHaltsItsGroup() {
    driver.topic.add(a.changes());
    driver.run(
        new Event.UnreadableRecord(
            driver.topic.size() - 1L, Optional.of(a.name), "expected version 1, found 9"));
    assertHalted(HaltCode.UNREADABLE, "offset 4", "found 9");
  }

  @Test
  void anUnreadableRecordOfNobodyStopsTheTable() {
    driver.run(new Event.UnreadableRecord(4, Optional.empty(), "found garbage"));
    assertThat(driver.stopped.orElseThrow())
        .contains("offset 4", "table shop.orders", "term 2", "found garbage", "cure: ");
  }

  @Test
  void aHaltedGroupsLaterEpochsAreNotAppliedAndPinTheTopicUntilAHello() {
    TestGroup other = new TestGroup("a", "db1", 0, 1);
    other.idle();
    long faulty = driver.send(other.changes());
    driver.sendAll(other.changes(), a.changes(), b.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.state().controlOffset()).isEqualTo(faulty);
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    assertThat(driver.state(a).halt()).isEmpty();
    assertThat(driver.state().controlOffset()).isEqualTo(driver.topic.size());
    assertThat(driver.deletedBelow).isEqualTo(driver.topic.size());
    a.startFrom(driver.state());
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void aHaltIsWrittenOnlyOnceWhatWasAdmittedBeforeIsCommitted() {
    Continuation before = a.continuation();
    for (int i = 0; i < 7; i++) {
      before = a.continuation();
      driver.send(a.changes());
    }
    a.epoch = before.epoch();
    a.chain = before.chain();
    driver.send(a.idle());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(5);
    assertThat(driver.state(a).halt()).isEmpty();
    driver.restart();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(7);
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(8);
    assertThat(driver.state(a).halt().get().code()).isEqualTo(HaltCode.REWOUND);
    driver.restart();
    assertThat(driver.view(a).halt().get().code()).isEqualTo(HaltCode.REWOUND);
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(8);
    assertThat(driver.epoch(b)).isEqualTo(2);
  }
}
