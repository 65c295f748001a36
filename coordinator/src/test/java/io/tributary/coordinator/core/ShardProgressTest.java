package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How committed epochs move shards, sources and the table's watermark. */
class ShardProgressTest {
  private final TestGroup a = new TestGroup("a", "db1", 0, 1);
  private final TestGroup b = new TestGroup("b", "db2", 2);
  private CoreDriver driver;

  @BeforeEach
  void bothGroupsGo() {
    driver = CoreDriver.onTable(a, b);
    driver.sendAll(a.hello(), b.hello());
    driver.tick();
  }

  private static Watermark at(long seconds) {
    return new Watermark(Instant.ofEpochSecond(seconds));
  }

  @Test
  void theTableHasNoWatermarkBeforeEveryShardIsCopied() {
    a.phase = ShardPhase.SNAPSHOT;
    driver.sendAll(a.copied(), b.changes());
    driver.tick();
    assertThat(driver.state().validThrough()).isEmpty();
    assertThat(driver.shard(0).copiedRows()).isEqualTo(a.time);
    assertThat(driver.shard(0).estimatedRows()).isEqualTo(5_000);
    assertThat(driver.state().source(a.name, a.server)).isEmpty();
    a.phase = ShardPhase.ACTIVE;
    b.time = 500;
    driver.sendAll(a.changes());
    driver.tick();
    assertThat(driver.state().validThrough()).contains(at(1_001));
    assertThat(driver.state().source(a.name, a.server)).isPresent();
  }

  @Test
  void aWatermarkThatFellIsNotTakenOverAndReported() {
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    a.time = 400;
    driver.send(a.changes());
    driver.tick();
    assertThat(driver.shard(0).watermark()).contains(at(1_001));
    assertThat(driver.state().validThrough()).contains(at(1_001));
    assertThat(driver.alarms(Alarm.Code.WATERMARK_FELL)).hasSize(2);
    assertThat(driver.alarms(Alarm.Code.WATERMARK_FELL).get(0).text())
        .contains(
            "shard 0 of group a in table shop.orders",
            "epoch 2, term 2",
            "found 1970-01-01T00:06:41Z",
            "cure: check the clock of server db1");
  }

  @Test
  void aHaltedShardIsRecordedWithItsReasonAndHoldsTheTablesWatermark() {
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    a.phase = ShardPhase.HALTED;
    b.time = 5_000;
    driver.sendAll(a.idle(), b.changes());
    driver.tick();
    driver.send(b.changes());
    driver.tick();
    assertThat(driver.shard(0).phase()).isEqualTo(ShardPhase.HALTED);
    assertThat(driver.shard(0).haltReason().get()).startsWith("XA PREPARE at bin.1:");
    assertThat(driver.state().validThrough()).contains(at(1_002));
    assertThat(driver.alarms(Alarm.Code.SHARD_HALTED)).hasSize(2);
    assertThat(driver.alarms(Alarm.Code.SHARD_HALTED).get(0).text())
        .contains("shard 0 of group a in table shop.orders", "XA PREPARE", "cure: ");
  }

  @Test
  void aShardThatIsCopiedAnewIsNoLongerCovered() {
    driver.sendAll(a.changes(), b.changes());
    driver.tick();
    assertThat(driver.shard(0).covered()).isTrue();
    a.phase = ShardPhase.SNAPSHOT;
    driver.send(a.copied(0, 1));
    driver.tick();
    assertThat(driver.shard(0).covered()).isFalse();
    assertThat(driver.shard(0).watermark()).isEmpty();
    assertThat(driver.state().source(a.name, a.server)).isEmpty();
    assertThat(driver.state().validThrough()).contains(at(1_001));
    assertThat(driver.published.get(driver.published.size() - 1).notCovered()).hasSize(2);
  }
}
