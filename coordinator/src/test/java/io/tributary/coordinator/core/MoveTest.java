package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Members.Desired;
import io.tributary.coordinator.core.Members.Member;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.NotCoveredReason;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardMove;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A started shard goes to another group: 0 and 1 are group a's, 2 is group b's, on one server. */
class MoveTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db1", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
    b.time = 1_100;
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
  }

  private void registry(long version, int shard, Member member) {
    TreeMap<ShardId, Member> shards = new TreeMap<>(driver.members.shards());
    shards.put(new ShardId(shard), member);
    driver.members = Members.of(version, shards);
    driver.run(new Event.RegistryChanged(driver.members));
  }

  private static Member of(String group) {
    return of(group, "db1", Desired.ACTIVE);
  }

  private static Member of(String group, String server, Desired desired) {
    return new Member(new GroupName(group), new ServerName(server), desired);
  }

  /** Another submission of a group, that reads these shards and goes on from the table. */
  private TestGroup anew(TestGroup before, long registryVersion, int... shards) {
    TestGroup group = new TestGroup(before.name.value(), before.server.value(), shards);
    group.incarnation = before.incarnation;
    group.time = before.time;
    group.registryVersion = registryVersion;
    return group.startFrom(driver.state()).resubmitted();
  }

  private static Watermark at(long seconds) {
    return new Watermark(Instant.ofEpochSecond(seconds));
  }

  private void assertWaitsWithB(long position) {
    assertThat(driver.shard(1).group()).isEqualTo(b.name);
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(driver.shard(1).covered()).isFalse();
    assertThat(driver.shard(1).watermark()).contains(at(position));
    assertThat(driver.shard(1).move())
        .contains(
            new ShardMove(
                Optional.of(new Incarnation(1)),
                Optional.of(SourcePosition.of("bin.1", position))));
  }

  @Test
  void itIsTheNewOwnersFromTheNextRoundOnAndStandsWhereItsRowsEnd() {
    registry(2, 1, of("b"));
    driver.tick();
    assertWaitsWithB(1_001);
    assertThat(driver.alarms).isEmpty();
    assertThat(driver.published.get(driver.published.size() - 1).notCovered())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.shard()).isEqualTo(new ShardId(1));
              assertThat(entry.reason()).isEqualTo(NotCoveredReason.CATCHING_UP);
            });
  }

  @Test
  void whatTheOldOwnerWentOnToReadOfItIsLeftOutAndItsOtherShardsCount() {
    // Admitted before the registry came, and not committed yet.
    driver.send(a.changes());
    registry(2, 1, of("b"));
    driver.tick();
    assertWaitsWithB(1_001);
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.lastRound().layers().get(0).parts())
        .singleElement()
        .satisfies(part -> assertThat(part.leftOut()).containsExactly(new ShardId(1)));
    assertThat(driver.shard(0).watermark()).contains(at(1_002));
    // And for as long as nobody submits its job anew.
    for (int i = 0; i < 3; i++) {
      driver.send(a.changes());
      driver.tick();
    }
    assertWaitsWithB(1_001);
    assertThat(driver.epoch(a)).isEqualTo(5);
    assertThat(driver.state(a).halt()).isEmpty();
    assertThat(driver.shard(0).watermark()).contains(at(1_005));
    assertThat(driver.alarms(Alarm.Code.SHARD_MOVED).get(0).text())
        .contains("incarnation 1", "group a", "shards [1]", "cure: ", "run-group a");
  }

  @Test
  void theTablesWatermarkGoesOnWithoutIt() {
    registry(2, 1, of("b"));
    driver.tick();
    assertThat(driver.state().validThrough()).contains(at(1_001));
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.state().validThrough()).contains(at(1_002));
    assertThat(driver.shard(1).covered()).isFalse();
  }

  @Test
  void theNewOwnersFirstStepTakesItOverAndItCountsOnceItHasReachedTheTable() {
    registry(2, 1, of("b"));
    driver.tick();
    a.time = 1_090;
    driver.send(a.changes());
    driver.tick();
    TestGroup grown = anew(b, 2, 1, 2);
    driver.send(grown.hello());
    driver.tick();
    assertThat(driver.state(grown).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    // It has read something of it, and nothing says yet how far.
    grown.time = 1_000;
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(1).move())
        .contains(new ShardMove(Optional.empty(), Optional.of(SourcePosition.of("bin.1", 1_001))));
    assertThat(driver.state().validThrough()).contains(at(1_091));
    grown.time = 1_050;
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
    assertThat(driver.shard(1).watermark()).contains(at(1_051));
    assertThat(driver.shard(1).covered()).isFalse();
    grown.time = 1_200;
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(1).covered()).isTrue();
    assertThat(driver.state().validThrough()).contains(at(1_091));
  }

  @Test
  void columnsThatItsOldOwnersJobWaitsForAreAddedForTheSakeOfItsOtherShards() {
    registry(2, 1, of("b"));
    driver.tick();
    RequestedColumn column = new RequestedColumn("price", "decimal(10, 2)", Optional.empty());
    driver.send(
        new SchemaRequest(
            a.table,
            a.uuid,
            a.name,
            a.incarnation,
            a.submission,
            new ShardId(1),
            List.of(column),
            SourcePosition.of("bin.1", 1_002),
            Instant.EPOCH));
    driver.tick();
    assertThat(driver.lastRound().columns()).containsExactly(column);
  }

  @Test
  void anOldJobOfTheNewOwnerLeavesItWhereItIs() {
    registry(2, 1, of("b"));
    for (int i = 0; i < 3; i++) {
      driver.send(b.changes());
      driver.tick();
    }
    assertWaitsWithB(1_001);
  }

  @Test
  void theNewOwnersJobWaitsForTheRegistryThatItWasSubmittedWith() {
    TestGroup grown = anew(b, 2, 1, 2);
    driver.send(grown.hello());
    driver.tick();
    assertThat(driver.state(b).incarnation()).isEqualTo(new Incarnation(1));
    assertThat(driver.alarms(Alarm.Code.REGISTRY_BEHIND)).hasSize(1);
    registry(2, 1, of("b"));
    driver.tick();
    assertThat(driver.state(grown).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    assertThat(driver.state(grown).halt()).isEmpty();
    assertWaitsWithB(1_001);
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
  }

  @Test
  void aJobThatWasSubmittedJustBeforeGoesOnWithItsOtherShards() {
    TestGroup late = anew(a, 1, 0, 1);
    registry(2, 1, of("b"));
    driver.send(late.hello());
    driver.tick();
    assertThat(driver.state(late).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
    driver.send(late.changes());
    driver.tick();
    assertWaitsWithB(1_001);
    assertThat(driver.shard(0).watermark()).contains(at(late.time));
  }

  @Test
  void whenItComesBackTheOldJobDoesNotSpeakForItAnyMore() {
    registry(2, 1, of("b"));
    driver.tick();
    driver.send(a.changes());
    driver.tick();
    registry(3, 1, of("a"));
    driver.tick();
    for (int i = 0; i < 3; i++) {
      driver.send(a.changes());
      driver.tick();
    }
    assertThat(driver.shard(1).group()).isEqualTo(a.name);
    assertThat(driver.shard(1).watermark()).contains(at(1_001));
    assertThat(driver.shard(1).ownPosition()).contains(SourcePosition.of("bin.1", 1_001));
    TestGroup again = anew(a, 3, 0, 1);
    driver.sendAll(again.hello(), again.changes());
    driver.tick();
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
    assertThat(driver.shard(1).watermark()).contains(at(again.time));
  }

  @Test
  void aMoveThatIsTakenBackBeforeTheNextRoundNeverWas() {
    registry(2, 1, of("b"));
    registry(3, 1, of("a"));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
    assertThat(driver.shard(1).watermark()).contains(at(1_002));
    assertThat(driver.shard(1).covered()).isTrue();
  }

  @Test
  void aStateFromBeforeItCameBackIsRefused() {
    registry(2, 1, of("b"));
    driver.send(a.changes());
    driver.tick();
    registry(3, 1, of("a"));
    driver.tick();
    Continuation state = a.continuation();
    TestGroup restored = anew(a, 3, 0, 1).restoredFrom(state);
    driver.send(restored.helloContinuing());
    driver.tick();
    assertThat(driver.state(restored).answer()).isEqualTo(HelloAnswer.REFUSED);
    assertThat(driver.state(restored).halt().map(Halt::code)).contains(HaltCode.REWOUND);
    assertThat(driver.state(restored).halt().orElseThrow().message())
        .contains("shard 1", "start group a anew without Flink state");
  }

  @Test
  void aStateFromBehindItsComingGoesOn() {
    registry(2, 1, of("b"));
    driver.tick();
    TestGroup grown = anew(b, 2, 1, 2);
    driver.send(grown.hello());
    driver.tick();
    grown.time = 1_000;
    driver.send(grown.changes());
    Continuation state = grown.continuation();
    TestGroup again = anew(grown, 2, 1, 2).restoredFrom(state);
    driver.send(again.helloContinuing());
    driver.tick();
    assertThat(driver.state(again).answer()).isEqualTo(HelloAnswer.CONTINUE);
    assertThat(driver.state(again).halt()).isEmpty();
  }

  @Test
  void itGoesOnToAThirdGroupFromWhereItsRowsEnd() {
    registry(2, 1, of("b"));
    driver.tick();
    driver.send(a.changes());
    driver.tick();
    registry(3, 1, of("c"));
    driver.tick();
    assertThat(driver.shard(1).group()).isEqualTo(new GroupName("c"));
    assertThat(driver.shard(1).move())
        .contains(new ShardMove(Optional.empty(), Optional.of(SourcePosition.of("bin.1", 1_001))));
  }

  @Test
  void twoGroupsExchangeShardsInOneEdit() {
    TreeMap<ShardId, Member> shards = new TreeMap<>(driver.members.shards());
    shards.put(new ShardId(1), of("b"));
    shards.put(new ShardId(2), of("a"));
    driver.members = Members.of(2, shards);
    driver.run(new Event.RegistryChanged(driver.members));
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertWaitsWithB(1_001);
    assertThat(driver.shard(2).group()).isEqualTo(a.name);
    assertThat(driver.shard(2).ownPosition()).contains(SourcePosition.of("bin.1", 1_101));
    // Nothing of group b is read there any more: its position there would be taken for that of a
    // shard that comes back. Group a reads shard 0 on.
    assertThat(driver.state().source(a.name, a.server)).isPresent();
    TestGroup nowA = anew(a, 2, 0, 2);
    TestGroup nowB = anew(b, 2, 1);
    nowA.time = 2_000;
    nowB.time = 2_000;
    driver.sendAll(nowA.hello(), nowB.hello());
    driver.tick();
    driver.sendAll(nowA.changes(), nowB.changes());
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
    assertThat(driver.shard(2).move()).isEmpty();
    assertThat(driver.state().validThrough()).contains(at(2_001));
    assertThat(driver.state().shards().values()).allMatch(shard -> shard.covered());
  }

  @Test
  void theLastShardOfAGroupLeavesWithoutAWordOfItsJob() {
    registry(2, 2, of("a"));
    driver.tick();
    assertThat(driver.shard(2).group()).isEqualTo(a.name);
    assertThat(driver.state().source(b.name, b.server)).isEmpty();
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.epoch(b)).isEqualTo(2);
    assertThat(driver.state().source(b.name, b.server)).isEmpty();
    assertThat(driver.shard(2).watermark()).contains(at(1_101));
  }

  @Test
  void aCoordinatorThatIsRestartedInBetweenGoesOn() {
    registry(2, 1, of("b"));
    driver.restart();
    driver.tick();
    assertWaitsWithB(1_001);
    TestGroup grown = anew(b, 2, 1, 2);
    driver.send(grown.hello());
    driver.restart();
    driver.send(a.changes());
    driver.tick();
    driver.restart();
    assertWaitsWithB(1_001);
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(1).move()).isEmpty();
    assertThat(driver.shard(1).watermark()).contains(at(grown.time));
  }

  @Test
  void aLostAnswerOfTheRoundChangesNothing() {
    driver.fates.add(CoreDriver.Fate.LOST);
    driver.send(a.changes());
    registry(2, 1, of("b"));
    driver.tick();
    driver.tick();
    assertWaitsWithB(1_001);
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void onItsWayAPausedShardIsCopiedAnewWhenItComesBack() {
    registry(2, 1, of("b"));
    driver.tick();
    registry(3, 1, of("b", "db1", Desired.PAUSED));
    driver.tick();
    assertThat(driver.shard(1).watermark()).isEmpty();
    registry(4, 1, of("b"));
    driver.tick();
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(1).started()).as("its partitions are emptied first").isTrue();
  }

  @Test
  void aPausedShardThatMovesIsCopiedAnewByItsNewOwner() {
    registry(2, 1, of("a", "db1", Desired.PAUSED));
    driver.tick();
    registry(3, 1, of("b", "db1", Desired.PAUSED));
    driver.tick();
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.PAUSED);
    assertThat(driver.shard(1).watermark()).isEmpty();
    registry(4, 1, of("b"));
    driver.tick();
    assertCopiedAnewByB();
  }

  @Test
  void aHaltedShardThatMovesIsCopiedAnewByItsNewOwner() {
    a.phase = ShardPhase.HALTED;
    driver.send(a.changes());
    driver.tick();
    registry(2, 1, of("b"));
    driver.tick();
    assertThat(driver.shard(1).haltReason()).isEmpty();
    assertCopiedAnewByB();
  }

  @Test
  void aShardInTheMidstOfItsCopyIsCopiedAnewByItsNewOwner() {
    TestGroup copying = new TestGroup("a", "db1", 0, 1);
    driver = CoreDriver.onTable(copying, b);
    driver.sendAll(copying.hello(), b.resubmitted().hello());
    driver.tick();
    copying.phase = ShardPhase.SNAPSHOT;
    driver.send(copying.copied());
    driver.tick();
    registry(2, 1, of("b"));
    driver.tick();
    assertCopiedAnewByB();
    driver.send(copying.copied());
    driver.tick();
    assertThat(driver.shard(1).copiedRows()).as("what its old owner copied on").isEqualTo(1_001);
  }

  private void assertCopiedAnewByB() {
    assertThat(driver.shard(1).group()).isEqualTo(b.name);
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(1).watermark()).isEmpty();
    assertThat(driver.shard(1).started()).as("its partitions are emptied first").isTrue();
    assertThat(driver.shard(1).ownPosition()).isEmpty();
    assertThat(driver.shard(1).move().flatMap(ShardMove::after)).isPresent();
  }

  @Test
  void aShardThatIsCopiedAnewMayGoToAnotherServerToo() {
    registry(2, 1, of("b", "db7", Desired.ACTIVE));
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED).get(0).text())
        .contains("from server db7", "expected server db1", "pause the shard", "start group a");
    driver.alarms.clear();
    a.phase = ShardPhase.HALTED;
    driver.send(a.changes());
    driver.tick();
    registry(3, 1, of("b", "db7", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED)).isEmpty();
    assertThat(driver.shard(1).server()).isEqualTo(new ServerName("db7"));
    assertCopiedAnewByB();
  }

  @Test
  void anUnstartedShardIsNotSpokenForByAJobFromBeforeItCameBack() {
    registry(2, 3, of("a"));
    driver.tick();
    TestGroup grown = anew(a, 2, 0, 1, 3);
    driver.send(grown.hello());
    driver.tick();
    Committable copied = grown.changes();
    driver.send(copied);
    registry(3, 3, of("b"));
    driver.tick();
    assertThat(driver.shard(3).group()).isEqualTo(b.name);
    assertThat(driver.shard(3).started()).as("its epoch was left out").isFalse();
    registry(4, 3, of("a"));
    driver.send(grown.changes());
    driver.tick();
    assertThat(driver.shard(3).started()).as("a copy with a hole").isFalse();
    assertThat(driver.epoch(grown)).isEqualTo(3);
  }

  @Test
  void aJobOfTheSameRegistryThatSpeaksForAnothersShardIsHaltedAllTheSame() {
    registry(2, 1, of("b"));
    driver.tick();
    TestGroup wrong = anew(a, 2, 0);
    driver.send(wrong.hello());
    driver.tick();
    TestGroup greedy = new TestGroup("a", "db1", 0, 1);
    greedy.incarnation = wrong.incarnation;
    greedy.submission = wrong.submission;
    greedy.registryVersion = 2;
    greedy.startFrom(driver.state());
    driver.send(greedy.changes());
    driver.tick();
    assertThat(driver.state(wrong).halt().map(Halt::code)).contains(HaltCode.NOT_OWNED);
    assertThat(List.of(driver.shard(1).group())).containsExactly(b.name);
  }
}
