package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Members.Desired;
import io.tributary.coordinator.core.Members.Member;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MembershipTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
  }

  private void registry(long version, int shard, Member member) {
    TreeMap<ShardId, Member> shards = new TreeMap<>(driver.members.shards());
    if (member == null) {
      shards.remove(new ShardId(shard));
    } else {
      shards.put(new ShardId(shard), member);
    }
    driver.members = Members.of(version, shards);
    driver.run(new Event.RegistryChanged(driver.members));
  }

  private static Member member(String group, String server, Desired desired) {
    return new Member(new GroupName(group), new ServerName(server), desired);
  }

  private void assertRefused(String... texts) {
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .startsWith("Cannot ")
                    .contains("table shop.orders", "expected")
                    .contains(texts));
    driver.tick();
    assertThat(driver.state().registryVersion()).isEqualTo(1);
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
  }

  @Test
  void aNewShardIsRegisteredAtTheNextTick() {
    registry(2, 3, member("a", "db3", Desired.ACTIVE));
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.shard(3).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(3).started()).isFalse();
    assertThat(driver.state().registryVersion()).isEqualTo(2);
    assertThat(driver.state().validThrough()).isPresent();
    assertThat(driver.published.get(driver.published.size() - 1).notCovered())
        .singleElement()
        .satisfies(entry -> assertThat(entry.shard()).isEqualTo(new ShardId(3)));
  }

  @Test
  void aStartedShardIsNotMoved() {
    registry(2, 1, member("b", "db1", Desired.ACTIVE));
    assertRefused("shard 1", "group b", "expected group a", "cure: ");
  }

  @Test
  void aStartedShardKeepsItsServer() {
    registry(2, 1, member("a", "db7", Desired.ACTIVE));
    assertRefused("shard 1", "server db7", "expected server db1", "cure: ");
  }

  @Test
  void aStartedShardIsNotDropped() {
    registry(2, 1, null);
    assertRefused("shard 1", "state retired");
  }

  @Test
  void anOlderRegistryIsNotApplied() {
    driver.members = Members.of(3, driver.members.shards());
    driver.run(new Event.RegistryChanged(driver.members));
    driver.tick();
    driver.run(new Event.RegistryChanged(Members.of(2, driver.members.shards())));
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED).get(0).text())
        .contains("registry version 2", "at least version 3");
  }

  @Test
  void anUnstartedShardMayChangeItsGroupAndServerOrGo() {
    registry(2, 3, member("a", "db3", Desired.ACTIVE));
    driver.tick();
    registry(3, 3, member("b", "db4", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(3).group()).isEqualTo(new GroupName("b"));
    assertThat(driver.shard(3).server()).isEqualTo(new ServerName("db4"));
    registry(4, 3, null);
    driver.tick();
    assertThat(driver.state().shard(new ShardId(3))).isEmpty();
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void aShardWithAPendingEpochIsNotMoved() {
    registry(2, 3, member("a", "db1", Desired.ACTIVE));
    driver.tick();
    TestGroup grown = new TestGroup("a", "db1", 0, 1, 3).startFrom(driver.state());
    driver.send(grown.changes());
    registry(3, 3, member("b", "db1", Desired.ACTIVE));
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED)).hasSize(1);
  }

  @Test
  void aPausedShardLeavesTheWatermarkAndComesBackOnceItHasReachedIt() {
    registry(2, 2, member("b", "db2", Desired.PAUSED));
    driver.tick();
    assertThat(driver.shard(2).phase()).isEqualTo(ShardPhase.PAUSED);
    assertThat(driver.shard(2).covered()).isFalse();
    a.time = 2_000;
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.state().validThrough()).contains(new Watermark(Instant.ofEpochSecond(2_001)));
    registry(3, 2, member("b", "db2", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(2).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(driver.shard(2).covered()).isFalse();
    b.time = 3_000;
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.shard(2).covered()).isTrue();
  }

  @Test
  void aShardThatWasNotReadWhileItsServersPositionWentOnIsCopiedAnew() {
    TestGroup both = new TestGroup("a", "db1", 0, 1);
    driver = CoreDriver.onTable(both);
    driver.sendAll(both.hello(), both.changes());
    driver.tick();
    registry(2, 1, member("a", "db1", Desired.PAUSED));
    driver.tick();
    TestGroup alone = new TestGroup("a", "db1", 0).startFrom(driver.state());
    alone.incarnation = both.incarnation;
    alone.time = both.time;
    alone.resubmitted();
    driver.sendAll(alone.hello(), alone.changes());
    driver.tick();
    driver.tick();
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.PAUSED);
    registry(3, 1, member("a", "db1", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(1).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(driver.shard(1).started()).as("its partitions are emptied first").isTrue();
  }

  @Test
  void aHaltedShardThatWasPausedIsCopiedAnew() {
    a.phase = ShardPhase.HALTED;
    driver.send(a.changes());
    driver.tick();
    registry(2, 0, member("a", "db1", Desired.PAUSED));
    driver.tick();
    registry(3, 0, member("a", "db1", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(0).phase()).isEqualTo(ShardPhase.SNAPSHOT);
  }

  @Test
  void aShardWhoseLastEpochsSayHaltedWhileItIsPausedIsCopiedAnew() {
    a.phase = ShardPhase.HALTED;
    driver.send(a.changes());
    driver.tick();
    registry(2, 0, member("a", "db1", Desired.PAUSED));
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.shard(0).phase()).isEqualTo(ShardPhase.PAUSED);
    registry(3, 0, member("a", "db1", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(0).phase()).isEqualTo(ShardPhase.SNAPSHOT);
  }

  @Test
  void aShardThatHaltsAfterItWasPausedIsCopiedAnew() {
    registry(2, 0, member("a", "db1", Desired.PAUSED));
    driver.tick();
    a.phase = ShardPhase.HALTED;
    driver.send(a.changes());
    driver.tick();
    registry(3, 0, member("a", "db1", Desired.ACTIVE));
    driver.tick();
    assertThat(driver.shard(0).phase()).isEqualTo(ShardPhase.SNAPSHOT);
  }

  @Test
  void aRetiredShardMayBeForgottenByTheRegistryAndStaysInTheTable() {
    registry(2, 2, member("b", "db2", Desired.RETIRED));
    driver.tick();
    registry(3, 2, null);
    driver.tick();
    assertThat(driver.shard(2).phase()).isEqualTo(ShardPhase.RETIRED);
    assertThat(driver.alarms).isEmpty();
  }

  @Test
  void aRegistryThatDoesNotFitAtStartLeavesWhatTheTableSays() {
    registry(2, 1, member("b", "db1", Desired.ACTIVE));
    driver.restart();
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.epoch(a)).isEqualTo(2);
    assertThat(driver.alarms(Alarm.Code.REGISTRY_REFUSED)).hasSize(2);
  }
}
