package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.cli.demo.workload.LiveWorkload;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.WorkloadConfig;
import io.tributary.cli.demo.workload.WorkloadSummary;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.ClassRecording;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.protocol.GroupName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A group's job goes on from savepoints with another parallelism, while its rows change. */
class RescaleITCase {
  private static final GroupName GROUP = new GroupName("solo");
  private static final long HOT_KEYS = 100;
  private static final WorkloadConfig WORKLOAD = new WorkloadConfig(20_261_130, 100);

  @Test
  void e8_eachRowIsThereOnceAfterEachStepFromOneToFourToTwo() throws Exception {
    try (LocalStack stack =
        LocalStack.start(
            LocalStackConfig.in(Path.of("target", "rescale-stack"))
                .withMariaDbServers(1)
                .withTaskManagers(1, 5)
                .withTaskManagerHeapMb(1_024)
                .withWipe(true)
                // The first stack of this module, with jobs on its only TaskManager.
                .withRecordClasses(ClassRecording.SERVICES_AND_JOBS)
                .withStartTimeout(Duration.ofMinutes(10)),
            System.out::println)) {
      Landscape landscape =
          Landscape.of(stack.endpoints(), "e2e_rescale", List.of(GROUP.value()), 2);
      ProductLoader loader = new ProductLoader(landscape.shards(), WORKLOAD.seed());
      loader.createTables();
      loader.load(HOT_KEYS, rows -> {});
      try (Pipeline pipeline = new Pipeline(stack, landscape)) {
        pipeline.submitCoordinator();
        pipeline.submit(GROUP);
        LiveWorkload workload = change(landscape);
        for (int parallelism : new int[] {4, 2}) {
          pipeline.awaitRounds(3);
          assertExact(pipeline, workload);
          workload = change(landscape);
          pipeline.awaitRounds(3);
          // The workload goes on meanwhile.
          String savepoint = pipeline.stopWithSavepoint(GROUP);
          pipeline.publish(landscape.withParallelism(parallelism));
          pipeline.submitFrom(savepoint, GROUP);
          assertThat(widest(stack.flinkRest().get("/jobs/" + pipeline.job(GROUP))))
              .isEqualTo(parallelism);
        }
        pipeline.awaitRounds(3);
        assertExact(pipeline, workload);
      }
    }
  }

  private static int widest(JsonNode job) {
    int most = 0;
    for (JsonNode vertex : job.get("vertices")) {
      most = Math.max(most, vertex.get("parallelism").asInt());
    }
    return most;
  }

  private static LiveWorkload change(Landscape landscape) throws Exception {
    return LiveWorkload.start(landscape.shards(), WORKLOAD, commit -> {});
  }

  private static void assertExact(Pipeline pipeline, LiveWorkload workload) throws Exception {
    WorkloadSummary summary;
    try (workload) {
      summary = workload.stop();
    }
    pipeline.awaitWatermark(summary.lastCommit().orElseThrow());
    VerifyReport report = pipeline.verify();
    System.out.println("Verified: " + report);
    assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
    assertThat(report.sourceRows()).isEqualTo(report.tableRows()).isPositive();
  }
}
