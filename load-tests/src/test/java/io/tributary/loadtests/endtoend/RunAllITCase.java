package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.cli.verify.VerifyReport;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** All jobs of a registry are brought up, stopped and brought up again, by the command line. */
@ExtendWith(SharedStack.class)
class RunAllITCase {
  private static final Path OUTPUTS = Path.of("target", "run-all");
  private static final GroupName WEST = new GroupName("west");
  private static final GroupName EAST = new GroupName("east");
  private static final ShardId HALTED = new ShardId(1);
  private static final ShardId ADDED = new ShardId(2);
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

  /**
   * What keeps Flink from taking a savepoint back is seen beforehand, a halted shard keeps nobody
   * from going on, and a savepoint that cannot be remembered is not made or not lost.
   */
  @Test
  void addedAndHaltedShardsKeepNoGroupFromItsNextStart() throws Exception {
    Landscape landscape = Landscape.of(stack.endpoints(), "e2e_next", List.of(WEST.value()), 3);
    ProductLoader loader = new ProductLoader(landscape.shards(), 7);
    loader.createTables();
    loader.load(ROWS, rows -> {});
    try (Pipeline pipeline = new Pipeline(stack, landscape)) {
      publish(pipeline, "active", "active", "absent");
      Map<String, JsonNode> first = run(pipeline, 0, "run-all");
      pipeline.adopt(Pipeline.COORDINATOR, id(first, "the coordinator"));
      pipeline.adopt(WEST, id(first, "group west"));
      pipeline.awaitWatermark(Instant.now());

      // An added shard has a reader of its own, until it has caught up and the job begins anew.
      publish(pipeline, "active", "active", "active");
      assertThat(startedAnew(pipeline)).contains("other shards or columns");
      pipeline.awaitState("the added shard to count", state -> covered(state, ADDED));
      assertThat(startedAnew(pipeline))
          .contains(
              "is of readers source-", "=0,1;", "-added=2, and the job has source-", "=0,1,2");
      pipeline.awaitWatermark(Instant.now());
      assertThat(startedAnew(pipeline)).contains("from savepoint file:/");
      pipeline.awaitWatermark(Instant.now());

      // ZooKeeper is away before the savepoint, and behind it.
      String savepoint;
      try (FaultProxy proxy = FaultProxy.to(port(pipeline.zooKeeper().servers()))) {
        String proxied = proxy.address() + pipeline.zooKeeper().path();
        Trap before = proxy.trap(Fault.CUT_REQUEST, "/savepoints/");
        Map<String, JsonNode> refused = jobs(callAt(proxied, 3, "stop", "west"));
        assertThat(before.hits()).isPositive();
        assertDid(refused.get("group west"), "failed");
        assertThat(why(refused, "group west")).contains("the job was left running", "cure: ");
        assertThat(pipeline.isRunning(WEST.value())).isTrue();
        before.release();

        proxy.trap(Fault.CUT_REQUEST, "takenAt");
        pipeline.forget(WEST.value());
        Map<String, JsonNode> lost = jobs(callAt(proxied, 3, "stop", "west"));
        String why = why(lost, "group west");
        assertThat(why)
            .contains("Cannot remember savepoint file:/", "tributary run-group west -s ");
        savepoint = why.replaceFirst(".*run-group west -s (\\S+),.*", "$1");
      }
      JsonNode given =
          new ObjectMapper().readTree(call(pipeline, 0, "run-group", "west", "-s", savepoint));
      pipeline.adopt(WEST, given.get("jobId").asText());
      pipeline.awaitWatermark(Instant.now());
      assertThat(pipeline.group(WEST).answer()).isEqualTo(HelloAnswer.CONTINUE);

      // A shard is halted: it stays so, and the others go on, also over starts.
      truncate(landscape.shards().get(HALTED.value()));
      pipeline.awaitState(
          "the shard to be halted", state -> phase(state, HALTED) == ShardPhase.HALTED);
      ShardState halted = pipeline.state().flatMap(state -> state.shard(HALTED)).orElseThrow();
      assertThat(startedAnew(pipeline))
          .contains("is of readers ", "and the job has source-", "=0,2");
      assertOthersGoOn(pipeline, halted);
      assertThat(startedAnew(pipeline)).contains("from savepoint file:/");
      assertOthersGoOn(pipeline, halted);

      // The operator acts.
      publish(pipeline, "active", "paused", "active");
      pipeline.awaitState(
          "the shard to be paused", state -> phase(state, HALTED) == ShardPhase.PAUSED);
      publish(pipeline, "active", "active", "active");
      pipeline.awaitState(
          "the shard to be copied", state -> phase(state, HALTED) == ShardPhase.SNAPSHOT);
      assertThat(startedAnew(pipeline)).contains("from the table: ");
      pipeline.awaitState("the shard to count again", state -> covered(state, HALTED));
      pipeline.awaitWatermark(Instant.now());
      VerifyReport report = pipeline.verify();
      assertThat(report.verdict()).as("%s", report).isEqualTo("clean");
    }
  }

  private static int port(String server) {
    return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
  }

  private static void truncate(ProductShard shard) throws Exception {
    try (Connection connection = shard.server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("TRUNCATE TABLE " + shard.database() + "." + shard.table());
    }
  }

  private static void assertOthersGoOn(Pipeline pipeline, ShardState halted) {
    Instant now = Instant.now();
    TableState state =
        pipeline.awaitState(
            "its siblings' changes",
            found ->
                Stream.of(new ShardId(0), ADDED)
                    .allMatch(
                        shard ->
                            found
                                .shard(shard)
                                .flatMap(ShardState::watermark)
                                .filter(reached -> reached.instant().isAfter(now))
                                .isPresent()));
    assertThat(phase(state, HALTED)).isEqualTo(ShardPhase.HALTED);
    assertThat(state.shard(HALTED).flatMap(ShardState::haltReason)).isEqualTo(halted.haltReason());
    assertThat(state.shard(HALTED).flatMap(ShardState::watermark)).isEqualTo(halted.watermark());
    assertThat(halted.haltReason().orElseThrow()).contains("TRUNCATE");
    assertThat(pipeline.failures(WEST.value())).isEmpty();
  }

  /** Stops the group, and brings it up again; why it starts from where it does. */
  private String startedAnew(Pipeline pipeline) throws Exception {
    pipeline.forget(WEST.value());
    assertDid(run(pipeline, 0, "stop", "west").get("group west"), "stopped");
    Map<String, JsonNode> up = run(pipeline, 0, "run-all");
    assertDid(up.get("group west"), "started");
    pipeline.adopt(WEST, id(up, "group west"));
    return why(up, "group west");
  }

  /** Publishes the registry with other states of the shards; {@code absent} leaves one out. */
  private static void publish(Pipeline pipeline, String... states) {
    pipeline.publish(
        pipeline.landscape(),
        yaml ->
            yaml.replace("truncate-behavior: empty", "truncate-behavior: halt")
                .lines()
                .flatMap(
                    line ->
                        line.contains("{group: west, ")
                            ? IntStream.range(0, states.length)
                                .filter(shard -> !states[shard].equals("absent"))
                                .mapToObj(
                                    shard ->
                                        line.replaceFirst(
                                            "table: .*}",
                                            "table: %s, number: %d, state: %s}"
                                                .formatted(
                                                    pipeline.landscape().table(shard),
                                                    shard,
                                                    states[shard])))
                            : Stream.of(line))
                .collect(Collectors.joining("\n", "", "\n")));
  }

  private static ShardPhase phase(TableState state, ShardId shard) {
    return state.shard(shard).map(ShardState::phase).orElse(null);
  }

  private static boolean covered(TableState state, ShardId shard) {
    return state.shard(shard).filter(ShardState::covered).isPresent();
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
    return jobs(call(pipeline, code, arguments));
  }

  private static Map<String, JsonNode> jobs(String output) throws Exception {
    Map<String, JsonNode> jobs = new LinkedHashMap<>();
    new ObjectMapper()
        .readTree(output)
        .get("jobs")
        .forEach(job -> jobs.put(job.get("job").asText(), job));
    return jobs;
  }

  private String call(Pipeline pipeline, int code, String... arguments) throws Exception {
    return callAt(pipeline.zooKeeper().toString(), code, arguments);
  }

  private String callAt(String zooKeeper, int code, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of("-o", "json", "--folder", stack.folder().toString(), "--zookeeper", zooKeeper));
    try (CommandLine line = CommandLine.start(OUTPUTS.resolve(++calls + ".txt"), all)) {
      assertThat(line.await(5)).as(line.output()).isEqualTo(code);
      System.out.println(line.output());
      return line.output();
    }
  }
}
