package io.tributary.coordinator;

import io.tributary.protocol.TableName;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.TableSpec;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator's Flink job: one pipeline for each table of the registry, so that a table that
 * fails takes no other with it. The messages that are out flow on to a sink that drops them, for
 * Flink's own counts and its web UI.
 */
public final class CoordinatorJob {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorJob.class);

  private CoordinatorJob() {}

  /**
   * @param arguments as {@link CoordinatorOptions#USAGE} says
   */
  public static void main(String[] arguments) throws Exception {
    CoordinatorOptions options = CoordinatorOptions.parse(arguments);
    Registry registry = readRegistry(options);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    configure(environment, registry.coordinator().checkpointInterval());
    List<TableName> tables =
        options
            .table()
            .map(name -> List.of(registry.table(name).name()))
            .orElse(registry.tables().stream().map(TableSpec::name).toList());
    if (tables.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot start the coordinator: expected a table in the registry, found none");
    }
    String submission = UUID.randomUUID().toString();
    LOG.info(
        "Coordinating {} with {}, registry version {}, submission {}",
        tables,
        registry.coordinator(),
        registry.versionNumber(),
        submission);
    for (TableName table : tables) {
      addTable(environment, TableJob.of(table, registry, options.zooKeeper(), submission));
    }
    environment.execute(jobName(tables));
  }

  private static String jobName(List<TableName> tables) {
    return "tributary coordinator "
        + (tables.size() == 1 ? tables.get(0) : "of " + tables.size() + " tables");
  }

  static void addTable(StreamExecutionEnvironment environment, TableJob job) {
    environment
        .fromSource(
            new CoordinatorSource(job),
            WatermarkStrategy.noWatermarks(),
            "coordinator " + job.table())
        .uid("coordinator-" + job.table())
        .setParallelism(1)
        .setMaxParallelism(1)
        .sinkTo(new DiscardingSink<>())
        .name("rounds of " + job.table())
        .uid("rounds-" + job.table())
        .setParallelism(1);
  }

  /**
   * @throws IllegalArgumentException when the cluster asks for unaligned checkpoints
   */
  static void configure(StreamExecutionEnvironment environment, Duration interval) {
    if (environment.getCheckpointConfig().isUnalignedCheckpointsEnabled()) {
      throw new IllegalArgumentException(
          "Cannot start the coordinator: expected %s=false, found true; a checkpoint is the clock of its rounds"
              .formatted(CheckpointingOptions.ENABLE_UNALIGNED.key()));
    }
    environment.enableCheckpointing(interval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
    // There is nothing in a checkpoint that could be lost, so none that fails may fail the job.
    environment.getCheckpointConfig().setTolerableCheckpointFailureNumber(Integer.MAX_VALUE);
    Configuration ours = new Configuration();
    ours.set(PipelineOptions.GENERIC_TYPES, false);
    if (!environment
        .getConfiguration()
        .getOptional(RestartStrategyOptions.RESTART_STRATEGY)
        .isPresent()) {
      ours.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
      ours.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
          Duration.ofSeconds(1));
      ours.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
          Duration.ofSeconds(30));
      // Flink waits an hour of quiet before it forgets earlier failures.
      ours.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
          Duration.ofMinutes(10));
    }
    environment.configure(ours);
  }

  private static Registry readRegistry(CoordinatorOptions options) {
    if (options.registryFile().isPresent()) {
      return RegistryParser.parseFile(options.registryFile().get());
    }
    ZooKeeperAddress address = options.zooKeeper().orElseThrow();
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(address)) {
      return new RegistryStore(connection, Clock.systemUTC())
          .current()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "Cannot start the coordinator: expected a registry at "
                          + address
                          + ", found none; publish one with 'tributary registry apply'"))
          .registry();
    }
  }
}
