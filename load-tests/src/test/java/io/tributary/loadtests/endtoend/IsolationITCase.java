package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.localstack.FlinkRest;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.TableState;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A group is launched twice. */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IsolationITCase {
  private static final GroupName GROUP = new GroupName("only");
  private static final long ROWS = 500;

  private final LocalStack stack;

  IsolationITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void withZooKeeperTheSecondLaunchIsRefusedByName() throws Exception {
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_twice", List.of("only"), 1);
    load(landscape);
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      pipeline.submitCoordinator();
      pipeline.submit(GROUP);
      // Once changes are in the table, the job's sealer has its lease for sure.
      TableState before = pipeline.awaitWatermark(Instant.now());
      List<String> jobs = jobs();

      assertThatThrownBy(() -> pipeline.launch(GROUP))
          .isInstanceOf(LocalStackException.class)
          .hasMessageContaining("Cannot start group only: expected no running job of it")
          .hasMessageContaining("ingest job of group only, incarnation 1")
          .hasMessageContaining("--take-over");

      assertThat(jobs()).isEqualTo(jobs);
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.group(GROUP).incarnation()).isEqualTo(new Incarnation(1));
      assertThat(pipeline.group(GROUP).helloOffset())
          .isEqualTo(before.group(GROUP).orElseThrow().helloOffset());
      assertThat(pipeline.verify().verdict()).isEqualTo("clean");
    }
  }

  @Test
  void fromARegistryFileTheNewerSubmissionTakesOverAndTheOlderOneEnds() throws Exception {
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_newer", List.of("only"), 1);
    load(landscape);
    try (Pipeline pipeline = new Pipeline(stack, landscape, false)) {
      pipeline.submitCoordinator();
      String older = pipeline.launch(GROUP);
      pipeline.awaitWatermark(Instant.now());

      String newer = pipeline.launch(GROUP);
      pipeline.adopt(GROUP, newer);
      pipeline.await(
          "the end of the older job", () -> stack.flinkRest().jobState(older).equals("FAILED"));

      assertThat(String.join("\n", stack.flinkRest().exceptions(older)))
          .contains("incarnation 1 (submission")
          .contains("found incarnation 2 (submission");
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.group(GROUP).incarnation()).isEqualTo(new Incarnation(2));
      // While both were there they shared a server id: the server may have cut off the newer one,
      // which Flink then starts again.
      pipeline.await("the newer job to run", () -> pipeline.isRunning(GROUP.value()));
      assertThat(pipeline.verify().verdict()).isEqualTo("clean");
    }
  }

  private static void load(Landscape landscape) throws Exception {
    ProductLoader loader = new ProductLoader(landscape.shards(), 3);
    loader.createTables();
    loader.load(ROWS, rows -> {});
  }

  private List<String> jobs() {
    return stack.flinkRest().jobs().stream()
        .map(FlinkRest.Job::id)
        .sorted()
        .collect(Collectors.toList());
  }
}
