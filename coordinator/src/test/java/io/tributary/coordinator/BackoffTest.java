package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void waitsLongerWithEachFailureUpToAMost() {
    Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(3));
    assertThat(backoff.isDue(START)).isFalse();

    for (int seconds : new int[] {1, 2, 3, 3}) {
      backoff.failed(START);
      assertThat(backoff.isWaiting(START.plusSeconds(seconds).minusMillis(1))).isTrue();
      assertThat(backoff.isDue(START.plusSeconds(seconds).minusMillis(1))).isFalse();
      assertThat(backoff.isDue(START.plusSeconds(seconds))).isTrue();
    }
  }

  @Test
  void isDueOnceForEachFailureAndForgetsOnSuccess() {
    Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(8));
    backoff.failed(START);
    assertThat(backoff.isDue(START.plusSeconds(1))).isTrue();
    assertThat(backoff.isDue(START.plusSeconds(5))).isFalse();
    backoff.failed(START);
    backoff.succeeded();
    assertThat(backoff.isDue(START.plusSeconds(60))).isFalse();
    backoff.failed(START);
    assertThat(backoff.isDue(START.plusSeconds(1))).isTrue();
  }
}
