package io.tributary.ingest.table;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.TableColumns;
import org.apache.iceberg.Schema;

/** Says a version of a table's schema in our words. */
public final class IcebergColumns {
  private IcebergColumns() {}

  public static TableColumns of(Schema schema) {
    return new TableColumns(
        schema.schemaId(),
        schema.columns().stream()
            .map(
                field ->
                    new TableColumns.Column(
                        field.name(),
                        ColumnType.parse(field.type().toString()),
                        field.isRequired()))
            .toList());
  }
}
