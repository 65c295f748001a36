package io.tributary.protocol.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.NotCoveredReason;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TopicNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example in docs/ does what the documentation says, in a language that is not Java. */
@Timeout(120)
class AwaitWatermarkExampleITCase {
  private static final Path EXAMPLE = Path.of("..", "docs", "examples", "await_watermark.py");

  private static final Path CLIENT = Path.of("..", ".servers", "python3-confluent-kafka");

  private static final List<Process> PROCESSES = new ArrayList<>();

  @TempDir static Path folder;
  private static String python;
  private static TestBroker broker;

  private record Result(int code, String out, String error) {}

  @BeforeAll
  static void start() throws Exception {
    Optional<String> found =
        Stream.of("/usr/bin/python3", "python3")
            .filter(AwaitWatermarkExampleITCase::works)
            .findFirst();
    assumeTrue(
        found.isPresent(),
        "Cannot run the Python example: expected a python3 with confluent_kafka"
            + " (Debian package python3-confluent-kafka, which .ci/servers unpacks), found none");
    python = found.get();
    broker = new TestBroker(folder);
  }

  @AfterEach
  void leaveNoProcess() {
    PROCESSES.forEach(Process::destroyForcibly);
    PROCESSES.clear();
  }

  @AfterAll
  static void stop() {
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void theLastCommittedMessageConfirmsATimeThatIsCovered() throws Exception {
    TableName table = table("covered");
    try (TestBroker.Publisher publisher = broker.publisher("covered")) {
      for (int i = 1; i <= 12; i++) {
        publisher.abort(round(table, i + 1)).commit(round(table, i));
      }
      for (int i = 0; i < 30; i++) {
        publisher.abort(round(table, 13));
      }
      Result result = run(table, "2026-11-30T11:00:12+09:00", 60);
      assertThat(result.error()).isEmpty();
      assertThat(result.code()).isZero();
      assertThat(result.out())
          .isEqualTo(
              "{\"table\": \"shop.covered\", \"round\": 12, \"snapshotId\": \"1012\", \"validThrough\": \"2026-11-30T02:00:12.000000Z\", \"committedAt\": \"2026-11-30T02:00:13.000000Z\"}\n");
    }
  }

  @Test
  void itWaitsForTheFirstCommittedRoundThatReachesTheTime() throws Exception {
    TableName table = table("later");
    try (TestBroker.Publisher publisher = broker.publisher("later")) {
      publisher.commit(round(table, 1));
      Process process = process(table, "2026-11-30T02:00:03Z", 60, "--verbose");
      BufferedReader rounds = process.errorReader(StandardCharsets.UTF_8);
      assertThat(rounds.readLine()).isEqualTo("round 1: 2026-11-30T02:00:01.000000Z");
      publisher.abort(round(table, 4)).commit(round(table, 2)).leaveOpen(round(table, 3));
      assertThat(rounds.readLine()).isEqualTo("round 2: 2026-11-30T02:00:02.000000Z");
      assertThat(process.waitFor(1, TimeUnit.SECONDS)).isFalse();
      publisher.commitOpen();
      publisher.commit(round(table, 4));
      assertThat(rounds.readLine()).isEqualTo("round 3: 2026-11-30T02:00:03.000000Z");
      Result result = result(process);
      assertThat(result.error()).isEmpty();
      assertThat(result.out()).contains("\"round\": 3");
      assertThat(result.code()).isZero();
    }
  }

  @Test
  void aTimeoutNamesWhatThereIs() throws Exception {
    Result none = run(new TableName("shop.nowhere"), "2026-11-30T02:00:03Z", 4);
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.error()).endsWith("found no topic tributary.status.shop.nowhere\n");
    TableName table = table("slow");
    assertThat(run(table, "2026-11-30T02:00:03Z", 4).error())
        .endsWith("found no message on topic tributary.status.shop.slow\n");
    try (TestBroker.Publisher publisher = broker.publisher("slow")) {
      publisher.commit(
          Statuses.round(1).of(table).without(4, NotCoveredReason.CATCHING_UP).status());
      Result result = run(table, "2026-11-30T02:00:03Z", 4);
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.error())
          .isEqualTo(
              "Cannot confirm table shop.slow up to 2026-11-30T02:00:03.000000Z within 4 s: expected a watermark of at least that, found 2026-11-30T02:00:01.000000Z in round 1, shard 4 catching-up\n");
    }
  }

  @Test
  void shardsThatNeedTheOperatorAndMissingRoundsEndTheWait() throws Exception {
    TableName table = table("stuck");
    try (TestBroker.Publisher publisher = broker.publisher("stuck")) {
      publisher.commit(Statuses.round(1).of(table).without(4, NotCoveredReason.HALTED).status());
      Result result = run(table, "2026-11-30T02:00:01Z", 60);
      assertThat(result.code()).isEqualTo(4);
      assertThat(result.error()).contains("found shard 4 halted");
      assertThat(run(table, "2026-11-30T02:00:01Z", 60, "--allow-not-covered").code()).isZero();

      Process process =
          process(table, "2026-11-30T02:00:09Z", 60, "--allow-not-covered", "--verbose");
      assertThat(process.errorReader(StandardCharsets.UTF_8).readLine()).startsWith("round 1: ");
      publisher.commit(round(table, 3));
      Result gap = result(process);
      assertThat(gap.code()).isEqualTo(3);
      assertThat(gap.error()).contains("expected round 2, found 3 at offset 2");
    }
  }

  private static TableName table(String name) {
    TableName table = new TableName("shop." + name);
    broker.createTopic(TopicNames.status(table), 1);
    return table;
  }

  private static CommitStatus round(TableName table, long round) {
    return Statuses.round(round).of(table).status();
  }

  private static Result run(TableName table, String until, int timeout, String... more)
      throws Exception {
    return result(process(table, until, timeout, more));
  }

  private static Process process(TableName table, String until, int timeout, String... more)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                python,
                EXAMPLE.toString(),
                "--bootstrap-servers",
                broker.bootstrapServers(),
                "--table",
                table.value(),
                "--until",
                until,
                "--timeout",
                Integer.toString(timeout)));
    command.addAll(List.of(more));
    Process process = withClient(new ProcessBuilder(command)).start();
    PROCESSES.add(process);
    return process;
  }

  private static Result result(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String error =
        process
            .errorReader(StandardCharsets.UTF_8)
            .lines()
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
    return new Result(process.exitValue(), out, error);
  }

  /** Lets it find the client where {@code .ci/servers} unpacked it, also without root. */
  private static ProcessBuilder withClient(ProcessBuilder python) {
    Path libraries = CLIENT.resolve("usr/lib");
    python
        .environment()
        .put("PYTHONPATH", libraries.resolve("python3/dist-packages").toAbsolutePath().toString());
    try (Stream<Path> folders =
        Files.isDirectory(libraries) ? Files.list(libraries) : Stream.of()) {
      folders
          .filter(folder -> folder.getFileName().toString().endsWith("-linux-gnu"))
          .forEach(
              folder ->
                  python.environment().put("LD_LIBRARY_PATH", folder.toAbsolutePath().toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return python;
  }

  private static boolean works(String python) {
    try {
      Process process =
          withClient(new ProcessBuilder(python, "-c", "import confluent_kafka"))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
