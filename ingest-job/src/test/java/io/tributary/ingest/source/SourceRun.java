package io.tributary.ingest.source;

import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.TableColumns;
import io.tributary.ingest.table.TableStateReader;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Runs one source in an in-process Flink, and records what comes out in its exact order. */
final class SourceRun implements AutoCloseable {
  /** One thing that came out of the source. */
  sealed interface Event {}

  /**
   * @param source which of the job's sources it came from
   */
  record RowEvent(ShardRow row, int source, int subtask) implements Event {}

  record MarkEvent(SourceMark mark, int subtask) implements Event {}

  /**
   * @param checkpoint whose barrier it is
   * @param source which of the job's sources it came from
   * @param subtask in whose stream
   * @param amongRows whether it came behind rows, not behind marks
   */
  record BarrierEvent(long checkpoint, int source, int subtask, boolean amongRows)
      implements Event {}

  /**
   * A subtask begins, perhaps again.
   *
   * @param checkpoint from which; -1 for none
   */
  record BegunEvent(long checkpoint, int source, int subtask) implements Event {}

  /** What the job and the test share; the job runs in this process. */
  static final class Shared {
    final List<Event> events = new ArrayList<>();
    volatile Optional<TableState> table = Optional.empty();

    /** Of the one table; those that each source begins with when empty. */
    volatile Optional<TableColumns> columns = Optional.empty();

    private volatile List<TableColumns> started = List.of();

    /** Makes the job slow enough that barriers fall between the batches of one transaction. */
    volatile long nanosPerRow;

    void add(Event event) {
      synchronized (events) {
        events.add(event);
      }
    }
  }

  private static final Map<String, Shared> SHARED = new ConcurrentHashMap<>();

  record SharedTable(String id, int source) implements TableStateReader, Serializable {
    @Override
    public Optional<TableState> read() {
      return SHARED.get(id).table;
    }

    @Override
    public Optional<TableColumns> columns() {
      Shared shared = SHARED.get(id);
      return shared.columns.isPresent() ? shared.columns : Optional.of(shared.started.get(source));
    }
  }

  private static final class Recorder<T> extends AbstractStreamOperator<Integer>
      implements OneInputStreamOperator<T, Integer> {
    private final String id;
    private final int source;
    private final boolean ofRows;

    Recorder(String id, int source, boolean ofRows) {
      this.id = id;
      this.source = source;
      this.ofRows = ofRows;
      setChainingStrategy(ChainingStrategy.ALWAYS);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      if (ofRows) {
        SHARED
            .get(id)
            .add(new BegunEvent(context.getRestoredCheckpointId().orElse(-1), source, subtask()));
      }
    }

    @Override
    public void processElement(StreamRecord<T> element) {
      Object value = element.getValue();
      if (value instanceof ShardRow row) {
        SHARED.get(id).add(new RowEvent(row, source, subtask()));
        LockSupport.parkNanos(SHARED.get(id).nanosPerRow);
      } else {
        SHARED.get(id).add(new MarkEvent((SourceMark) value, subtask()));
      }
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) {
      SHARED.get(id).add(new BarrierEvent(checkpointId, source, subtask(), ofRows));
    }

    private int subtask() {
      return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }
  }

  private final String id = UUID.randomUUID().toString();
  private final Shared shared = new Shared();
  private List<ServerName> servers = List.of();
  private JobClient job;
  private Path checkpoints;
  private boolean ended;

  SourceRun() {
    SHARED.put(id, shared);
  }

  Shared shared() {
    return shared;
  }

  List<Event> events() {
    synchronized (shared.events) {
      return List.copyOf(shared.events);
    }
  }

  List<ShardRow> rows() {
    List<ShardRow> rows = new ArrayList<>();
    for (Event event : events()) {
      if (event instanceof RowEvent row) {
        rows.add(row.row());
      }
    }
    return rows;
  }

  Optional<SourceMark> lastMark() {
    SourceMark last = null;
    for (Event event : events()) {
      if (event instanceof MarkEvent mark) {
        last = mark.mark();
      }
    }
    return Optional.ofNullable(last);
  }

  /** The newest mark of one of several servers. */
  Optional<SourceMark> lastMark(ServerName server) {
    SourceMark last = null;
    for (Event event : events()) {
      if (event instanceof MarkEvent mark && mark.mark().server().equals(server)) {
        last = mark.mark();
      }
    }
    return Optional.ofNullable(last);
  }

  /** Waits for a checkpoint that began behind all that is recorded by now. */
  Checkpoint nextCheckpoint() throws IOException {
    long begun = 0;
    for (Event event : events()) {
      if (event instanceof BarrierEvent barrier) {
        begun = Math.max(begun, barrier.checkpoint());
      }
    }
    long last = begun;
    await()
        .atMost(Duration.ofMinutes(5))
        .until(() -> newestCheckpoint().filter(found -> found.number() > last).isPresent());
    return newestCheckpoint().orElseThrow();
  }

  /** Lets the table answer the submission, with shards that are active from a position, or none. */
  SourceRun answer(Gate gate, SourceSpec spec, Optional<SourcePosition> position) {
    shared.table =
        Optional.of(
            TestServer.answered(
                gate,
                HelloAnswer.START_FROM_TABLE,
                spec.shardIds(),
                position.isPresent() ? ShardPhase.ACTIVE : ShardPhase.SNAPSHOT,
                position));
    return this;
  }

  /** Lets the table answer that the submission goes on from its own state. */
  SourceRun answerContinue(Gate gate, SourceSpec spec) {
    answer(gate, spec, Optional.empty());
    shared.table =
        Optional.of(
            TestServer.answered(
                gate, HelloAnswer.CONTINUE, spec.shardIds(), ShardPhase.ACTIVE, Optional.empty()));
    return this;
  }

  /** Lets the table answer with shards of several servers that are active from their positions. */
  SourceRun answerFrom(
      Gate gate, List<SourceSpec> specs, Map<ServerName, SourcePosition> positions) {
    shared.table =
        Optional.of(
            TestServer.answered(
                gate,
                HelloAnswer.START_FROM_TABLE,
                specs.stream().flatMap(spec -> spec.shardIds().stream()).toList(),
                positions.isEmpty() ? ShardPhase.SNAPSHOT : ShardPhase.ACTIVE,
                positions));
    return this;
  }

  /** A table that has just these columns. */
  static TableColumns columns(long schema, RowLayout layout) {
    List<TableColumns.Column> columns = new ArrayList<>();
    columns.add(
        new TableColumns.Column(
            1, layout.shardColumn(), Optional.of(ColumnType.of(ColumnType.Kind.INT)), true));
    for (int i = 0; i < layout.columns().size(); i++) {
      RowLayout.Column column = layout.columns().get(i);
      columns.add(
          new TableColumns.Column(
              i + 2, column.name(), Optional.of(column.type()), layout.isKey(i)));
    }
    return new TableColumns(schema, columns);
  }

  /**
   * The standing said at the last barrier that the predicate accepts, with the rows before that
   * barrier.
   */
  Optional<AtBarrier> atBarrier(Predicate<SourceMark> accepted) {
    List<ShardRow> rows = new ArrayList<>();
    SourceMark mark = null;
    AtBarrier last = null;
    for (Event event : events()) {
      if (event instanceof RowEvent row) {
        rows.add(row.row());
      } else if (event instanceof MarkEvent said) {
        mark = said.mark();
      } else if (event instanceof BarrierEvent && mark != null && accepted.test(mark)) {
        last = new AtBarrier(mark, List.copyOf(rows));
      }
    }
    return Optional.ofNullable(last);
  }

  /**
   * The rows of one reader that count: when the job restarts by itself, those behind the checkpoint
   * that it goes on from come anew.
   */
  List<ShardRow> rowsThatCount() {
    List<ShardRow> rows = new ArrayList<>();
    Map<Long, Integer> before = new HashMap<>();
    for (Event event : events()) {
      if (event instanceof RowEvent row) {
        rows.add(row.row());
      } else if (event instanceof BarrierEvent barrier && barrier.amongRows()) {
        before.put(barrier.checkpoint(), rows.size());
      } else if (event instanceof BegunEvent begun) {
        rows.subList(before.getOrDefault(begun.checkpoint(), 0), rows.size()).clear();
      }
    }
    return rows;
  }

  /** The rows before a checkpoint's barrier, each before that of its subtask. */
  List<ShardRow> rowsBefore(long checkpoint) {
    List<ShardRow> rows = new ArrayList<>();
    Set<List<Integer>> closed = new HashSet<>();
    for (Event event : events()) {
      if (event instanceof RowEvent row && !closed.contains(List.of(row.source(), row.subtask()))) {
        rows.add(row.row());
      } else if (event instanceof BarrierEvent barrier
          && barrier.checkpoint() == checkpoint
          && barrier.amongRows()) {
        closed.add(List.of(barrier.source(), barrier.subtask()));
      }
    }
    if (closed.isEmpty()) {
      throw new AssertionError("Expected barrier %d, found none".formatted(checkpoint));
    }
    return rows;
  }

  /**
   * What each server's source said last before a checkpoint's barrier, which belongs to the rows
   * before that barrier.
   */
  Map<ServerName, SourceMark> marksBefore(long checkpoint) {
    Map<ServerName, SourceMark> marks = new HashMap<>();
    Set<List<Integer>> closed = new HashSet<>();
    for (Event event : events()) {
      if (event instanceof MarkEvent said
          && !closed.contains(List.of(servers.indexOf(said.mark().server()), said.subtask()))) {
        marks.put(said.mark().server(), said.mark());
      } else if (event instanceof BarrierEvent barrier
          && barrier.checkpoint() == checkpoint
          && !barrier.amongRows()) {
        closed.add(List.of(barrier.source(), barrier.subtask()));
      }
    }
    return marks;
  }

  /**
   * A completed checkpoint.
   *
   * @param path to go on from it
   */
  record Checkpoint(long number, String path) {}

  /** The newest completed checkpoint, also when the job was cancelled since. */
  Optional<Checkpoint> newestCheckpoint() throws IOException {
    Path all = checkpoints.resolve(job.getJobID().toString());
    if (!Files.isDirectory(all)) {
      return Optional.empty();
    }
    try (Stream<Path> folders = Files.list(all)) {
      return folders
          .filter(folder -> folder.getFileName().toString().startsWith("chk-"))
          .filter(folder -> Files.exists(folder.resolve("_metadata")))
          .map(
              folder ->
                  new Checkpoint(
                      Long.parseLong(folder.getFileName().toString().substring(4)),
                      folder.toUri().toString()))
          .max(Comparator.comparingLong(Checkpoint::number));
    }
  }

  record AtBarrier(SourceMark mark, List<ShardRow> rowsBefore) {}

  SourceRun start(
      SourceSpec spec,
      Gate gate,
      int parallelism,
      Duration checkpointInterval,
      Path state,
      Optional<String> restoreFrom,
      boolean chained)
      throws Exception {
    return start(List.of(spec), gate, parallelism, checkpointInterval, state, restoreFrom, chained);
  }

  /** Several sources in one job, as a group has one per server. */
  SourceRun start(
      List<SourceSpec> specs,
      Gate gate,
      int parallelism,
      Duration checkpointInterval,
      Path state,
      Optional<String> restoreFrom,
      boolean chained)
      throws Exception {
    checkpoints = state;
    servers = specs.stream().map(SourceSpec::server).toList();
    if (specs.size() == 1 && shared.columns.isEmpty()) {
      shared.columns = Optional.of(columns(0, specs.get(0).layout()));
    }
    shared.started = specs.stream().map(spec -> columns(0, spec.layout())).toList();
    Configuration configuration = new Configuration();
    configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, parallelism);
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, state.toUri().toString());
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    // Faults that end the job must end it in spite of this.
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1_000);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofSeconds(1));
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    RecordedCounters.recordIn(configuration);
    restoreFrom.ifPresent(path -> configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    environment.enableCheckpointing(checkpointInterval.toMillis());
    if (!chained) {
      environment.disableOperatorChaining();
    }
    for (int i = 0; i < specs.size(); i++) {
      String suffix = i == 0 ? "" : "-" + i;
      ShardSource.Streams streams =
          ShardSource.attach(
              environment,
              "source-test" + suffix,
              parallelism,
              specs.get(i),
              gate,
              new SharedTable(id, i));
      streams
          .rows()
          .transform("rows", Types.INT, new Recorder<ShardRow>(id, i, true))
          .uid("rows" + suffix);
      streams
          .marks()
          .transform("marks", Types.INT, new Recorder<SourceMark>(id, i, false))
          .uid("marks" + suffix);
    }
    job = environment.executeAsync("source test");
    return this;
  }

  JobClient job() {
    return job;
  }

  String stopWithSavepoint(Path folder) throws Exception {
    ended = true;
    return job.stopWithSavepoint(false, folder.toUri().toString(), SavepointFormatType.CANONICAL)
        .get(300, TimeUnit.SECONDS);
  }

  /** Waits for the job's failure and returns all messages of its causes. */
  String failure() throws Exception {
    ended = true;
    try {
      job.getJobExecutionResult().get(300, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      StringBuilder messages = new StringBuilder();
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        messages.append(cause.getClass().getSimpleName()).append(": ").append(cause.getMessage());
        messages.append('\n');
      }
      return messages.toString();
    }
    throw new AssertionError("Expected the job to fail, found it finished");
  }

  boolean running() throws Exception {
    return job.getJobStatus().get(10, TimeUnit.SECONDS) == JobStatus.RUNNING;
  }

  @Override
  public void close() throws Exception {
    // The in-process cluster goes down with its job, and then answers no more.
    if (job != null && !ended) {
      ended = true;
      job.cancel().get(300, TimeUnit.SECONDS);
      try {
        job.getJobExecutionResult().get(300, TimeUnit.SECONDS);
      } catch (java.util.concurrent.ExecutionException e) {
        // Cancelled, as asked.
      }
    }
  }
}
