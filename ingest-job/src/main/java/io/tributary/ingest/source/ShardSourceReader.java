package io.tributary.ingest.source;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlRecordEmitter;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReader;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReaderContext;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSplitReader;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;

/**
 * Reads one subtask's splits. Splits restored from Flink's state are held until the enumerator says
 * that the gate is open; splits that the enumerator assigns come after that anyway.
 */
final class ShardSourceReader extends MySqlSourceReader<SourceElement> {
  private final PositionProbe probe;
  private final ReadingHealth health;
  private final List<MySqlSplit> held = new ArrayList<>();
  private boolean started;
  private boolean open;

  ShardSourceReader(
      FutureCompletingBlockingQueue<RecordsWithSplitIds<SourceRecords>> queue,
      Supplier<MySqlSplitReader> splitReader,
      MySqlRecordEmitter<SourceElement> emitter,
      Configuration configuration,
      MySqlSourceReaderContext context,
      MySqlSourceConfig config,
      PositionProbe probe,
      ReadingHealth health) {
    super(queue, splitReader, emitter, configuration, context, config);
    this.probe = probe;
    this.health = health;
  }

  @Override
  public void start() {
    started = true;
    super.start();
  }

  @Override
  public void addSplits(List<MySqlSplit> splits) {
    // Restored splits are added before the reader is started.
    if (!started && !open) {
      held.addAll(splits);
    } else {
      super.addSplits(splits);
    }
  }

  @Override
  public List<MySqlSplit> snapshotState(long checkpointId) {
    List<MySqlSplit> splits = super.snapshotState(checkpointId);
    splits.addAll(held);
    health.barrier(checkpointId);
    return splits;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    health.completed(checkpointId);
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    if (event instanceof GateOpened opened) {
      open = true;
      probe.ledger().expect(opened.serverIdentity());
      if (!held.isEmpty()) {
        List<MySqlSplit> restored = List.copyOf(held);
        held.clear();
        super.addSplits(restored);
      }
    } else {
      super.handleSourceEvents(event);
    }
  }

  @Override
  public void close() throws Exception {
    probe.close();
    super.close();
  }
}
