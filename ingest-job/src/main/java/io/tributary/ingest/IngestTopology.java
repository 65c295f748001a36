package io.tributary.ingest;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.send.SealerConfig;
import io.tributary.ingest.send.SealerOperatorFactory;
import io.tributary.ingest.send.SourceReport;
import io.tributary.ingest.send.SourceReportSerializer;
import io.tributary.ingest.source.Gate;
import io.tributary.ingest.source.ShardSource;
import io.tributary.ingest.source.SourceMark;
import io.tributary.ingest.table.CatalogTableStateReader;
import io.tributary.ingest.write.PartitionRouter;
import io.tributary.ingest.write.ShardWriter;
import io.tributary.ingest.write.WriterResultSerializer;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How the operators hang together.
 *
 * <pre>
 *   source --> position --rows--> by partition --> writer --results--\
 *                    \--marks--------------------------------------> sealer
 * </pre>
 */
final class IngestTopology {
  private static final int TOLERATED_CHECKPOINT_FAILURES = 10;
  private static final int MAX_PARALLELISM = 1_024;
  private static final Duration LEAST_CHECKPOINT_TIMEOUT = Duration.ofMinutes(10);

  private IngestTopology() {}

  /**
   * A source's two streams as the rest of the job needs them.
   *
   * @param source its name
   * @param rows in the order of the source
   * @param marks at each barrier ahead of it
   */
  record SourceStreams(SourceId source, DataStream<ShardRow> rows, DataStream<SourceMark> marks) {}

  /** Builds the whole job. */
  static void build(
      StreamExecutionEnvironment environment, JobPlan plan, SealerConfig config, int parallelism) {
    Submission submission = config.submission();
    Gate gate = new Gate(submission.group(), submission.incarnation(), submission.id());
    List<SourceStreams> sources =
        plan.readers().stream()
            .map(
                reader -> {
                  ShardSource.Streams streams =
                      ShardSource.attach(
                          environment,
                          reader.plan().source().value(),
                          parallelism,
                          reader.spec(),
                          gate,
                          new CatalogTableStateReader(config.table()));
                  return new SourceStreams(reader.plan().source(), streams.rows(), streams.marks());
                })
            .toList();
    writeAndSeal(sources, config, parallelism);
  }

  /**
   * Hangs writers and sealer behind the sources.
   *
   * @return the numbers of the epochs as they reach the control topic
   */
  static DataStream<Long> writeAndSeal(
      List<SourceStreams> sources, SealerConfig config, int parallelism) {
    Submission submission = config.submission();
    DataStream<ShardRow> rows =
        sources.stream().map(SourceStreams::rows).reduce((a, b) -> a.union(b)).orElseThrow();
    DataStream<SourceReport> reports =
        sources.stream().map(IngestTopology::reports).reduce((a, b) -> a.union(b)).orElseThrow();
    DataStream<WriterResult> results =
        rows.partitionCustom(
                new PartitionRouter.Deal(),
                new PartitionRouter(config.proposal(), submission.shards()))
            .transform(
                "write " + submission.table(),
                WriterResultSerializer.typeInfo(),
                new ShardWriter(config.table(), config.proposal()))
            .uid("writer")
            .setParallelism(parallelism);
    return results
        .connect(reports)
        .transform(
            "seal and send group " + submission.group(),
            Types.LONG,
            new SealerOperatorFactory(config))
        .uid("sealer")
        .setParallelism(1)
        .setMaxParallelism(1);
  }

  private static DataStream<SourceReport> reports(SourceStreams source) {
    return source
        .marks()
        .map(new NameSource(source.source()))
        .returns(SourceReportSerializer.typeInfo())
        .name("marks of " + source.source())
        .uid(source.source() + "-marks")
        .setParallelism(source.marks().getParallelism());
  }

  private record NameSource(SourceId source) implements MapFunction<SourceMark, SourceReport> {
    @Override
    public SourceReport map(SourceMark mark) {
      return new SourceReport(source, mark);
    }
  }

  /**
   * Sets what the job needs of Flink. The interval is the registry's; what else the operator has
   * configured stays, but unaligned checkpoints are refused: rows in flight would belong to no
   * epoch.
   *
   * @throws IllegalArgumentException when unaligned checkpoints are configured
   */
  static void configure(StreamExecutionEnvironment environment, Duration checkpointInterval) {
    ReadableConfig given = environment.getConfiguration();
    CheckpointConfig checkpoints = environment.getCheckpointConfig();
    if (checkpoints.isUnalignedCheckpointsEnabled()) {
      throw new IllegalArgumentException(
          "Cannot start an ingest job: expected %s to be false, found true; an epoch is what lies between two aligned barriers"
              .formatted(CheckpointingOptions.ENABLE_UNALIGNED.key()));
    }
    environment.enableCheckpointing(checkpointInterval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
    Configuration defaults = new Configuration();
    // Every type has a serializer of its own; what would fall back to Kryo fails at submission.
    defaults.set(PipelineOptions.GENERIC_TYPES, false);
    if (given.getOptional(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS).isEmpty()) {
      checkpoints.setMinPauseBetweenCheckpoints(checkpointInterval.dividedBy(4).toMillis());
    }
    if (given.getOptional(CheckpointingOptions.CHECKPOINTING_TIMEOUT).isEmpty()) {
      Duration generous = checkpointInterval.multipliedBy(10);
      checkpoints.setCheckpointTimeout(
          (generous.compareTo(LEAST_CHECKPOINT_TIMEOUT) > 0 ? generous : LEAST_CHECKPOINT_TIMEOUT)
              .toMillis());
    }
    if (given.getOptional(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER).isEmpty()) {
      checkpoints.setTolerableCheckpointFailureNumber(TOLERATED_CHECKPOINT_FAILURES);
    }
    if (given.getOptional(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION).isEmpty()) {
      defaults.set(
          CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
          ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    }
    if (given.getOptional(PipelineOptions.MAX_PARALLELISM).isEmpty()) {
      // Flink's own default would not let a savepoint of a small job be rescaled beyond 128.
      defaults.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
    }
    if (given.getOptional(RestartStrategyOptions.RESTART_STRATEGY).isEmpty()) {
      defaults.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
      defaults.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF,
          Duration.ofSeconds(1));
      defaults.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF,
          Duration.ofMinutes(1));
      defaults.set(
          RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD,
          Duration.ofMinutes(10));
    }
    environment.configure(defaults);
  }
}
