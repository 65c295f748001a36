package io.tributary.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SnapshotRatesTest {
  @Test
  void theRestTakesAsLongAsThePresentRateSays() {
    assertThat(SnapshotRates.eta(100, 300, 700, Duration.ofSeconds(10)))
        .contains(Duration.ofSeconds(20));
  }

  @Test
  void withoutProgressOrEstimateThereIsNoTimeToTell() {
    assertThat(SnapshotRates.eta(300, 300, 700, Duration.ofSeconds(10))).isEmpty();
    assertThat(SnapshotRates.eta(100, 300, 300, Duration.ofSeconds(10))).isEmpty();
    assertThat(SnapshotRates.eta(100, 300, 700, Duration.ZERO)).isEmpty();
  }
}
