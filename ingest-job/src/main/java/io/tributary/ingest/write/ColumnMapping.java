package io.tributary.ingest.write;

import io.tributary.protocol.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * Brings a row's columns into the order of the table's schema, by field id, and its values into the
 * schema's types, which may be wider than the row's. A name may be another one by now. Files are
 * written with the table's own field ids; a column that the table does not have has none.
 */
final class ColumnMapping {
  /** Widens a value that is not null. */
  private interface Widening {
    Object apply(Object value);
  }

  /** Per column of the table its place in a row; -1 where the row has no such column. */
  private final int[] places;

  /** Null where the types are the same. */
  private final Widening[] widenings;

  /** Places of a row for which the table has no column. */
  private final int[] homeless;

  private final List<String> names;
  private final TableName table;
  private final boolean identity;

  private ColumnMapping(
      TableName table,
      List<String> names,
      int[] places,
      int[] homeless,
      Widening[] widenings,
      boolean identity) {
    this.table = table;
    this.names = names;
    this.places = places;
    this.homeless = homeless;
    this.widenings = widenings;
    this.identity = identity;
  }

  /**
   * @param names the rows' columns, in order
   * @param rows a schema with the types of these columns
   * @param table the schema to write with
   * @throws IllegalStateException when the table cannot take the rows; names every column
   */
  static ColumnMapping of(TableName name, List<String> names, Schema rows, Schema table) {
    List<String> problems = new ArrayList<>();
    List<Types.NestedField> targets = table.columns();
    int[] found = new int[targets.size()];
    Widening[] widenings = new Widening[targets.size()];
    boolean identity = targets.size() == names.size();
    for (int i = 0; i < found.length; i++) {
      Types.NestedField target = targets.get(i);
      Types.NestedField source = rows.findField(target.fieldId());
      found[i] = source == null ? -1 : names.indexOf(source.name());
      identity &= found[i] == i;
      if (found[i] < 0 && target.isRequired()) {
        problems.add(
            "a value for the required column '%s', found no such column at the source"
                .formatted(target.name()));
      }
      if (found[i] >= 0 && !source.type().equals(target.type())) {
        if (TypeUtil.isPromotionAllowed(source.type(), target.type().asPrimitiveType())) {
          widenings[i] = widening(target);
          identity = false;
        } else {
          problems.add(
              "column '%s' of type %s, found type %s"
                  .formatted(target.name(), source.type(), target.type()));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new IllegalStateException(
          "Cannot write rows to table " + name + ": expected " + String.join("; ", problems));
    }
    int[] homeless =
        IntStream.range(0, names.size())
            .filter(place -> !isField(rows.findField(names.get(place)), table))
            .toArray();
    return new ColumnMapping(name, List.copyOf(names), found, homeless, widenings, identity);
  }

  private static boolean isField(Types.NestedField column, Schema table) {
    return column != null && table.findField(column.fieldId()) != null;
  }

  private static Widening widening(Types.NestedField target) {
    return switch (target.type().typeId()) {
      case LONG -> value -> ((Number) value).longValue();
      case DOUBLE -> value -> ((Number) value).doubleValue();
      case DECIMAL -> {
        Types.DecimalType type = (Types.DecimalType) target.type();
        yield value ->
            DecimalData.fromBigDecimal(
                ((DecimalData) value).toBigDecimal(), type.precision(), type.scale());
      }
      default ->
          throw new IllegalStateException(
              "Cannot widen values of column '%s' to %s: expected long, double or a decimal"
                  .formatted(target.name(), target.type()));
    };
  }

  /**
   * @throws IllegalStateException when the row has a value for which the table has no column
   */
  RowData map(GenericRowData row) {
    if (identity) {
      return row;
    }
    for (int place : homeless) {
      if (row.getField(place) != null) {
        throw new IllegalStateException(
            "Cannot write a row to table %s: expected a column for the value of '%s', found none; somebody dropped it from the table"
                .formatted(table, names.get(place)));
      }
    }
    GenericRowData mapped = new GenericRowData(row.getRowKind(), places.length);
    for (int i = 0; i < places.length; i++) {
      Object value = places[i] < 0 ? null : row.getField(places[i]);
      mapped.setField(i, value == null || widenings[i] == null ? value : widenings[i].apply(value));
    }
    return mapped;
  }
}
