package io.tributary.ingest.write;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.ingest.table.TableAccess;
import io.tributary.ingest.table.TableHandle;
import io.tributary.ingest.table.TableUnavailableException;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.TableProposal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;

/**
 * Writes the rows of its partitions and hands the closed files over before each checkpoint barrier.
 *
 * <p>Assumes that every partition's rows reach one writer, in order. Holds no state: rows since the
 * last completed checkpoint are read again after a failure, their files stay behind as orphans.
 * Needs the table from the first row on, which comes only after the coordinator has made it.
 */
public final class ShardWriter extends AbstractStreamOperator<WriterResult>
    implements OneInputStreamOperator<ShardRow, WriterResult> {
  private static final int LOAD_ATTEMPTS = 5;
  private static final Duration LOAD_PAUSE = Duration.ofSeconds(1);

  private final TableAccess access;
  private final TableProposal proposal;

  private transient TableHandle handle;
  private transient EpochWriters writers;

  /** What was closed since the last barrier because the table got columns. */
  private transient List<WriterResult> closedEarly;

  private transient Counter dataFiles;
  private transient Counter deleteFiles;
  private transient Counter records;
  private transient Counter bytes;
  private transient volatile long lastFlushMs;

  /**
   * @param access the table
   * @param proposal describes the rows
   */
  public ShardWriter(TableAccess access, TableProposal proposal) {
    this.access = Objects.requireNonNull(access, "access");
    this.proposal = Objects.requireNonNull(proposal, "proposal");
    setChainingStrategy(ChainingStrategy.ALWAYS);
  }

  @Override
  public void open() throws Exception {
    super.open();
    closedEarly = new ArrayList<>();
    // Iceberg's own names, so that existing dashboards fit.
    MetricGroup group =
        getMetricGroup().addGroup("IcebergStreamWriter").addGroup("table", access.table().value());
    dataFiles = group.counter("flushedDataFiles");
    deleteFiles = group.counter("flushedDeleteFiles");
    records = group.counter("flushedRecords");
    bytes = group.counter("flushedBytes");
    group.gauge("lastFlushDurationMs", () -> lastFlushMs);
  }

  @Override
  public void processElement(StreamRecord<ShardRow> element) throws Exception {
    long schema = element.getValue().schemaFingerprint();
    if (writers == null || !writers.knows(schema)) {
      renew(schema);
    }
    writers.write(element.getValue());
  }

  /**
   * Goes on with the table as it is now. Rows written so far are a slice of their own: a delete by
   * key of a later row must reach them.
   */
  private void renew(long schema) throws IOException, InterruptedException {
    Table table = loadTable(schema);
    if (writers != null) {
      writers.flush(WriterResult.END_OF_INPUT).ifPresent(closedEarly::add);
    }
    writers =
        new EpochWriters(
            access.table(),
            table,
            SchemaParser.fromJson(proposal.schemaJson()).columns().stream()
                .map(Types.NestedField::name)
                .toList(),
            getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
            getRuntimeContext().getTaskInfo().getAttemptNumber());
  }

  private Table loadTable(long schema) throws InterruptedException {
    if (handle == null) {
      handle = new TableHandle(access);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        Table table =
            handle
                .load()
                .orElseThrow(
                    () ->
                        new IllegalStateException(
                            "Cannot write to table %s: expected the coordinator to have made it, found none; was it dropped?"
                                .formatted(access.table())));
        if (IcebergColumns.find(table.schemas().values(), schema).isPresent()) {
          return table;
        }
        // The reader saw it there before it passed the row on.
        throw new TableUnavailableException(
            "Cannot write to table %s: expected the version of its schema that rows were read for, found only others, the newest with columns %s; somebody put older metadata back, or the newest again meanwhile; cure: see that the newest is there, the job then goes on by itself"
                .formatted(
                    access.table(),
                    table.schema().columns().stream().map(Types.NestedField::name).toList()),
            null);
      } catch (TableUnavailableException e) {
        if (attempt == LOAD_ATTEMPTS) {
          throw e;
        }
        LOG.warn("Trying again in {} ms: {}", LOAD_PAUSE.toMillis(), e.getMessage());
        Thread.sleep(LOAD_PAUSE.toMillis());
      }
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    flush(checkpointId);
  }

  /** A drained job ends with a barrier after its data: what is handed over then is lost. */
  @Override
  public void finish() throws Exception {
    flush(WriterResult.END_OF_INPUT);
    super.finish();
  }

  private void flush(long checkpointId) throws IOException {
    if (writers == null) {
      return;
    }
    long start = System.nanoTime();
    List<WriterResult> results = new ArrayList<>();
    closedEarly.forEach(early -> results.add(early.at(checkpointId)));
    closedEarly.clear();
    writers.flush(checkpointId).ifPresent(results::add);
    if (results.isEmpty()) {
      return;
    }
    lastFlushMs = Duration.ofNanos(System.nanoTime() - start).toMillis();
    FileCounts counts =
        results.stream()
            .flatMap(result -> Stream.of(result.appended(), result.changed()))
            .flatMap(Optional::stream)
            .map(WrittenFiles::counts)
            .reduce(FileCounts.NONE, FileCounts::plus);
    dataFiles.inc(counts.dataFiles());
    deleteFiles.inc(counts.equalityDeleteFiles() + counts.positionDeleteFiles());
    records.inc(counts.dataRecords());
    bytes.inc(counts.bytes());
    results.forEach(result -> output.collect(new StreamRecord<>(result)));
  }

  @Override
  public void close() throws Exception {
    if (writers != null) {
      try {
        writers.abort();
      } catch (IOException | RuntimeException e) {
        LOG.warn("Files of rows that will be read again stay behind as orphans", e);
      }
    }
    if (handle != null) {
      handle.close();
    }
    super.close();
  }
}
