package io.tributary.ingest.row;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

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
   * @param fieldId its identity, which outlives its name
   * @param type absent when it is of a type that no source column ever gets
   * @param required whether each row needs a value
   * @param formerNames other names that it had in earlier versions of the schema
   */
  public record Column(
      int fieldId,
      String name,
      Optional<ColumnType> type,
      boolean required,
      Set<String> formerNames) {
    public Column {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
      formerNames = Set.copyOf(formerNames);
    }

    /** A column that always had its name. */
    public Column(int fieldId, String name, Optional<ColumnType> type, boolean required) {
      this(fieldId, name, type, required, Set.of());
    }
  }

  public TableColumns {
    columns = List.copyOf(columns);
  }

  public Optional<Column> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** The column with a field id. */
  public Optional<Column> field(int fieldId) {
    return columns.stream().filter(column -> column.fieldId() == fieldId).findFirst();
  }
}
