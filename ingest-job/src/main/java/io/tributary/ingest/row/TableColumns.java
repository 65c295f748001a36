package io.tributary.ingest.row;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The columns of one version of the table's schema.
 *
 * @param schemaFingerprint tells the version from any other, also from those that have its number
 *     in other metadata of the table
 * @param columns in the table's order
 */
public record TableColumns(long schemaFingerprint, List<Column> columns) {
  /**
   * A column of the table.
   *
   * @param type absent when it is of a type that no source column ever gets
   * @param required whether each row needs a value
   */
  public record Column(String name, Optional<ColumnType> type, boolean required) {
    public Column {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
    }
  }

  public TableColumns {
    columns = List.copyOf(columns);
  }

  public Optional<Column> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }
}
