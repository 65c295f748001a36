package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WatermarkRuleTest {
  private final WatermarkRule rule = new WatermarkRule(Duration.ofSeconds(10), Protections.all());
  private final SortedMap<ShardId, ShardState> shards = new TreeMap<>();

  private static Watermark at(long seconds) {
    return Watermark.ofEpochMicros(seconds * 1_000_000);
  }

  private void shard(int id, ShardPhase phase, long seconds, boolean covered) {
    shards.put(
        new ShardId(id),
        new ShardState(
            new GroupName("a"),
            new ServerName("db1"),
            phase,
            seconds == 0 ? Optional.empty() : Optional.of(at(seconds)),
            true,
            covered,
            0,
            0,
            Optional.empty()));
  }

  private WatermarkRule.Result after(long current) {
    return rule.apply(
        current == 0 ? Optional.empty() : Optional.of(at(current)), Optional.empty(), shards);
  }

  private static boolean covers(WatermarkRule.Result result, int id) {
    return result.shards().get(new ShardId(id)).covered();
  }

  @Test
  void thereIsNoneWhileAFirstShardIsCopied() {
    shard(0, ShardPhase.ACTIVE, 100, false);
    shard(1, ShardPhase.SNAPSHOT, 0, false);
    assertThat(after(0).validThrough()).isEmpty();
    assertThat(covers(after(0), 0)).isFalse();
  }

  @Test
  void thereIsNoneWhileAFirstShardIsHalted() {
    shard(0, ShardPhase.ACTIVE, 100, false);
    shard(1, ShardPhase.HALTED, 90, false);
    assertThat(after(0).validThrough()).isEmpty();
  }

  @Test
  void thereIsNoneWithoutShards() {
    assertThat(after(0).validThrough()).isEmpty();
    shard(0, ShardPhase.PAUSED, 100, false);
    assertThat(after(0).validThrough()).isEmpty();
  }

  @Test
  void theFirstIsTheMinimumOnceAllAreActive() {
    shard(0, ShardPhase.ACTIVE, 100, false);
    shard(1, ShardPhase.ACTIVE, 90, false);
    shard(2, ShardPhase.PAUSED, 0, false);
    shard(3, ShardPhase.RETIRED, 10, false);
    assertThat(after(0).validThrough()).contains(at(90));
    assertThat(covers(after(0), 0)).isTrue();
    assertThat(covers(after(0), 1)).isTrue();
    assertThat(covers(after(0), 2)).isFalse();
    assertThat(covers(after(0), 3)).isFalse();
  }

  @Test
  void itIsTheMinimumOfTheCovered() {
    shard(0, ShardPhase.ACTIVE, 200, true);
    shard(1, ShardPhase.ACTIVE, 150, true);
    assertThat(after(100).validThrough()).contains(at(150));
  }

  @Test
  void itNeverFalls() {
    shard(0, ShardPhase.ACTIVE, 80, true);
    assertThat(after(100).validThrough()).contains(at(100));
  }

  @Test
  void itStaysWithoutAnActiveShard() {
    shard(0, ShardPhase.PAUSED, 80, false);
    assertThat(after(100).validThrough()).contains(at(100));
  }

  @Test
  void aShardAddedLaterIsCoveredOnceItHasReachedIt() {
    shard(0, ShardPhase.ACTIVE, 200, true);
    shard(1, ShardPhase.SNAPSHOT, 0, false);
    assertThat(after(100).validThrough()).contains(at(200));
    shard(1, ShardPhase.ACTIVE, 50, false);
    assertThat(after(100).validThrough()).contains(at(200));
    assertThat(covers(after(100), 1)).isFalse();
    shard(1, ShardPhase.ACTIVE, 150, false);
    assertThat(after(100).validThrough()).contains(at(150));
    assertThat(covers(after(100), 1)).isTrue();
  }

  @Test
  void aShardThatLagsALittleHoldsItUntilTheyMeet() {
    shard(0, ShardPhase.ACTIVE, 200, true);
    shard(1, ShardPhase.ACTIVE, 195, false);
    assertThat(after(199).validThrough()).contains(at(199));
    assertThat(covers(after(199), 1)).isFalse();
    shard(0, ShardPhase.ACTIVE, 210, true);
    shard(1, ShardPhase.ACTIVE, 205, false);
    assertThat(after(199).validThrough()).contains(at(205));
    assertThat(covers(after(199), 1)).isTrue();
  }

  @Test
  void aCoveredShardThatIsHaltedHoldsIt() {
    shard(0, ShardPhase.ACTIVE, 200, true);
    shard(1, ShardPhase.HALTED, 120, true);
    assertThat(after(100).validThrough()).contains(at(120));
    assertThat(after(120).validThrough()).contains(at(120));
  }

  @Test
  void aPausedShardLetsGo() {
    shard(0, ShardPhase.ACTIVE, 200, true);
    shard(1, ShardPhase.PAUSED, 120, false);
    assertThat(after(100).validThrough()).contains(at(200));
  }

  @Test
  void leftOutTheRulesBreakThePromise() {
    shard(0, ShardPhase.ACTIVE, 100, false);
    shard(1, ShardPhase.SNAPSHOT, 0, false);
    WatermarkRule early =
        new WatermarkRule(
            Duration.ZERO, Protections.without(Protection.NULL_WATERMARK_DURING_SNAPSHOT));
    assertThat(early.apply(Optional.empty(), Optional.empty(), shards).validThrough())
        .contains(at(100));
    shard(0, ShardPhase.ACTIVE, 80, true);
    WatermarkRule falling =
        new WatermarkRule(Duration.ZERO, Protections.without(Protection.MONOTONE_WATERMARK));
    assertThat(falling.apply(Optional.of(at(100)), Optional.empty(), shards).validThrough())
        .contains(at(80));
  }
}
