package io.tributary.ingest.source;

import io.debezium.relational.TableId;
import io.tributary.protocol.SourcePosition;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.cdc.connectors.mysql.source.assigners.MySqlBinlogSplitAssigner;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.BinlogPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;

/** Hands out the binlog from a position, and with it where tables' rows end behind that. */
final class ChangesAssigner extends MySqlBinlogSplitAssigner {
  private final Map<TableId, SourcePosition> ends;

  ChangesAssigner(MySqlSourceConfig config, Map<TableId, SourcePosition> ends) {
    super(config);
    this.ends = Map.copyOf(ends);
  }

  ChangesAssigner(
      MySqlSourceConfig config, BinlogPendingSplitsState state, Map<TableId, SourcePosition> ends) {
    super(config, state);
    this.ends = Map.copyOf(ends);
  }

  @Override
  public Optional<MySqlSplit> getNext() {
    return super.getNext()
        .map(
            split ->
                split instanceof MySqlBinlogSplit binlog && !ends.isEmpty()
                    ? CopyEnds.withOwnEnds(binlog, ends)
                    : split);
  }
}
