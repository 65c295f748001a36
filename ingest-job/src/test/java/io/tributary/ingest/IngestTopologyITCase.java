package io.tributary.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.send.KafkaAccess;
import io.tributary.ingest.send.SealerConfig;
import io.tributary.ingest.source.ShardRowTypeInfo;
import io.tributary.ingest.source.SourceMark;
import io.tributary.ingest.source.SourceMarkTypeInfo;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.ingest.table.OrdersTable;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SubmissionId;
import io.tributary.registry.PassThroughProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.apache.iceberg.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job behind its sources, with a real Flink, a real Kafka and a real table. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class IngestTopologyITCase {
  private static final long NUMBERS = 8_000;
  private static final Duration INTERVAL = Duration.ofMillis(400);

  @TempDir static Path stackFolder;
  private static LocalStack stack;

  @TempDir Path folder;
  private OrdersTable orders;
  private String topic;
  private PlainCoordinator coordinator;
  private long incarnation;
  private final List<JobClient> jobs = new ArrayList<>();

  @BeforeAll
  static void startKafka() {
    stack = LocalStack.start(LocalStackConfig.in(stackFolder).withOnly(Service.KAFKA));
  }

  @AfterAll
  static void stopKafka() {
    stack.close();
  }

  @BeforeEach
  void createTable() throws Exception {
    orders = new OrdersTable(folder.resolve("warehouse"));
    orders.create();
    topic = "tributary.control." + UUID.randomUUID();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }
    GatedNumbers.allow(0);
    ScriptedRows.longerFrom = Long.MAX_VALUE;
    coordinator = new PlainCoordinator(orders, bootstrap(), topic);
  }

  @AfterEach
  void close() throws Exception {
    for (JobClient job : jobs) {
      try {
        job.cancel().get();
      } catch (IllegalStateException e) {
        // A job's own cluster ends with it: this one has come to its end.
      }
    }
    coordinator.close();
    orders.close();
  }

  private static String bootstrap() {
    return stack.endpoints().kafkaBootstrapServers();
  }

  private JobClient submit(int parallelism, long inlineLimit, Optional<String> savepoint)
      throws Exception {
    return submit(parallelism, inlineLimit, savepoint, EnumSet.allOf(SealerProtection.class));
  }

  private JobClient submit(
      int parallelism,
      long inlineLimit,
      Optional<String> savepoint,
      Set<SealerProtection> protections)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
    savepoint.ifPresent(path -> configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    IngestTopology.configure(environment, INTERVAL);
    OutputTag<SourceMark> tag = new OutputTag<>("marks", SourceMarkTypeInfo.INSTANCE);
    SingleOutputStreamOperator<ShardRow> rows =
        environment
            .fromSource(
                new GatedNumbers(NUMBERS), WatermarkStrategy.noWatermarks(), "numbers", Types.LONG)
            .uid("source-db1")
            .transform("history", ShardRowTypeInfo.INSTANCE, new ScriptedRows(tag))
            .uid("source-db1-position");
    SourceId source = new SourceId("source-db1");
    incarnation++;
    Submission submission =
        new Submission(
            OrdersTable.NAME,
            new GroupName("g"),
            new Incarnation(incarnation),
            new SubmissionId(UUID.randomUUID()),
            List.of(
                new SourcePlan(
                    source, ScriptedRows.SERVER, List.of(new ShardId(0), new ShardId(1)))),
            new TreeMap<>(),
            0);
    IngestTopology.writeAndSeal(
        List.of(new IngestTopology.SourceStreams(source, rows, rows.getSideOutput(tag))),
        new SealerConfig(
            submission,
            OrdersTable.PROPOSAL,
            orders.access(),
            new KafkaAccess(
                PassThroughProperties.plain(Map.of("bootstrap.servers", bootstrap())), topic),
            new SealerConfig.NoLease(),
            inlineLimit,
            protections),
        parallelism);
    JobClient job = environment.executeAsync("test");
    jobs.add(job);
    return job;
  }

  private static void awaitEnd(JobClient job) throws Exception {
    job.getJobExecutionResult().get(2, TimeUnit.MINUTES);
  }

  /** Lets rows through and waits until so many more epochs with rows are committed. */
  private void awaitEpochsWithRows(int more, long rowsEach) {
    for (int epoch = 0; epoch < more; epoch++) {
      long before = epochsWithRows();
      GatedNumbers.allow(rowsEach);
      await().atMost(Duration.ofMinutes(2)).until(() -> epochsWithRows() > before);
    }
  }

  /** The failing attempt may use up all numbers that it is allowed: the next one needs its own. */
  private static void failWithRowsOnTheirWay() {
    int opened = ScriptedRows.OPENED.get();
    ScriptedRows.FAIL_NEXT.set(true);
    GatedNumbers.allow(300);
    await().atMost(Duration.ofMinutes(2)).until(() -> ScriptedRows.OPENED.get() >= opened + 2);
  }

  private long epochsWithRows() {
    return coordinator.committed().stream()
        .filter(committable -> !committable.counts().isEmpty())
        .count();
  }

  private void assertOutcome() throws Exception {
    coordinator.awaitCaughtUp(bootstrap());
    assertThat(orders.rows()).isEqualTo(ScriptedRows.outcome(NUMBERS));
  }

  private String stop(JobClient job) throws Exception {
    return job.stopWithSavepoint(
            false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
        .get(2, TimeUnit.MINUTES);
  }

  @Test
  void epochsCommittedInOrderGiveExactlyTheRowsOfTheSourcesAlsoAcrossAFailure() throws Exception {
    JobClient job = submit(2, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(2, 1_000);
    failWithRowsOnTheirWay();
    awaitEpochsWithRows(1, 1_000);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();

    assertThat(ScriptedRows.FAIL_NEXT).isFalse();
    // The table had answered this submission: it goes on without asking again.
    assertThat(coordinator.hellos()).hasSize(1);
    FileCounts appended =
        coordinator.committed().stream()
            .flatMap(committable -> committable.slices().stream())
            .map(Slice::counts)
            .filter(counts -> !counts.hasDeletes())
            .reduce(FileCounts.NONE, FileCounts::plus);
    assertThat(appended.dataRecords()).isEqualTo(NUMBERS / 4);
    Committable last = coordinator.committed().get(coordinator.committed().size() - 1);
    assertThat(last.shards().stream().mapToLong(shard -> shard.copiedRows()).sum())
        .isEqualTo(NUMBERS / 4);
    // An epoch that copied and changed has both kinds of slices, the copy first.
    assertThat(coordinator.committed())
        .filteredOn(committable -> committable.slices().size() == 2)
        .isNotEmpty()
        .allSatisfy(
            committable -> {
              assertThat(committable.slices().get(0).counts().hasDeletes()).isFalse();
              assertThat(committable.slices().get(1).counts().hasDeletes()).isTrue();
            });
  }

  @Test
  void e8_rowsAreThereOnceAfterRescalingFromOneToTwoToFour() throws Exception {
    JobClient job = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(2, 1_000);
    GatedNumbers.allow(500);
    String first = stop(job);
    job = submit(2, 3_000, Optional.of(first));
    awaitEpochsWithRows(2, 1_000);
    GatedNumbers.allow(500);
    String second = stop(job);
    job = submit(4, 3_000, Optional.of(second));
    // Numbers do not wait for the coordinator as real sources do: a job that ends before it is
    // answered leaves its last epochs to its next attempt.
    awaitEpochsWithRows(1, 100);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();

    assertThat(coordinator.hellos()).hasSize(3);
    assertThat(coordinator.hellos().get(0).continuation()).isEmpty();
    assertThat(coordinator.hellos().get(1).continuation()).isPresent();
    // The later runs store what does not fit into a message.
    assertThat(
            coordinator.committed().stream()
                .flatMap(committable -> committable.slices().stream())
                .flatMap(slice -> slice.manifests().stream())
                .filter(CommittableManifest.Stored.class::isInstance)
                .map(manifest -> ((CommittableManifest.Stored) manifest).path()))
        .isNotEmpty()
        .allSatisfy(path -> assertThat(path).contains("/metadata/tributary/g-").endsWith(".avro"));
  }

  @Test
  void abortedCheckpointsFollowedByAGoodOneLeaveOneRowPerKey() throws Exception {
    ScriptedRows.DECLINED.clear();
    JobClient job = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(1, 1_000);
    ScriptedRows.DECLINE.set(2);
    for (int declined = 1; declined <= 2; declined++) {
      // Rows for each of the barriers whose checkpoints come to nothing.
      GatedNumbers.allow(500);
      int wanted = declined;
      await().atMost(Duration.ofMinutes(2)).until(() -> ScriptedRows.DECLINED.size() >= wanted);
    }
    awaitEpochsWithRows(1, 1_000);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();

    // What those barriers brought came with later checkpoints, without a restart.
    assertThat(coordinator.committed()).extracting(Committable::checkpointId).isSorted();
    assertThat(coordinator.hellos()).hasSize(1);
  }

  @Test
  void columnsThatComeInMidEpochAfterAnAbortedCheckpointLeaveOneRowPerKey() throws Exception {
    ScriptedRows.DECLINED.clear();
    JobClient job = submit(2, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(1, 1_000);
    ScriptedRows.DECLINE.set(1);
    GatedNumbers.allow(500);
    await().atMost(Duration.ofMinutes(2)).until(() -> !ScriptedRows.DECLINED.isEmpty());
    coordinator.alterTable(
        table ->
            table
                .updateSchema()
                .addColumn("quantity", org.apache.iceberg.types.Types.IntegerType.get())
                .commit());
    Schema longer = orders.load().schema();
    ScriptedRows.longerSchema = IcebergColumns.fingerprint(longer);
    // Between two versions of one row, and with rows on both sides of it in one epoch.
    ScriptedRows.longerFrom = 2_002;
    awaitEpochsWithRows(1, 1_500);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();

    assertThat(coordinator.hellos()).hasSize(1);
    assertThat(coordinator.committed())
        .extracting(Committable::schemaId)
        .isSorted()
        .contains(0, longer.schemaId());
    assertThat(orders.load().schema().findField("quantity").fieldId()).isEqualTo(4);
  }

  @Test
  void e5_afterExpiryAndCleanupANewSavepointGoesOnAndAnOldOneIsRefused() throws Exception {
    JobClient job = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(2, 1_000);
    String older =
        job.triggerSavepoint(
                folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
            .get(2, TimeUnit.MINUTES);
    awaitEpochsWithRows(2, 1_000);
    String newer = stop(job);
    coordinator.awaitCaughtUp(bootstrap());
    List<String> rows = orders.rows();
    assertThat(rows).isNotEmpty();
    orders
        .load()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .commit();
    orders.deleteOrphans();
    assertThat(orders.rows()).isEqualTo(rows);

    JobClient rewound = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.of(older));
    assertThatThrownBy(() -> rewound.getJobExecutionResult().get(3, TimeUnit.MINUTES))
        .hasStackTraceContaining("StartRefusedException");
    assertThat(orders.rows()).isEqualTo(rows);

    job = submit(2, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.of(newer));
    awaitEpochsWithRows(1, 100);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();
  }

  /** The savepoint is taken while Kafka is down: its epochs have reached nobody. */
  private String savepointWithUnsentEpochs() throws Exception {
    JobClient job = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(2, 500);
    stack.stopProcess("kafka");
    int barriers = ScriptedRows.BARRIERS.get();
    GatedNumbers.allow(500);
    await().atMost(Duration.ofMinutes(2)).until(() -> ScriptedRows.BARRIERS.get() >= barriers + 3);
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
            .get(2, TimeUnit.MINUTES);
    job.cancel().get();
    stack.startProcess("kafka");
    return savepoint;
  }

  @Test
  void epochsThatNobodyHasAreSentBeforeTheHelloThatGoesOnFromThem() throws Exception {
    String savepoint = savepointWithUnsentEpochs();
    JobClient job = submit(2, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.of(savepoint));
    // Numbers do not wait for the answer as real sources do.
    awaitEpochsWithRows(1, 100);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();
    assertThat(coordinator.hellos().get(1).continuation()).isPresent();
  }

  @Test
  void withoutResendingFirstTheHelloNamesAnEpochThatNobodyKnowsAndTheJobIsRefused()
      throws Exception {
    String savepoint = savepointWithUnsentEpochs();
    JobClient job =
        submit(
            1,
            SealerConfig.DEFAULT_INLINE_LIMIT,
            Optional.of(savepoint),
            EnumSet.complementOf(EnumSet.of(SealerProtection.RESEND_BEFORE_HELLO)));

    assertThatThrownBy(() -> job.getJobExecutionResult().get(3, TimeUnit.MINUTES))
        .hasStackTraceContaining("StartRefusedException");
  }

  @Test
  void sealsNothingUntilTheHelloIsAnswered() throws Exception {
    coordinator.setAnswering(false);
    ScriptedRows.BARRIERS.set(0);
    GatedNumbers.allow(500);
    JobClient job = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    await().atMost(Duration.ofMinutes(2)).until(() -> ScriptedRows.BARRIERS.get() >= 2);
    GatedNumbers.allow(500);
    await().atMost(Duration.ofMinutes(2)).until(() -> ScriptedRows.BARRIERS.get() >= 4);
    coordinator.setAnswering(true);
    // A job whose source ends before it has heard the answer ends with it, and seals nothing.
    await().atMost(Duration.ofMinutes(2)).until(() -> epochsWithRows() > 0);
    GatedNumbers.allow(NUMBERS);
    awaitEnd(job);
    assertOutcome();

    Committable first = coordinator.committed().get(0);
    assertThat(first.epoch().value()).isEqualTo(1);
    assertThat(first.checkpointId()).isGreaterThan(2);
    assertThat(first.slices().size()).isGreaterThan(2);
  }

  @Test
  void aJobThatIsSupersededEndsForGood() throws Exception {
    JobClient older = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());
    awaitEpochsWithRows(1, 100);
    JobClient newer = submit(1, SealerConfig.DEFAULT_INLINE_LIMIT, Optional.empty());

    assertThatThrownBy(() -> older.getJobExecutionResult().get(2, TimeUnit.MINUTES))
        .hasStackTraceContaining("StartRefusedException")
        .hasStackTraceContaining("Cannot go on with incarnation 1")
        .hasStackTraceContaining("found incarnation 2");
    newer.cancel().get();
  }
}
