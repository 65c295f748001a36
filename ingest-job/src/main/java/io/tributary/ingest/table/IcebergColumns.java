package io.tributary.ingest.table;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.TableColumns;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;

/** Says a version of a table's schema in our words. */
public final class IcebergColumns {
  private IcebergColumns() {}

  public static TableColumns of(Schema schema) {
    return new TableColumns(
        fingerprint(schema),
        schema.columns().stream()
            .map(
                field ->
                    new TableColumns.Column(
                        field.name(),
                        ColumnType.parse(field.type().toString()),
                        field.isRequired()))
            .toList());
  }

  /**
   * Tells a version of the schema from any other. Its number does not: metadata that was put back
   * and evolved anew gives the number to other columns.
   *
   * @return 64 bits of the SHA-256 over Iceberg's JSON of it
   */
  public static long fingerprint(Schema schema) {
    try {
      byte[] json = SchemaParser.toJson(schema).getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(json)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** The version of the table's schema with a fingerprint, if it has one. */
  public static Optional<Schema> find(Table table, long fingerprint) {
    return table.schemas().values().stream()
        .filter(schema -> fingerprint(schema) == fingerprint)
        .findFirst();
  }
}
