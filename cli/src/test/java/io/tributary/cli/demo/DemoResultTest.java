package io.tributary.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoResultTest {
  @Test
  void theJsonHasThePromisedFields() {
    ObjectNode json = result(List.of()).json();
    List<String> names = new ArrayList<>();
    json.fieldNames().forEachRemaining(names::add);

    assertThat(names)
        .containsExactly(
            "sourceRows",
            "tableRows",
            "mismatches",
            "rounds",
            "dataRounds",
            "dataRoundsInOneSnapshot",
            "dataSnapshots",
            "statusMessages",
            "duplicateStatusMessages",
            "commitConflicts",
            "snapshotPhaseEqualityDeleteRows",
            "secondsToFirstStatus",
            "lagMsP50",
            "lagMsP99",
            "verdict");
    assertThat(json.get("verdict").asText()).isEqualTo("clean");
    assertThat(json.get("secondsToFirstStatus").isNumber()).isTrue();
  }

  @Test
  void theVerdictNamesAllThatIsWrong() {
    DemoResult result = result(List.of("1 keys differ", "2 commit conflicts"));

    assertThat(result.clean()).isFalse();
    assertThat(result.verdict()).isEqualTo("1 keys differ; 2 commit conflicts");
  }

  private static DemoResult result(List<String> wrong) {
    return new DemoResult(1, 1, 0, 2, 2, 2, 2, 2, 0, 0, 0, 12.5, 100, 200, wrong);
  }
}
