package io.tributary.protocol.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.NotCoveredReason;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class WatermarkWaitTest {
  private static final Instant UNTIL = Statuses.T0.plusSeconds(10);

  private final WatermarkWait wait = new WatermarkWait(Statuses.TABLE, UNTIL, false);
  private final WatermarkWait tolerant = new WatermarkWait(Statuses.TABLE, UNTIL, true);

  @Test
  void itIsOverWhenTheWatermarkReachesTheTime() {
    assertThat(wait.isOver(Statuses.round(9).status())).isFalse();
    assertThat(wait.isOver(Statuses.round(10).status())).isTrue();
    assertThat(wait.isOver(Statuses.round(11).status())).isTrue();
  }

  @Test
  void aMicrosecondTooEarlyIsTooEarly() {
    assertThat(wait.isOver(Statuses.round(1).validThrough(UNTIL.minusNanos(1_000)).status()))
        .isFalse();
  }

  @Test
  void aWatermarkNeverReachesATimeFinerThanItself() {
    WatermarkWait fine = new WatermarkWait(Statuses.TABLE, UNTIL.plusNanos(1), false);
    assertThat(fine.isOver(Statuses.round(1).validThrough(UNTIL).status())).isFalse();
    assertThat(fine.isOver(Statuses.round(1).validThrough(UNTIL.plusNanos(1_000)).status()))
        .isTrue();
  }

  @Test
  void withoutAWatermarkItIsNotOver() {
    assertThat(wait.isOver(Statuses.round(10).validThrough(null).status())).isFalse();
    assertThat(tolerant.isOver(Statuses.round(10).validThrough(null).status())).isFalse();
  }

  @Test
  void shardsThatAreOnTheirWayAreWaitedFor() {
    for (NotCoveredReason reason :
        new NotCoveredReason[] {
          NotCoveredReason.NOT_STARTED,
          NotCoveredReason.INITIAL_SNAPSHOT,
          NotCoveredReason.CATCHING_UP
        }) {
      assertThat(wait.isOver(Statuses.round(10).without(3, reason).status())).isFalse();
      assertThat(tolerant.isOver(Statuses.round(10).without(3, reason).status())).isTrue();
    }
  }

  @Test
  void shardsThatAnOperatorMustSeeToAreRefusedAtOnce() {
    assertThatThrownBy(
            () ->
                wait.isOver(
                    Statuses.round(3)
                        .without(3, NotCoveredReason.PAUSED)
                        .without(4, NotCoveredReason.CATCHING_UP)
                        .without(5, NotCoveredReason.HALTED)
                        .status()))
        .isInstanceOf(ShardsNotCoveredException.class)
        .hasMessage(
            "Cannot wait for table shop.products up to 2026-11-30T02:00:10Z: expected every shard to be covered, found shard 3 (paused), shard 5 (halted) in round 3; resume or retire them, or allow shards that are not covered");
    assertThat(tolerant.isOver(Statuses.round(10).without(5, NotCoveredReason.HALTED).status()))
        .isTrue();
  }

  @Test
  void aTimeoutNamesTheWatermarkAndTheLag() {
    wait.isOver(Statuses.round(7).status());
    assertThat(wait.timedOut(Duration.ofMillis(1_500), "nothing"))
        .hasMessage(
            "Cannot confirm table shop.products up to 2026-11-30T02:00:10Z within 1.5 s: expected a watermark of at least that, found 2026-11-30T02:00:07Z, 3 s before it, in round 7 committed at 2026-11-30T02:00:08Z")
        .satisfies(e -> assertThat(e.last().orElseThrow().round().value()).isEqualTo(7));
  }

  @Test
  void aTimeoutNamesTheShardsInTheWayButNotAThousand() {
    Statuses status = Statuses.round(12);
    for (int shard = 0; shard < 12; shard++) {
      status = status.without(shard, NotCoveredReason.CATCHING_UP);
    }
    wait.isOver(status.status());
    assertThat(wait.timedOut(Duration.ofSeconds(60), "nothing").getMessage())
        .contains("within 60 s")
        .contains("found 2026-11-30T02:00:12Z, in round 12")
        .endsWith("shard 9 (catching-up) and 2 more");
  }

  @Test
  void aTimeoutSaysThatThereIsNoWatermarkYetOrNoMessage() {
    assertThat(wait.timedOut(Duration.ofSeconds(5), "no topic x").getMessage())
        .endsWith("found no topic x");
    wait.isOver(Statuses.round(1).validThrough(null).status());
    assertThat(wait.timedOut(Duration.ofSeconds(5), "no topic x").getMessage())
        .contains("found none yet, the first initial snapshots are not complete, in round 1");
  }
}
