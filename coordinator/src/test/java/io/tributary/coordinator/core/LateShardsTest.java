package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.NotCoveredReason;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is done about shards that are far behind the others, round by round. */
class LateShardsTest {
  private static final Duration AFTER = Duration.ofSeconds(100);
  private static final long START = 2_000_000_000L;

  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  private static Watermark at(long seconds) {
    return new Watermark(Instant.ofEpochSecond(START + seconds));
  }

  private void policy(long version, boolean waits) {
    driver.members = new Members(version, driver.members.shards(), new LatePolicy(AFTER, waits));
    driver.run(new Event.RegistryChanged(driver.members));
  }

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.now = Instant.ofEpochSecond(START);
    policy(1, true);
    a.time = START;
    b.time = START;
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
    driver.sendAll(a.changes(), b.changes());
    driver.tickAfter(Duration.ofSeconds(1));
    assertThat(driver.state().validThrough()).contains(at(1));
  }

  /** Group a goes on while group b stands still. */
  private void aGoesOnTo(long seconds) {
    a.time = START + seconds - 1;
    driver.send(a.changes());
    driver.now = Instant.ofEpochSecond(START + seconds);
    driver.tickAfter(Duration.ofMillis(1));
  }

  private CommitStatus lastMessage() {
    return driver.published.get(driver.published.size() - 1);
  }

  @Test
  void aLateShardHoldsTheTableAndIsNamedOnce() {
    aGoesOnTo(90);
    assertThat(driver.late).isEmpty();
    aGoesOnTo(300);
    driver.tickAfter(Duration.ofMillis(1));
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.state().validThrough()).contains(at(1));
    assertThat(driver.shard(2).covered()).isTrue();
    assertThat(driver.late.stream().filter(this::isOfB))
        .singleElement()
        .satisfies(
            alarm ->
                assertThat(alarm.text())
                    .contains(
                        "shards [2] of group b in table shop.orders",
                        "within PT1M40S of the newest, " + at(300),
                        "found the oldest at " + at(1),
                        "waits for those that it covers",
                        "cure: "));
  }

  private boolean isOfB(Alarm alarm) {
    return alarm.group().equals(Optional.of(b.name));
  }

  @Test
  void withContinueTheTableGoesOnWithoutItAndMessagesNameIt() {
    policy(2, false);
    aGoesOnTo(300);
    assertThat(driver.state().validThrough()).contains(at(300));
    assertThat(lastMessage().notCovered())
        .singleElement()
        .satisfies(
            missing -> {
              assertThat(missing.shard()).isEqualTo(new ShardId(2));
              assertThat(missing.reason()).isEqualTo(NotCoveredReason.CATCHING_UP);
              assertThat(missing.detail().get()).startsWith("late: ").contains(at(1).toString());
            });
    // The loop is ticked again: what the round said is now the table's.
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.late.stream().filter(this::isOfB))
        .singleElement()
        .satisfies(alarm -> assertThat(alarm.text()).contains("goes on without them"));
  }

  @Test
  void itCountsAgainOnceItHasCaughtUpAndTheAlarmIsOver() {
    policy(2, false);
    aGoesOnTo(300);
    driver.tickAfter(Duration.ofMillis(1));
    b.time = START + 298;
    driver.send(b.changes());
    driver.tickAfter(Duration.ofSeconds(1));
    assertThat(driver.shard(2).covered()).isFalse();
    assertThat(driver.shard(2).late()).isTrue();
    assertThat(driver.over).isEmpty();
    driver.send(b.changes());
    driver.tickAfter(Duration.ofSeconds(1));
    assertThat(driver.shard(2).covered()).isTrue();
    assertThat(driver.shard(2).late()).isFalse();
    assertThat(lastMessage().notCovered()).isEmpty();
    driver.tickAfter(Duration.ofMillis(1));
    assertThat(driver.over)
        .singleElement()
        .satisfies(
            alarm -> {
              assertThat(alarm.code()).isEqualTo(Alarm.Code.SHARD_LATE);
              assertThat(alarm.text()).contains("No shard of group b in table shop.orders is late");
            });
  }

  @Test
  void aSuccessorGoesOnWithWhatTheTableSays() {
    policy(2, false);
    aGoesOnTo(300);
    driver.members = new Members(2, driver.members.shards(), new LatePolicy(AFTER, true));
    driver.restart();
    aGoesOnTo(310);
    assertThat(driver.state().validThrough()).contains(at(310));
    assertThat(driver.shard(2).late()).isTrue();
    assertThat(lastMessage().notCovered()).hasSize(1);
  }

  @Test
  void whenAllAreLateByTheClockTheOperatorIsToldAndNobodyIsLeftOut() {
    policy(2, false);
    driver.now = Instant.ofEpochSecond(START + 5_000);
    driver.tick();
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.shard(0).covered()).isTrue();
    assertThat(driver.shard(2).covered()).isTrue();
    assertThat(lastMessage().notCovered()).isEmpty();
    assertThat(driver.late).hasSize(2);
    assertThat(driver.late.get(0).text()).contains("shards [0, 1] of group a", "of the clock, ");
  }

  @Test
  void aHaltedShardIsLeftOutAndStaysHalted() {
    policy(2, false);
    b.phase = ShardPhase.HALTED;
    driver.send(b.idle());
    aGoesOnTo(300);
    assertThat(driver.shard(2).phase()).isEqualTo(ShardPhase.HALTED);
    assertThat(driver.state().validThrough()).contains(at(300));
    assertThat(lastMessage().notCovered())
        .singleElement()
        .satisfies(missing -> assertThat(missing.reason()).isEqualTo(NotCoveredReason.HALTED));
  }

  @Test
  void aLateShardThatIsCopiedAnewIsLateNoMore() {
    policy(2, false);
    aGoesOnTo(300);
    b.phase = ShardPhase.SNAPSHOT;
    driver.send(b.copied(2));
    driver.tick();
    assertThat(driver.shard(2).late()).isFalse();
    assertThat(lastMessage().notCovered())
        .singleElement()
        .satisfies(
            missing -> assertThat(missing.reason()).isEqualTo(NotCoveredReason.INITIAL_SNAPSHOT));
  }

  @Test
  void aRegistryThatIsRefusedChangesNothingAboutLateShards() {
    policy(2, true);
    driver.tick();
    Members refused = new Members(1, driver.members.shards(), new LatePolicy(AFTER, false));
    driver.run(new Event.RegistryChanged(refused));
    aGoesOnTo(300);
    assertThat(driver.shard(2).covered()).isTrue();
  }

  @Test
  void aTimeThatIsNoneIsRefused() {
    assertThatThrownBy(() -> new LatePolicy(Duration.ZERO, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("above 0");
  }
}
