package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** All jobs of a registry are brought up, stopped and brought up again, by the command line. */
@ExtendWith(SharedStack.class)
class RunAllITCase {
  private static final Path OUTPUTS = Path.of("target", "run-all");
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final long ROWS = 500;

  private final LocalStack stack;
  private int calls;

  RunAllITCase(LocalStack stack) {
    this.stack = stack;
  }

  @Test
  void whatDoesNotRunIsStartedFromWhereItStoodAndWhatRunsIsLeftAlone() throws Exception {
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_all", List.of(WEST.value(), EAST.value()), 1);
    ProductLoader loader = new ProductLoader(landscape.shards(), 7);
    loader.createTables();
    loader.load(ROWS, rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      Map<String, JsonNode> first = run(pipeline, 0, "run-all");
      assertThat(first).containsOnlyKeys("the coordinator", "group west", "group east");
      assertThat(first.values()).allSatisfy(job -> assertDid(job, "started"));
      assertThat(why(first, "group west")).contains("from the table: no savepoint of it is kept");
      lookAfter(pipeline, first);
      pipeline.awaitWatermark(Instant.now());

      Map<String, JsonNode> again = run(pipeline, 0, "run-all");
      assertThat(again.values()).allSatisfy(job -> assertDid(job, "running"));
      assertThat(id(again, "group west")).isEqualTo(id(first, "group west"));

      // One group by name; the verb for one group goes on from the savepoint as well.
      pipeline.forget(WEST.value());
      Map<String, JsonNode> stopped = run(pipeline, 0, "stop", "west");
      assertThat(stopped).containsOnlyKeys("group west");
      assertDid(stopped.get("group west"), "stopped");
      String savepoint = why(stopped, "group west").replace("with savepoint ", "");
      assertThat(savepoint).startsWith("file:/");
      assertDid(run(pipeline, 0, "stop", "west").get("group west"), "left");
      String one = call(pipeline, 0, "run-group", "west");
      JsonNode started = new ObjectMapper().readTree(one);
      assertThat(started.get("from").asText()).contains("from savepoint " + savepoint);
      pipeline.adopt(WEST, started.get("jobId").asText());
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.group(WEST).incarnation()).isEqualTo(new Incarnation(2));
      assertThat(pipeline.group(WEST).answer()).isEqualTo(HelloAnswer.CONTINUE);

      // All of them: but the savepoint is of the submission before the last, which was cancelled.
      pipeline.cancel(WEST.value());
      pipeline.forget(EAST.value());
      pipeline.forget(Pipeline.COORDINATOR);
      Map<String, JsonNode> down = run(pipeline, 0, "stop", "--all");
      assertDid(down.get("group west"), "left");
      assertDid(down.get("group east"), "stopped");
      assertDid(down.get("the coordinator"), "stopped");
      Map<String, JsonNode> up = run(pipeline, 0, "run-all");
      assertThat(up.values()).allSatisfy(job -> assertDid(job, "started"));
      assertThat(why(up, "group west")).contains("incarnation 2 came after it");
      assertThat(why(up, "group east")).contains("from savepoint file:/");
      lookAfter(pipeline, up);
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.group(WEST).answer()).isEqualTo(HelloAnswer.START_FROM_TABLE);
      assertThat(pipeline.group(EAST).answer()).isEqualTo(HelloAnswer.CONTINUE);
      VerifyReport report = pipeline.verify();
      assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
      assertThat(report.sourceRows()).isPositive();
    }
  }

  private static void lookAfter(Pipeline pipeline, Map<String, JsonNode> jobs) {
    pipeline.adopt(WEST, id(jobs, "group west"));
    pipeline.adopt(EAST, id(jobs, "group east"));
    pipeline.adopt(Pipeline.COORDINATOR, id(jobs, "the coordinator"));
  }

  private static String id(Map<String, JsonNode> jobs, String job) {
    return jobs.get(job).get("jobId").asText();
  }

  private static String why(Map<String, JsonNode> jobs, String job) {
    return jobs.get(job).get("why").asText();
  }

  private static void assertDid(JsonNode job, String did) {
    assertThat(job.get("did").asText()).as("%s", job).isEqualTo(did);
  }

  private Map<String, JsonNode> run(Pipeline pipeline, int code, String... arguments)
      throws Exception {
    Map<String, JsonNode> jobs = new LinkedHashMap<>();
    new ObjectMapper()
        .readTree(call(pipeline, code, arguments))
        .get("jobs")
        .forEach(job -> jobs.put(job.get("job").asText(), job));
    return jobs;
  }

  private String call(Pipeline pipeline, int code, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "-o",
            "json",
            "--folder",
            stack.folder().toString(),
            "--zookeeper",
            pipeline.zooKeeper().toString()));
    try (CommandLine line = CommandLine.start(OUTPUTS.resolve(++calls + ".txt"), all)) {
      assertThat(line.await(5)).as(line.output()).isEqualTo(code);
      System.out.println(line.output());
      return line.output();
    }
  }
}
