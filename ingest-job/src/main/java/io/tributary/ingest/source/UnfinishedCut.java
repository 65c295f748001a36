package io.tributary.ingest.source;

import io.debezium.jdbc.JdbcConnection;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.ChunkSplitterState;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.HybridPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.SnapshotPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSchemalessSnapshotSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSnapshotSplit;
import org.apache.flink.cdc.connectors.mysql.source.utils.ChunkUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table that is being cut into chunks while all its rows behind the last cut are deleted. The
 * connector fails where it looks for the next of them, and again after each restart. So whoever
 * goes on from its state ends the cutting with one more chunk, for all that may still come there.
 */
final class UnfinishedCut {
  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedCut.class);

  private UnfinishedCut() {}

  /**
   * The state to go on from.
   *
   * @param server to ask for rows behind the last cut
   */
  static HybridPendingSplitsState ended(
      HybridPendingSplitsState state, JdbcConnection server, MySqlSourceConfig config)
      throws SQLException {
    SnapshotPendingSplitsState copy = state.getSnapshotPendingSplits();
    TableId table = copy.getChunkSplitterState().getCurrentSplittingTableId();
    TableChange described = table == null ? null : copy.getTableSchemas().get(table);
    if (described == null) {
      return state;
    }
    Object cut = copy.getChunkSplitterState().getNextChunkStart().getValue();
    String column =
        ChunkUtils.getChunkKeyColumn(described.getTable(), config.getChunkKeyColumns()).name();
    if (cut == null || hasRowsFrom(server, table, column, cut)) {
      return state;
    }
    LOG.info("Ends the cutting of table {} at {}: it has no rows behind that", table, cut);
    List<MySqlSchemalessSnapshotSplit> chunks = new ArrayList<>(copy.getRemainingSplits());
    chunks.add(
        new MySqlSnapshotSplit(
                table,
                copy.getChunkSplitterState().getNextChunkId(),
                ChunkUtils.getChunkKeyColumnType(
                    described.getTable(),
                    config.getChunkKeyColumns(),
                    config.isTreatTinyInt1AsBoolean()),
                new Object[] {cut},
                null,
                null,
                Map.of(table, described))
            .toSchemalessSnapshotSplit());
    List<TableId> remaining = new ArrayList<>(copy.getRemainingTables());
    remaining.remove(table);
    return new HybridPendingSplitsState(
        new SnapshotPendingSplitsState(
            copy.getAlreadyProcessedTables(),
            chunks,
            copy.getAssignedSplits(),
            copy.getTableSchemas(),
            copy.getSplitFinishedOffsets(),
            copy.getSnapshotAssignerStatus(),
            remaining,
            copy.isTableIdCaseSensitive(),
            copy.isRemainingTablesCheckpointed(),
            ChunkSplitterState.NO_SPLITTING_TABLE_STATE),
        state.isBinlogSplitAssigned());
  }

  private static boolean hasRowsFrom(
      JdbcConnection server, TableId table, String column, Object cut) throws SQLException {
    return server.queryAndMap(
        "SELECT 1 FROM %s.%s WHERE %s >= %s LIMIT 1"
            .formatted(
                WholeTables.quoted(table.catalog()),
                WholeTables.quoted(table.table()),
                WholeTables.quoted(column),
                cut),
        ResultSet::next);
  }
}
