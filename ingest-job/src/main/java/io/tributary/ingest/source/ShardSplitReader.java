package io.tributary.ingest.source;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.apache.flink.cdc.connectors.mysql.debezium.DebeziumUtils;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.BinlogSplitReader;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.DebeziumReader;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.SnapshotSplitReader;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReaderContext;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSplitReader;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlRecords;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSnapshotSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.cdc.connectors.mysql.source.utils.hooks.SnapshotPhaseHooks;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the events of one subtask, in a thread of its own. Differs from the connector's reader,
 * whose place it takes, in three things: chunks of the copy and changes are polled with different
 * patience, the copy keeps to a limit of rows a second, and an idle server is asked for signs of
 * life often.
 */
final class ShardSplitReader extends MySqlSplitReader {
  private static final Logger LOG = LoggerFactory.getLogger(ShardSplitReader.class);
  private static final long MOST_WAIT_MILLIS = 100;

  private final SourceSpec spec;
  private final MySqlSourceConfig copying;
  private final MySqlSourceConfig changes;
  private final int subtask;
  private final ReadLimiter limiter;
  private final ReadingHealth health;
  private final Queue<MySqlSnapshotSplit> chunks = new ArrayDeque<>();
  private final Queue<MySqlBinlogSplit> binlogs = new ArrayDeque<>();

  private SnapshotSplitReader copyReader;
  private BinlogSplitReader changeReader;
  private DebeziumReader<SourceRecords, MySqlSplit> current;
  private String currentSplit;

  ShardSplitReader(
      SourceSpec spec,
      MySqlSourceConfig copying,
      MySqlSourceConfig changes,
      int subtask,
      ReadLimiter limiter,
      ReadingHealth health,
      MySqlSourceReaderContext context) {
    super(copying, subtask, context, SnapshotPhaseHooks.empty());
    this.spec = spec;
    this.copying = copying;
    this.changes = changes;
    this.subtask = subtask;
    this.limiter = limiter;
    this.health = health;
  }

  @Override
  public RecordsWithSplitIds<SourceRecords> fetch() throws IOException {
    try {
      if (health.stopped()) {
        Thread.sleep(MOST_WAIT_MILLIS);
        return currentSplit == null ? nothing() : emptyBatch();
      }
      if (current == null && !open()) {
        return nothingYet(Math.max(1, limiter.nanosToWait() / 1_000_000));
      }
      Iterator<SourceRecords> records = current.pollSplitRecords();
      if (records != null) {
        return current == copyReader
            ? MySqlRecords.forUnfinishedRecords(currentSplit, counted(records))
            : MySqlRecords.forUnfinishedRecords(currentSplit, records);
      }
      MySqlRecords finished = MySqlRecords.forFinishedSplit(currentSplit);
      if (current == copyReader) {
        // The connector's reader stops for good with its first chunk: a second one, as a restored
        // reader has, would wait for ever for the end of what changed while it was copied.
        closeCopyReader();
      }
      current = null;
      currentSplit = null;
      return finished;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while reading", e);
    } catch (RuntimeException e) {
      if (health.stopped()) {
        // The reader fails at the very event that reading was stopped at.
        LOG.warn("The reader of server {} ended", spec.server(), e);
        return currentSplit == null ? nothing() : emptyBatch();
      }
      throw SourceFaults.terminal(spec, health.position(), e)
          .<RuntimeException>map(t -> t)
          .orElse(e);
    }
  }

  /** Lets the emitter say again where it stands and why it stands. */
  private RecordsWithSplitIds<SourceRecords> emptyBatch() {
    return MySqlRecords.forUnfinishedRecords(
        currentSplit, List.of(new SourceRecords(List.of())).iterator());
  }

  private static RecordsWithSplitIds<SourceRecords> nothing() {
    return new RecordsBySplits<>(Map.of(), Set.of());
  }

  /** Takes up the next split; false when none may be read now. */
  private boolean open() {
    MySqlBinlogSplit binlog = binlogs.poll();
    if (binlog != null) {
      closeCopyReader();
      AlertBinlogClient client =
          new AlertBinlogClient(changes, spec.timing().heartbeat().toMillis());
      EventWatch watch = new EventWatch(spec, health, client);
      client.registerEventListener(watch);
      health.watchedBy(watch);
      changeReader =
          new BinlogSplitReader(
              new PlainNames(changes, client, DebeziumUtils.createMySqlConnection(changes)),
              subtask);
      start(changeReader, LooseSchemas.of(binlog, spec.layout()));
      return true;
    }
    if (chunks.isEmpty() || limiter.nanosToWait() > 0) {
      return false;
    }
    if (copyReader == null) {
      copyReader =
          new SnapshotSplitReader(
              new PlainNames(
                  copying,
                  new BackfillClient(copying),
                  ExactCopyConnection.open(copying, spec.layout())),
              subtask,
              SnapshotPhaseHooks.empty());
    }
    start(copyReader, LooseSchemas.of(chunks.poll(), spec.layout()));
    return true;
  }

  private void start(DebeziumReader<SourceRecords, MySqlSplit> reader, MySqlSplit split) {
    current = reader;
    currentSplit = split.splitId();
    reader.submitSplit(split);
  }

  private Iterator<SourceRecords> counted(Iterator<SourceRecords> records) {
    List<SourceRecords> all = new ArrayList<>();
    while (records.hasNext()) {
      SourceRecords batch = records.next();
      limiter.read(batch.getSourceRecordList().size());
      all.add(batch);
    }
    return all.iterator();
  }

  private static RecordsWithSplitIds<SourceRecords> nothingYet(long millis)
      throws InterruptedException {
    // Short, so that new splits and the end are seen soon.
    Thread.sleep(Math.min(millis, MOST_WAIT_MILLIS));
    return nothing();
  }

  @Override
  public void handleSplitsChanges(SplitsChange<MySqlSplit> change) {
    if (!(change instanceof SplitsAddition)) {
      throw new UnsupportedOperationException(
          "Cannot change splits: expected an addition, found " + change.getClass().getName());
    }
    for (MySqlSplit split : change.splits()) {
      if (split.isSnapshotSplit()) {
        chunks.add(split.asSnapshotSplit());
      } else {
        binlogs.add(split.asBinlogSplit());
      }
    }
  }

  @Override
  public void close() {
    closeCopyReader();
    if (changeReader != null) {
      changeReader.close();
      changeReader = null;
    }
  }

  private void closeCopyReader() {
    if (copyReader != null) {
      copyReader.close();
      copyReader = null;
    }
  }
}
