package io.tributary.ingest.row;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The columns of a row on its way to the table: the shard column first, then the source's columns
 * in the source's order.
 *
 * @param shardColumn the name of the column with the shard's number, an int
 * @param columns the source's columns, at least one
 * @param key positions in {@code columns} of the key within a shard, in key order, at least one
 */
public record RowLayout(String shardColumn, List<Column> columns, List<Integer> key)
    implements Serializable {
  /**
   * A source column's place in the table.
   *
   * @param name at the source
   * @param tableName in the table; another one only while a renaming is under way
   * @param type its type in the table
   * @param sourceType its full type at the source, for messages and for the choice of a converter
   * @param characterSet the server's name of a text's character set where that is no UTF-8; empty
   *     for all others
   * @param nullable whether the source allows NULL; where not, a NULL here stands for a zero date
   */
  public record Column(
      String name,
      String tableName,
      ColumnType type,
      String sourceType,
      String characterSet,
      boolean nullable)
      implements Serializable {
    public Column {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(tableName, "tableName");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(sourceType, "sourceType");
      Objects.requireNonNull(characterSet, "characterSet");
    }

    /**
     * Whether the value is read as the server's own text. The change reader loses the sign of
     * {@code -00:00:01}, puts a DATETIME through a calendar with zones and a gap of ten days in
     * 1582, and fails at a day that no calendar knows.
     */
    public boolean readAsText() {
      return type.kind() == ColumnType.Kind.DATE
          || type.kind() == ColumnType.Kind.DATE_TIME
          || sourceType.matches("time(\\(.*)?");
    }

    /** Whether it is bytes here and no bytes at the source: a point, a polygon and their like. */
    public boolean isGeometry() {
      return type.kind() == ColumnType.Kind.BINARY
          && !sourceType.contains("binary")
          && !sourceType.contains("blob");
    }

    /** The same column with another type in the table. */
    public Column as(ColumnType other) {
      return new Column(name, tableName, other, sourceType, characterSet, nullable);
    }

    /** The same column under another name in the table. */
    public Column in(String other) {
      return new Column(name, other, type, sourceType, characterSet, nullable);
    }

    /** A column with the same name on both sides. */
    public Column(
        String name, ColumnType type, String sourceType, String characterSet, boolean nullable) {
      this(name, name, type, sourceType, characterSet, nullable);
    }

    /** A column that is no text of another character set than Unicode. */
    public Column(String name, ColumnType type, String sourceType, boolean nullable) {
      this(name, type, sourceType, "", nullable);
    }
  }

  /**
   * @throws IllegalArgumentException when there is no column or no key
   */
  public RowLayout {
    Objects.requireNonNull(shardColumn, "shardColumn");
    columns = List.copyOf(columns);
    key = List.copyOf(key);
    if (columns.isEmpty() || key.isEmpty()) {
      throw new IllegalArgumentException("Cannot lay out a row: expected columns and a key");
    }
    for (int position : key) {
      Objects.checkIndex(position, columns.size());
    }
  }

  public boolean isKey(int position) {
    return key.contains(position);
  }

  /** The row's type; key columns and the shard column are not null, all others may be. */
  public RowType rowType() {
    List<LogicalType> types = new ArrayList<>();
    List<String> names = new ArrayList<>();
    types.add(ColumnType.of(ColumnType.Kind.INT).rowType(false));
    names.add(shardColumn);
    for (int i = 0; i < columns.size(); i++) {
      types.add(columns.get(i).type().rowType(!isKey(i)));
      names.add(columns.get(i).name());
    }
    return RowType.of(types.toArray(LogicalType[]::new), names.toArray(String[]::new));
  }

  /** The columns' names at the source, in order. */
  public List<String> names() {
    return columns.stream().map(Column::name).toList();
  }

  public Optional<Column> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** Names of the key columns within a shard, in key order. */
  public List<String> keyNames() {
    return key.stream().map(position -> columns.get(position).name()).toList();
  }
}
