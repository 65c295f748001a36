package io.tributary.loadtests.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChaosResultTest {
  private static final Duration BOUND = Duration.ofSeconds(60);

  private static ChaosResult result(long lost, long missing, Duration recovery, String... wrong) {
    return new ChaosResult(
        7,
        Duration.ofMinutes(3),
        Map.of(FaultKind.KILL_KAFKA, 2, FaultKind.CUT_CONNECTION, 1),
        2,
        40,
        30,
        1_000,
        1_600,
        1,
        990,
        20_000,
        lost,
        0,
        0,
        missing,
        0,
        0,
        Duration.ofMillis(12_345),
        List.of("#2 kill-kafka of kafka"),
        4,
        recovery,
        BOUND,
        List.of(wrong));
  }

  @Test
  void aRunWithoutFlawIsClean() {
    ChaosResult result = result(0, 0, BOUND);
    assertThat(result.clean()).isTrue();
    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.faults()).isEqualTo(3);
  }

  @Test
  void everyFlawIsNamed() {
    ChaosResult result = result(3, 1, BOUND.plusMillis(500), "source not quiet");
    assertThat(result.clean()).isFalse();
    assertThat(result.verdict())
        .isEqualTo(
            "source not quiet; 1 rounds without a message; 3 rows lost; the work went on only 60.5 s after a fault's end, more than 60 s");
  }

  @Test
  void theFileHasAllNumbers() {
    JsonNode json = result(0, 0, Duration.ofSeconds(9)).json();
    assertThat(json.toString())
        .isEqualTo(
            "{\"seed\":7,\"minutes\":3.0,\"faults\":3,"
                + "\"faultsByKind\":{\"kill-kafka\":2,\"cut-connection\":1},"
                + "\"faultsInFlight\":2,\"rounds\":40,"
                + "\"dataRounds\":30,\"transactions\":1000,\"changes\":1600,"
                + "\"uncertainTransactions\":1,\"checkedTransactions\":990,\"sourceRows\":20000,"
                + "\"lostRows\":0,\"doubledRows\":0,\"wrongRows\":0,\"missingRounds\":0,"
                + "\"duplicateRounds\":0,\"watermarkViolations\":0,\"longestStallMs\":12345,"
                + "\"longestStallCauses\":[\"#2 kill-kafka of kafka\"],\"recoveries\":4,"
                + "\"longestRecoveryMs\":9000,\"recoveryBoundMs\":60000,\"verdict\":\"clean\"}");
  }

  @Test
  void theFileOfARunThatCouldNotGoOnSaysWhy() {
    JsonNode json =
        ChaosResult.unfinished(
            7, Duration.ofMinutes(3), Map.of(FaultKind.KILL_KAFKA, 2), "the job of east ended");
    assertThat(json.toString())
        .isEqualTo(
            "{\"seed\":7,\"minutes\":3.0,\"faults\":2,\"faultsByKind\":{\"kill-kafka\":2},"
                + "\"verdict\":\"did not finish: the job of east ended\"}");
  }
}
