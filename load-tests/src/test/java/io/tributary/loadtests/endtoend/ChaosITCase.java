package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * {@code bin/tributary chaos}: nothing is lost, doubled or wrong, no round is missing and no
 * watermark says too much; and a build with one of the rules left out is found out.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChaosITCase {
  private static final Path FOLDER = Path.of("target", "chaos").toAbsolutePath();
  private static final Path OUTPUTS = Path.of("target", "chaos-output").toAbsolutePath();

  /** How long faults are made, in minutes; start, end and check come on top. */
  private static final String LENGTH = System.getProperty("chaos.minutes", "5");

  private static final String SEED = System.getProperty("chaos.seed", "20261130");
  private static final long MOST_MINUTES = 30;

  @Test
  @Order(1)
  void faultsOfManyKindsAreSurvived() throws Exception {
    Path json = OUTPUTS.resolve("survived.json");
    Files.deleteIfExists(json);
    try (CommandLine chaos =
        chaos("survived", "--minutes", LENGTH, "--seed", SEED, "--json", json.toString())) {
      int code = chaos.await((long) Double.parseDouble(LENGTH) + MOST_MINUTES);
      System.out.println(chaos.output());
      assertThat(code).as(chaos.output()).isZero();
    }
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertThat(result.get("verdict").textValue()).isEqualTo("clean");
    // All kinds come once before one comes twice; how many a machine gets done is its own matter.
    assertThat(result.get("faultsByKind").size())
        .isGreaterThanOrEqualTo(Math.min(15, (int) (3 * Double.parseDouble(LENGTH))));
    assertThat(result.get("faultsInFlight").asInt()).isPositive();
    assertThat(result.get("dataRounds").asInt()).isPositive();
    assertThat(result.get("checkedTransactions").asLong())
        .isEqualTo(result.get("transactions").asLong())
        .isPositive();
    for (String nothing :
        List.of(
            "lostRows",
            "doubledRows",
            "wrongRows",
            "missingRounds",
            "duplicateRounds",
            "watermarkViolations")) {
      assertThat(result.get(nothing).asLong()).as(nothing).isZero();
    }
  }

  @Test
  @Order(2)
  void aBuildThatLeavesOutARuleIsFoundOut() throws Exception {
    Path jar =
        BrokenBuild.without(
            "SLICES_IN_ORDER", CommandLine.checkout(), OUTPUTS.resolve("without-order.jar"));
    Path json = OUTPUTS.resolve("broken.json");
    Files.deleteIfExists(json);
    try (CommandLine chaos =
        chaos(
            "broken",
            "--minutes",
            "0.2",
            "--rate",
            "300",
            "--coordinator-jar",
            jar.toString(),
            "--failure-logs",
            OUTPUTS.toString(),
            "--json",
            json.toString())) {
      int code = chaos.await(MOST_MINUTES);
      System.out.println(chaos.output());
      assertThat(code).as(chaos.output()).isEqualTo(1);
      assertThat(chaos.output()).contains("Logs of all processes: " + OUTPUTS);
      Path kept =
          Path.of(chaos.output().replaceFirst("(?s).*Logs of all processes: (\\S+).*", "$1"));
      assertThat(kept.resolve("chaos.log")).content().contains("first watermark");
      assertThat(kept.resolve("kafka.log")).isNotEmptyFile();
    }
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertThat(result.get("doubledRows").asLong()).isPositive();
    assertThat(result.get("verdict").textValue()).contains("rows doubled").contains(" twice");
  }

  @Test
  @Order(3)
  void anInterruptedRunLeavesNothingBehind() throws Exception {
    try (CommandLine chaos = chaos("interrupted", "--minutes", "30", "--rows", "1000")) {
      await("a fault")
          .atMost(Duration.ofMinutes(MOST_MINUTES))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                assertThat(chaos.isAlive()).as(chaos.output()).isTrue();
                return chaos.output().contains(" #1 ") || chaos.output().contains(" #2 ");
              });
      chaos.interrupt();
      int code = chaos.await(MOST_MINUTES);
      System.out.println(chaos.output());
      assertThat(code).as(chaos.output()).isEqualTo(130);
      assertThat(chaos.output()).contains("Interrupted: stopping everything that was started");
    }
    Leftovers.assertNone(FOLDER);
  }

  private static CommandLine chaos(String name, String... more) throws Exception {
    // A machine that is busy with other things must not fail a test.
    List<String> arguments =
        new ArrayList<>(
            List.of("chaos", "--folder", FOLDER.toString(), "--recovery-bound", "5 min"));
    arguments.addAll(List.of(more));
    return CommandLine.start(OUTPUTS.resolve(name + ".txt"), arguments);
  }
}
