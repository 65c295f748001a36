package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes into a round, and into which snapshot of it. */
class RoundTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
    driver.rounds.clear();
  }

  private static List<String> content(Layer layer) {
    return layer.parts().stream().map(part -> part.group() + ":" + part.epoch()).toList();
  }

  private List<List<String>> layers() {
    return driver.lastRound().layers().stream().map(RoundTest::content).toList();
  }

  @Test
  void theFirstRoundRegistersShardsAndAnswers() {
    assertThat(driver.state().round().value()).isEqualTo(1);
    assertThat(driver.state().registryVersion()).isEqualTo(1);
    assertThat(driver.shard(2).group()).isEqualTo(new GroupName("b"));
    assertThat(driver.shard(2).server()).isEqualTo(new ServerName("db2"));
    assertThat(driver.shard(2).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(2).started()).isFalse();
  }

  @Test
  void oneEpochOfEveryGroupSharesOneSnapshot() {
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:1", "b:1"));
    assertThat(driver.state().dataRound()).isTrue();
    assertThat(driver.state().added()).isEqualTo(new FileCounts(2, 6, 2, 6, 0, 0, 200));
    assertThat(driver.shard(0).started()).isTrue();
    assertThat(driver.state().source(a.name, a.server))
        .contains(SourcePosition.of("bin.1", a.time));
    assertThat(driver.state().controlOffset()).isEqualTo(driver.topic.size());
    assertThat(driver.state().committedAt()).isEqualTo(driver.now);
  }

  @Test
  void ofTwoPendingEpochsOneIsTaken() {
    long second = driver.topic.size() + 1L;
    driver.sendAll(a.changes(), a.changes());
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:1"));
    assertThat(driver.state().controlOffset()).isEqualTo(second);
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:2"));
  }

  @Test
  void anEpochThatIsLeftForManyRoundsIsNotNeededAsABuffer() {
    driver.send(a.changes());
    int rounds = 0;
    do {
      driver.send(a.changes());
      driver.tick();
      rounds++;
    } while (driver.view(a).pendingEpochs() == 1 && rounds < 100);
    assertThat(rounds).isEqualTo(41);
    assertThat(driver.lastRound().layers()).hasSize(2);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.lastRound().layers()).hasSize(1);
    assertThat(driver.view(a).pendingEpochs()).isZero();
  }

  @Test
  void aBacklogIsCaughtUpButForOneEpoch() {
    driver.sendAll(a.changes(), a.changes(), a.changes(), b.changes());
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:1", "b:1"), List.of("a:2"));
  }

  @Test
  void aBacklogIsCappedBetweenEpochs() {
    for (int i = 0; i < 4; i++) {
      driver.send(a.seal(a.appends(), a.upserts(), a.upserts()));
    }
    driver.tick();
    // Three layers each; the cap of four cuts after the first epoch.
    assertThat(layers()).containsExactly(List.of("a:1"), List.of("a:1"), List.of("a:1"));
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void anEpochAboveTheCapIsCommittedWhole() {
    Slice[] slices = new Slice[6];
    java.util.Arrays.setAll(slices, i -> a.upserts());
    driver.send(a.seal(slices));
    driver.tick();
    assertThat(driver.lastRound().layers()).hasSize(6);
    assertThat(driver.epoch(a)).isEqualTo(1);
  }

  @Test
  void epochsWithoutFilesAreNoBacklog() {
    driver.sendAll(a.idle(), a.idle(), a.changes(), a.idle(), a.changes());
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:3"));
    assertThat(driver.epoch(a)).isEqualTo(4);
  }

  @Test
  void copiedEpochsShareASnapshot() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.sendAll(a.copied(), a.copied(), a.copied());
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:1", "a:2", "a:3"));
  }

  @Test
  void copiedRowsAreInAnEarlierSnapshotThanTheirChanges() {
    driver.send(a.seal(a.appends(), a.upserts()));
    driver.tick();
    assertThat(layers()).containsExactly(List.of("a:1"), List.of("a:1"));
    assertThat(driver.lastRound().layers().get(0).counts().hasDeletes()).isFalse();
    assertThat(driver.lastRound().layers().get(1).counts().hasDeletes()).isTrue();
  }

  @Test
  void appendsMayShareTheSnapshotOfEarlierChangesButNotTheOtherWayRound() {
    driver.send(a.seal(a.upserts(), a.appends(), a.upserts()));
    driver.tick();
    assertThat(driver.lastRound().layers()).hasSize(2);
    assertThat(driver.lastRound().layers().get(0).parts()).hasSize(2);
  }

  @Test
  void aFirstCopyEmptiesNothing() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied(0, 1));
    driver.tick();
    assertThat(driver.lastRound().layers()).hasSize(1);
    assertThat(driver.lastRound().layers().get(0).emptyShards()).isEmpty();
    assertThat(driver.shard(0).started()).isTrue();
  }

  @Test
  void aSecondCopyStartsFromEmptiedPartitions() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied());
    driver.tick();
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    driver.send(a.copied(0, 1));
    driver.tick();
    assertThat(driver.lastRound().layers()).hasSize(1);
    assertThat(driver.lastRound().layers().get(0).emptyShards())
        .containsExactly(new ShardId(0), new ShardId(1));
  }

  @Test
  void whatIsPendingOfAShardInTheSameRoundIsEmptiedToo() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.sendAll(a.copied(), a.copied(0, 1));
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.lastRound().layers().get(0).emptyShards()).hasSize(2);
    assertThat(layers()).containsExactly(List.of("a:2"));
  }

  @Test
  void aShardIsEmptiedBehindTheFilesOfItsEpochAlsoWhenTheyAreItsFirst() {
    driver.send(a.seal(a.appends(), a.empties(1)));
    driver.tick();

    List<Layer> layers = driver.lastRound().layers();
    assertThat(layers()).containsExactly(List.of("a:1"), List.of());
    assertThat(layers.get(0).emptyShards()).isEmpty();
    assertThat(layers.get(1).emptyShards()).containsExactly(new ShardId(1));
  }

  @Test
  void whatFollowsAnEmptiedShardIsBehindItAndWhatIsBeforeItIsBeforeIt() {
    driver.send(a.changes());
    driver.tick();
    driver.sendAll(
        a.seal(a.upserts(), a.empties(0)), a.seal(a.appends()), a.seal(a.upserts()), a.idle());
    driver.sendAll(a.changes(), a.changes());
    driver.tick();

    List<Layer> layers = driver.lastRound().layers();
    // Copied rows may come in the snapshot behind that of the emptied partitions, in one layer.
    assertThat(layers())
        .containsExactly(List.of("a:2"), List.of("a:3"), List.of("a:4"), List.of("a:6"));
    assertThat(layers.get(1).emptyShards()).containsExactly(new ShardId(0));
    assertThat(layers).filteredOn(layer -> !layer.emptyShards().isEmpty()).hasSize(1);
  }

  @Test
  void aSecondCopyThatDoesNotEmptyHaltsTheGroup() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied());
    driver.tick();
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    driver.restart();
    driver.send(a.copied(0));
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(1);
    assertThat(driver.state(a).halt().get().message())
        .contains("epoch 2 of group a", "expected it to empty shard 1", "cure: ");
  }

  @Test
  void aCopyThatIsContinuedPastAStartFromTheTableNeedsNoEmptying() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied());
    driver.tick();
    io.tributary.protocol.Continuation copying = a.continuation();
    a.resubmitted();
    driver.send(a.hello());
    driver.tick();
    a.restoredFrom(copying);
    driver.sendAll(a.helloContinuing(), a.copied());
    driver.tick();
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state(a).halt()).isEmpty();
  }

  @Test
  void idleRoundsAreThrottled() {
    driver.send(a.changes());
    driver.tick();
    driver.send(a.idle());
    driver.tickAfter(Duration.ofSeconds(9));
    assertThat(driver.epoch(a)).isEqualTo(1);
    driver.tickAfter(Duration.ofSeconds(1));
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state().dataRound()).isFalse();
    assertThat(driver.state().added()).isEqualTo(FileCounts.NONE);
  }

  @Test
  void aClockThatWasSetBackDoesNotStopIdleRounds() {
    driver.send(a.changes());
    driver.tick();
    java.time.Instant last = driver.now;
    driver.send(a.idle());
    driver.tickAfter(Duration.ofHours(-1));
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.state().committedAt()).isEqualTo(last);
  }

  @Test
  void nothingPendingMakesNoRound() {
    driver.tick();
    driver.tick();
    assertThat(driver.rounds).isEmpty();
  }

  @Test
  void atEqualIntervalsWithJitterARoundWithFilesHasOneSnapshot() {
    Random random = new Random(4);
    long interval = 10_000;
    // Each group's barriers come up to 30% of an interval early or late.
    TestGroup[] groups = {a, b};
    double[] phases = {0.02, 0.98};
    int[] sent = {0, 0};
    double[] next = new double[2];
    for (int g = 0; g < 2; g++) {
      next[g] = phases[g] * interval;
    }
    for (int tick = 1; tick <= 400; tick++) {
      for (int g = 0; g < 2; g++) {
        while (next[g] <= tick * (double) interval) {
          driver.send(groups[g].changes());
          sent[g]++;
          next[g] = (sent[g] + phases[g] + 0.6 * (random.nextDouble() - 0.5)) * interval;
        }
      }
      driver.tickAfter(Duration.ofMillis(interval));
    }
    List<RoundPlan> data = driver.rounds.stream().filter(r -> !r.layers().isEmpty()).toList();
    assertThat(data.stream().filter(r -> r.layers().size() == 1).count())
        .isGreaterThanOrEqualTo(data.size() * 99L / 100);
    assertThat(driver.epoch(a)).isGreaterThanOrEqualTo(sent[0] - 2);
    assertThat(driver.epoch(b)).isGreaterThanOrEqualTo(sent[1] - 2);
  }

  @Test
  void aGroupThatWasDownIsCaughtUpWhileTheOtherKeepsItsPace() {
    for (int i = 0; i < 10; i++) {
      driver.send(a.changes());
    }
    driver.send(b.changes());
    for (int i = 0; i < 4; i++) {
      driver.tick();
      driver.send(b.changes());
    }
    assertThat(driver.epoch(a)).isEqualTo(10);
    assertThat(driver.epoch(b)).isEqualTo(4);
    assertThat(driver.rounds.get(0).layers()).hasSize(4);
    assertThat(content(driver.rounds.get(0).layers().get(0))).containsExactly("a:1", "b:1");
    assertThat(driver.rounds.get(2).next().group(a.name).get().epoch()).isEqualTo(new Epoch(9));
  }
}
