package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bin/tributary bench} in a tiny size: what it writes, whatever the figures are. */
@Tag("long")
class BenchITCase {
  private static final Path FOLDER = Path.of("target", "bench").toAbsolutePath();
  private static final Path OUTPUTS = Path.of("target", "bench-output").toAbsolutePath();
  private static final long MOST_MINUTES = 15;

  @ParameterizedTest
  @ValueSource(strings = {"commit", "growth"})
  void measuresAndWritesWhatItMeasured(String name) throws Exception {
    Path json = OUTPUTS.resolve(name + ".json");
    Path plot = OUTPUTS.resolve(name + ".svg");
    Files.deleteIfExists(json);
    Files.deleteIfExists(plot);
    try (CommandLine bench =
        CommandLine.start(
            OUTPUTS.resolve(name + ".txt"),
            List.of(
                "bench",
                name,
                "--size",
                "tiny",
                "--folder",
                FOLDER.toString(),
                "--json",
                json.toString()))) {
      int code = bench.await(MOST_MINUTES);
      System.out.println(bench.output());
      assertThat(code).as(bench.output()).isZero();
    }
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertThat(result.get("bench").textValue()).isEqualTo(name);
    assertThat(result.get("size").textValue()).isEqualTo("tiny");
    assertThat(result.at("/machine/processors").asInt()).isPositive();
    assertThat(result.at("/versions/iceberg").textValue()).isNotBlank();
    assertThat(result.get("settings").has("coordinator")).isTrue();
    assertThat(result.get("runs"))
        .isNotEmpty()
        .allSatisfy(run -> assertThat(run.at("/roundMs/median").asDouble()).isPositive());
    JsonNode figures = result.get("figures");
    List<String> expected =
        name.equals("commit")
            ? List.of(
                "commit.3.ratioToIndependent",
                "commit.4.p50Ms",
                "commit.4.ratioTo3",
                "commit.4.heapMiB")
            : List.of("growth.ratio60To6", "growth.60.p50Ms", "growth.60.snapshots");
    assertThat(expected)
        .allSatisfy(figure -> assertThat(figures.get(figure).asDouble()).isPositive());
    assertThat(
            figures.get(name.equals("commit") ? "commit.3.conflicts" : "growth.conflicts").asInt())
        .isZero();
    assertThat(plot).content().startsWith("<svg").contains("<polyline");
    Leftovers.assertNone(FOLDER);
  }
}
