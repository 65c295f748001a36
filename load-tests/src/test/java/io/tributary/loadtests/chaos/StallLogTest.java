package io.tributary.loadtests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StallLogTest {
  private final StallLog log = new StallLog();

  private static Instant at(long second) {
    return Instant.ofEpochSecond(second);
  }

  private static FaultRecord fault(int number, long begin, long end) {
    return new FaultRecord(
        number, FaultKind.PAUSE_KAFKA, "kafka", Optional.empty(), at(begin), at(end));
  }

  @Test
  void withoutTwoMessagesThereIsNoStall() {
    log.message(at(1));
    assertThat(log.longestStall()).isEmpty();
    assertThat(log.longestRecovery()).isEmpty();
  }

  @Test
  void theLongestStallNamesTheFaultsThatWereActiveInIt() {
    log.message(at(0));
    log.message(at(2));
    log.message(at(12));
    log.message(at(13));
    log.fault(fault(4, 9, 14));
    log.fault(fault(1, 0, 2));
    log.fault(fault(2, 1, 3));
    log.fault(fault(3, 12, 13));
    StallLog.Stall longest = log.longestStall().orElseThrow();
    assertThat(longest.length()).isEqualTo(Duration.ofSeconds(10));
    assertThat(longest.causes()).containsExactly(fault(2, 1, 3), fault(4, 9, 14));
  }

  @Test
  void theLongestRecoveryIsKept() {
    log.recovered(new StallLog.Recovery(fault(1, 0, 1), Duration.ofSeconds(3)));
    log.recovered(new StallLog.Recovery(fault(2, 4, 5), Duration.ofSeconds(8)));
    assertThat(log.longestRecovery().orElseThrow().last().number()).isEqualTo(2);
    assertThat(log.recoveries()).hasSize(2);
  }
}
