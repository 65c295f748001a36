package io.tributary.ingest.source;

import io.debezium.relational.TableId;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.cdc.connectors.mysql.source.assigners.MySqlHybridSplitAssigner;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.HybridPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;

/**
 * Hands out the chunks of a copy, and behind them the binlog from where the first of them ended:
 * the connector's own choice of the first compares names of files as text.
 */
final class CopyAssigner extends MySqlHybridSplitAssigner {
  CopyAssigner(
      MySqlSourceConfig config,
      int readers,
      List<TableId> tables,
      boolean caseSensitive,
      SplitEnumeratorContext<MySqlSplit> context) {
    super(config, readers, tables, caseSensitive, context);
  }

  CopyAssigner(
      MySqlSourceConfig config,
      int readers,
      HybridPendingSplitsState state,
      SplitEnumeratorContext<MySqlSplit> context) {
    super(config, readers, state, context);
  }

  @Override
  public Optional<MySqlSplit> getNext() {
    return super.getNext()
        .map(split -> split instanceof MySqlBinlogSplit binlog ? fromFirst(binlog) : split);
  }

  private MySqlSplit fromFirst(MySqlBinlogSplit split) {
    // The split itself holds no ends when there are many; they are sent behind it.
    return CopyEnds.fromFirst(
        split, getFinishedSplitInfos().stream().map(chunk -> chunk.getHighWatermark()).toList());
  }
}
