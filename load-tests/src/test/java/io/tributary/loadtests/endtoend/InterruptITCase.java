package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Ctrl-C ends the demo and all that it has started, whatever it is doing. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class InterruptITCase {
  private static final Path FOLDER = Path.of("target", "interrupted-demo").toAbsolutePath();
  private static final Path OUTPUTS = Path.of("target", "interrupted-demo-output");
  private static final Duration PATIENCE = Duration.ofMinutes(8);
  private static final int MINUTES = 8;
  private static final int INTERRUPTED = 130;

  @FunctionalInterface
  private interface Moment {
    boolean hasCome(CommandLine demo) throws Exception;
  }

  @Tag("long")
  @Test
  @Order(1)
  void whileTheStackStarts() throws Exception {
    // The file is there as soon as the services are being started.
    interruptAt("starting", demo -> Files.exists(FOLDER.resolve("stack.json")));
  }

  @Tag("long")
  @Test
  @Order(2)
  void whileRowsAreLoadedAndJobsSubmitted() throws Exception {
    interruptAt(
        "submitting",
        demo -> {
          try (Stream<Path> logs = Files.list(FOLDER.resolve("logs"))) {
            return demo.output().contains("registry")
                && logs.anyMatch(log -> log.getFileName().toString().startsWith("flink-cli-"));
          }
        });
  }

  @Test
  @Order(3)
  void whileTheWorkloadIsLive() throws Exception {
    interruptAt("live", demo -> demo.output().lines().anyMatch(InterruptITCase::isRound));
  }

  @Test
  @Order(4)
  void theNextRunContinuesWhereTheInterruptedOneEnded() throws Exception {
    Path json = OUTPUTS.toAbsolutePath().resolve("continued.json");
    Files.deleteIfExists(json);
    try (CommandLine demo =
        demo("continued", "--continue", "--duration", "5 s", "--json", json.toString())) {
      int code = demo.await(2 * MINUTES);
      assertThat(code).as(demo.output()).isZero();
    }
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertThat(result.get("verdict").textValue()).isEqualTo("clean");
    assertThat(result.get("sourceRows").asLong()).isGreaterThan(1_000);
    Leftovers.assertNone(FOLDER);
  }

  private static void interruptAt(String name, Moment moment) throws Exception {
    Files.deleteIfExists(FOLDER.resolve("stack.json"));
    try (CommandLine demo = demo(name, "--duration", "10 min")) {
      await("the moment: " + name)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(
              () -> {
                if (!demo.isAlive()) {
                  throw new AssertionError("The demo ended by itself:\n" + demo.output());
                }
                return moment.hasCome(demo);
              });
      demo.interrupt();
      int code = demo.await(MINUTES);
      System.out.printf("Interrupted while %s:%n%s%n", name, demo.output());
      assertThat(code).as(demo.output()).isEqualTo(INTERRUPTED);
      assertThat(demo.output()).contains("Interrupted: stopping everything that was started");
    }
    Leftovers.assertNone(FOLDER);
  }

  private static CommandLine demo(String name, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("demo", "--folder", FOLDER.toString(), "--rows", "20000", "--rate", "100"));
    arguments.addAll(List.of(more));
    return CommandLine.start(OUTPUTS.resolve(name + ".txt"), arguments);
  }

  private static boolean isRound(String line) {
    return line.matches("\\s+\\d+\\s+\\d{10,}\\s.*");
  }
}
