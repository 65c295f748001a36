package io.tributary.ingest.source;

import io.debezium.connector.mysql.MySqlPartition;
import io.debezium.jdbc.JdbcConnection;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.ChunkRule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.flink.cdc.connectors.mysql.debezium.DebeziumUtils;
import org.apache.flink.cdc.connectors.mysql.schema.MySqlSchema;
import org.apache.flink.cdc.connectors.mysql.source.assigners.AssignerStatus;
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
 * The beginning of a copy in one chunk per table. The connector is not asked to cut: it compares
 * its bounds in Java, byte strings by identity and texts without their collation, and cuts even a
 * table of a few rows when the largest key looks different each time it is asked for.
 */
final class WholeTables {
  private static final Logger LOG = LoggerFactory.getLogger(WholeTables.class);

  private final SourceSpec spec;
  private final MySqlSourceConfig config;

  WholeTables(SourceSpec spec, MySqlSourceConfig config) {
    this.spec = spec;
    this.config = config;
  }

  /**
   * The most rows of a table that may be read as one chunk, or empty when tables are to be cut. A
   * column of chunks that holds whole numbers above 9223372036854775807 cannot be cut by: the
   * driver writes them as negative ones into the connector's queries, which then begin again with
   * the smallest key, and for ever.
   *
   * @param server to ask for such numbers
   */
  OptionalInt mostRows(JdbcConnection server) throws SQLException {
    SourceSpec.Chunks chunks = spec.snapshot().chunks();
    if (chunks instanceof SourceSpec.Chunks.Whole whole) {
      return OptionalInt.of(whole.mostRows());
    }
    String column = ((SourceSpec.Chunks.ByColumn) chunks).column();
    boolean wide =
        spec.layout().columns().stream()
            .anyMatch(one -> one.name().equals(column) && one.sourceType().startsWith("bigint"));
    if (wide) {
      for (SourceSpec.Shard shard : spec.shards()) {
        if (holdsLarge(server, shard, column)) {
          LOG.info(
              "Copies each shard of server {} in one chunk: {} has numbers above {} in column '{}'",
              spec.server(),
              shard,
              Long.MAX_VALUE,
              column);
          return OptionalInt.of(ChunkRule.MOST_ROWS_READ_WHOLE);
        }
      }
    }
    return OptionalInt.empty();
  }

  private static boolean holdsLarge(JdbcConnection server, SourceSpec.Shard shard, String column)
      throws SQLException {
    return server.queryAndMap(
        "SELECT 1 FROM %s.%s WHERE %s > %d LIMIT 1"
            .formatted(
                quoted(shard.database()), quoted(shard.table()), quoted(column), Long.MAX_VALUE),
        ResultSet::next);
  }

  /**
   * @param server to ask for the tables
   * @param caseSensitive whether the server tells names of tables apart by case
   * @param mostRows of a table that can be read as one chunk
   * @throws TerminalSourceException when a table has more rows
   */
  HybridPendingSplitsState plan(JdbcConnection server, boolean caseSensitive, int mostRows)
      throws Exception {
    MySqlPartition partition =
        new MySqlPartition(config.getMySqlConnectorConfig().getLogicalName());
    List<MySqlSchemalessSnapshotSplit> chunks = new ArrayList<>();
    Map<TableId, TableChange> schemas = new HashMap<>();
    try (MySqlSchema schema = new MySqlSchema(config, caseSensitive)) {
      for (TableId table : DebeziumUtils.discoverCapturedTables(server, config)) {
        refuseLarge(server, table, mostRows);
        TableChange described = schema.getTableSchema(partition, server, table);
        schemas.put(table, described);
        chunks.add(
            new MySqlSnapshotSplit(
                    table,
                    0,
                    ChunkUtils.getChunkKeyColumnType(
                        described.getTable(),
                        config.getChunkKeyColumns(),
                        config.isTreatTinyInt1AsBoolean()),
                    null,
                    null,
                    null,
                    Map.of(table, described))
                .toSchemalessSnapshotSplit());
      }
    }
    return new HybridPendingSplitsState(
        new SnapshotPendingSplitsState(
            new ArrayList<>(),
            chunks,
            new HashMap<>(),
            schemas,
            new HashMap<>(),
            AssignerStatus.INITIAL_ASSIGNING,
            new ArrayList<>(),
            caseSensitive,
            true,
            ChunkSplitterState.NO_SPLITTING_TABLE_STATE),
        false);
  }

  /** A whole table is kept in memory while it is copied; the server's estimates may be far off. */
  private void refuseLarge(JdbcConnection server, TableId table, int mostRows) throws SQLException {
    long rows =
        server.queryAndMap(
            "SELECT COUNT(*) FROM (SELECT 1 FROM %s.%s LIMIT %d) counted"
                .formatted(quoted(table.catalog()), quoted(table.table()), mostRows + 1L),
            result -> result.next() ? result.getLong(1) : 0);
    if (rows > mostRows) {
      throw new TerminalSourceException(
          "Cannot copy %s of server %s: expected at most %d rows, which fit into one chunk, found more; without a decimal or a whole number up to %d in the primary key it cannot be cut"
              .formatted(table, spec.server(), mostRows, Long.MAX_VALUE));
    }
  }

  static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
