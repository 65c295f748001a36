package io.tributary.ingest.source;

import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableEditor;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSnapshotSplit;

/**
 * Tells the change reader that every date and time may be NULL, also where the server says NOT
 * NULL. A zero date is not NULL for the server but is for the reader, which else would put
 * 1970-01-01 in its place, where nobody can tell it from a real one.
 */
final class LooseSchemas {
  private LooseSchemas() {}

  static MySqlSnapshotSplit of(MySqlSnapshotSplit split) {
    return new MySqlSnapshotSplit(
        split.getTableId(),
        split.splitId(),
        split.getSplitKeyType(),
        split.getSplitStart(),
        split.getSplitEnd(),
        split.getHighWatermark(),
        loose(split.getTableSchemas()));
  }

  static MySqlBinlogSplit of(MySqlBinlogSplit split) {
    return new MySqlBinlogSplit(
        split.splitId(),
        split.getStartingOffset(),
        split.getEndingOffset(),
        split.getFinishedSnapshotSplitInfos(),
        loose(split.getTableSchemas()),
        split.getTotalFinishedSplitSize(),
        split.isSuspended());
  }

  private static Map<TableId, TableChange> loose(Map<TableId, TableChange> schemas) {
    Map<TableId, TableChange> loose = new HashMap<>();
    schemas.forEach(
        (id, change) -> loose.put(id, new TableChange(change.getType(), loose(change.getTable()))));
    return loose;
  }

  private static Table loose(Table table) {
    TableEditor editor = table.edit();
    for (Column column : table.columns()) {
      if (isTime(column) && !column.isOptional()) {
        editor.updateColumn(column.edit().optional(true).create());
      }
    }
    return editor.create();
  }

  private static boolean isTime(Column column) {
    return switch (column.jdbcType()) {
      case Types.DATE, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> true;
      default -> false;
    };
  }
}
