package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ZooKeeper is cut off in the midst of an apply: the edit is published wholly or not at all, and
 * what the verb says is so.
 */
class RegistryCutOffITCase {
  private static final Path EXAMPLE = Path.of("..", "config", "registry.example.yaml");

  /** Stands at the beginning of the request that publishes, and of no other. */
  private static final String WRITE = "publishedBy";

  @TempDir private Path folder;
  private TestingServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws Exception {
    server = new TestingServer();
    proxy = FaultProxy.to(server.getPort());
    assertThat(run(direct(), edited(1)).code()).isZero();
  }

  @AfterEach
  void stop() throws Exception {
    proxy.close();
    server.close();
  }

  private String direct() {
    return server.getConnectString() + "/cut";
  }

  private String proxied() {
    return proxy.address() + "/cut";
  }

  private String edited(int parallelism) throws IOException {
    return Files.writeString(
            folder.resolve(parallelism + ".yaml"),
            Files.readString(EXAMPLE)
                .replaceFirst("parallelism: \\d+", "parallelism: " + parallelism))
        .toString();
  }

  private record Outcome(int code, String out, String err) {}

  private static Outcome run(String place, String file) {
    return run(place, file, "", () -> {});
  }

  /**
   * Applies a file; answers yes.
   *
   * @param after the action comes when this was printed; empty: when the question stands
   */
  private static Outcome run(String place, String file, String after, Runnable action) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    PrintWriter watched =
        new PrintWriter(out) {
          @Override
          public void println(String line) {
            super.println(line);
            if (!after.isEmpty() && line.contains(after)) {
              action.run();
            }
          }
        };
    Reader answer =
        new StringReader("yes\n") {
          private boolean asked;

          @Override
          public int read(char[] into, int offset, int length) throws IOException {
            if (!asked && after.isEmpty()) {
              asked = true;
              action.run();
            }
            return super.read(into, offset, length);
          }
        };
    Terminal terminal = new Terminal(watched, new PrintWriter(err), answer, true, false);
    int code =
        Tributary.run(terminal, "registry", "apply", "--offline", file, "--zookeeper", place);
    return new Outcome(code, out.toString(), err.toString());
  }

  private String read(String... arguments) {
    CapturedTerminal terminal = new CapturedTerminal();
    List<String> all = new ArrayList<>(List.of("registry"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--zookeeper", direct()));
    assertThat(terminal.run(all.toArray(String[]::new))).as(terminal.err()).isZero();
    return terminal.out();
  }

  /** The current version and the history agree: wholly the new one, or as if nothing had been. */
  private void assertPublished(int version) throws Exception {
    JsonNode history = new ObjectMapper().readTree(read("history", "-o", "json")).get("versions");
    assertThat(history).hasSize(version);
    assertThat(history.get(0).get("version").asInt()).isEqualTo(version);
    assertThat(history.get(0).get("publishedBy").asText())
        .startsWith(System.getProperty("user.name") + "@");
    if (version > 1) {
      assertThat(history.get(0).get("changes").toString()).contains("parallelism 1 -> 2");
    }
    assertThat(read("show")).contains("Version " + version + ",");
    // The next edit goes on from there.
    assertThat(run(direct(), edited(3)).out())
        .contains("parallelism " + version + " -> 3", "Published version " + (version + 1));
  }

  private void cutOff() {
    proxy.refuse(true);
    proxy.cut();
  }

  @Test
  void cutOffBeforeTheWriteNothingIsPublishedAndItSaysSo() throws Exception {
    Outcome outcome = run(proxied(), edited(2), "", this::cutOff);
    proxy.heal();

    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.err()).contains("Cannot ", "nothing was published", "cure: ");
    assertThat(outcome.out()).doesNotContain("Published");
    assertPublished(1);
  }

  @Test
  void aWriteThatNeverArrivesIsNotThereWhenItIsReadAgain() throws Exception {
    Trap trap = proxy.trap(Fault.CUT_REQUEST, WRITE);
    Outcome outcome = run(proxied(), edited(2));

    assertThat(trap.hits()).isPositive();
    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.err()).contains("Cannot publish version 2", "nothing was published");
    assertPublished(1);
  }

  @Test
  void aWriteThatIsHeldUntilItWasGivenUpDoesNotArriveLater() throws Exception {
    Trap trap = proxy.trap(Fault.HOLD_REQUEST, WRITE);
    Outcome outcome = run(proxied(), edited(2));
    trap.release();

    assertThat(trap.hits()).isPositive();
    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.err()).contains("Cannot publish version 2", "nothing was published");
    assertPublished(1);
  }

  @Test
  void anAnswerThatIsLostIsFoundOutByReadingAgain() throws Exception {
    Outcome outcome = runWithLostAnswer(this::healCut);

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("Published version 2");
    assertPublished(2);
  }

  @Test
  void anAnswerThatIsLostWithZooKeeperIsNotGuessedAt() throws Exception {
    Outcome outcome = runWithLostAnswer(this::cutOff);
    proxy.heal();

    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.err())
        .contains(
            "Cannot tell whether version 2 of the registry was published",
            "wholly or not at all",
            "tributary registry history");
    assertThat(outcome.out()).doesNotContain("Published");
    // The cure: it is there, and publishing it again changes nothing.
    assertThat(run(direct(), edited(2)).out()).contains("Nothing to publish: version 2");
    assertPublished(2);
  }

  private void healCut() {
    proxy.heal();
    proxy.cut();
  }

  /** ZooKeeper carries the write out, nobody hears of it, and then something happens. */
  private Outcome runWithLostAnswer(Runnable then) throws Exception {
    Trap trap = proxy.trap(Fault.DROP_REPLY, WRITE);
    CompletableFuture<Void> happened =
        CompletableFuture.runAsync(
            () -> {
              try (ZooKeeperConnection witness =
                  ZooKeeperConnection.open(ZooKeeperAddress.parse(direct()))) {
                RegistryStore store = new RegistryStore(witness, Clock.systemUTC());
                Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> store.current().orElseThrow().version().value() == 2);
              }
              then.run();
            });
    Outcome outcome = run(proxied(), edited(2));
    happened.join();
    assertThat(trap.hits()).isPositive();
    return outcome;
  }

  @Test
  void aSessionThatIsLostAtItsEndChangesNothingOfWhatWasSaid() throws Exception {
    Outcome outcome = run(proxied(), edited(2), "Published version", this::cutOff);
    proxy.heal();

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("Published version 2");
    assertPublished(2);
  }
}
