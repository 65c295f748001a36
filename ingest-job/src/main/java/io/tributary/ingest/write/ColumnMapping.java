package io.tributary.ingest.write;

import io.tributary.protocol.TableName;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Types;

/**
 * Brings a row's columns into the order of the table's schema, by name. Files are written with the
 * table's own field ids; a column that the table does not have has none.
 */
final class ColumnMapping {
  /** Per column of the table where to read it in a row; null where the row has no such column. */
  private final RowData.FieldGetter[] getters;

  private final boolean identity;

  private ColumnMapping(RowData.FieldGetter[] getters, boolean identity) {
    this.getters = getters;
    this.identity = identity;
  }

  /**
   * @param rows the schema of the rows
   * @param table the table's schema now
   * @throws IllegalStateException when the table cannot take the rows; names every column
   */
  static ColumnMapping of(TableName name, Schema rows, Schema table) {
    List<String> problems = new ArrayList<>();
    for (Types.NestedField column : rows.columns()) {
      Types.NestedField target = table.findField(column.name());
      if (target == null) {
        problems.add("column '%s' of type %s, found none".formatted(column.name(), column.type()));
      } else if (!target.type().equals(column.type())) {
        problems.add(
            "column '%s' of type %s, found type %s"
                .formatted(column.name(), column.type(), target.type()));
      }
    }
    RowType rowType = FlinkSchemaUtil.convert(rows);
    List<Types.NestedField> targets = table.columns();
    RowData.FieldGetter[] getters = new RowData.FieldGetter[targets.size()];
    boolean identity = targets.size() == rows.columns().size();
    for (int i = 0; i < targets.size(); i++) {
      int position = rowType.getFieldIndex(targets.get(i).name());
      if (position >= 0) {
        LogicalType type = rowType.getTypeAt(position);
        getters[i] = RowData.createFieldGetter(type, position);
      } else if (targets.get(i).isRequired()) {
        problems.add(
            "a value for the required column '%s', found no such column at the source"
                .formatted(targets.get(i).name()));
      }
      identity &= position == i;
    }
    if (!problems.isEmpty()) {
      throw new IllegalStateException(
          "Cannot write rows to table " + name + ": expected " + String.join("; ", problems));
    }
    return new ColumnMapping(getters, identity);
  }

  RowData map(RowData row) {
    if (identity) {
      return row;
    }
    GenericRowData mapped = new GenericRowData(row.getRowKind(), getters.length);
    for (int i = 0; i < getters.length; i++) {
      mapped.setField(i, getters[i] == null ? null : getters[i].getFieldOrNull(row));
    }
    return mapped;
  }
}
