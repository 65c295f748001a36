package io.tributary.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StatusLogTest {
  private static final Instant START = Instant.parse("2026-11-30T02:00:00Z");

  private final StatusLog log = new StatusLog();

  @Test
  void roundsOnceAndInOrderAreWithoutFault() {
    accept(1, 2, 3);

    assertThat(log.duplicates()).isZero();
    assertThat(log.faults()).isEmpty();
    assertThat(log.countUpTo(2)).isEqualTo(2);
  }

  @Test
  void aMessageThatComesAgainIsADuplicate() {
    accept(1, 2, 2, 3);

    assertThat(log.duplicates()).isEqualTo(1);
    assertThat(log.countUpTo(3)).isEqualTo(4);
  }

  @Test
  void aMissingRoundIsNamed() {
    accept(1, 3);

    assertThat(log.faults())
        .containsExactly("expected the message of round 2, found that of round 3");
  }

  @Test
  void lagsAreThoseOfThePeriodAlone() {
    accept(1, 2, 3);

    // Round n is committed at second n, valid through second n - 1, received at second n + 1.
    assertThat(log.lags(START.plusSeconds(2), START.plusSeconds(3))).containsExactly(2_000L);
  }

  @Test
  void percentilesAreValuesThatWereSeen() {
    List<Long> sorted = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 100L);

    assertThat(StatusLog.percentile(sorted, 50)).isEqualTo(5);
    assertThat(StatusLog.percentile(sorted, 99)).isEqualTo(100);
    assertThat(StatusLog.percentile(List.of(), 99)).isZero();
  }

  private void accept(long... rounds) {
    for (long round : rounds) {
      log.accept(
          new StatusMessage(
              "id-" + round,
              round,
              Optional.of(round),
              true,
              Optional.of(START.plusSeconds(round - 1)),
              new TreeMap<>(),
              0,
              0,
              START.plusSeconds(round)),
          START.plusSeconds(round + 1));
    }
  }
}
