package io.tributary.ingest.table;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.TableColumns;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;

/** Says a version of a table's schema in our words. */
public final class IcebergColumns {
  private IcebergColumns() {}

  public static TableColumns of(Schema schema) {
    return of(schema, List.of());
  }

  /**
   * @param versions of the table's schema, for the names that its columns had
   */
  public static TableColumns of(Schema schema, Collection<Schema> versions) {
    return new TableColumns(
        fingerprint(schema),
        schema.columns().stream()
            .map(
                field ->
                    new TableColumns.Column(
                        field.fieldId(),
                        field.name(),
                        ColumnType.parse(field.type().toString()),
                        field.isRequired(),
                        formerNames(field, versions)))
            .toList());
  }

  private static Set<String> formerNames(Types.NestedField field, Collection<Schema> versions) {
    return versions.stream()
        .map(version -> version.findColumnName(field.fieldId()))
        .filter(name -> name != null && !name.equals(field.name()))
        .collect(Collectors.toSet());
  }

  /**
   * Tells a version of the schema from any other. Its number does not: metadata that was put back
   * and evolved anew gives the number to other columns.
   *
   * @return 64 bits of the SHA-256 over the columns' ids, names and types and which are identifiers
   */
  public static long fingerprint(Schema schema) {
    StringBuilder text = new StringBuilder();
    for (Types.NestedField field : schema.columns()) {
      text.append(field.fieldId()).append(field.isRequired() ? " required " : " optional ");
      // With its length before it no name runs into what follows.
      text.append(field.name().length()).append(' ').append(field.name()).append(' ');
      text.append(field.type()).append('\n');
    }
    text.append(new TreeSet<>(schema.identifierFieldIds()));
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(digest.digest(text.toString().getBytes(StandardCharsets.UTF_8)))
          .getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** The version with a fingerprint, if it is among them. */
  public static Optional<Schema> find(Collection<Schema> versions, long fingerprint) {
    return versions.stream().filter(schema -> fingerprint(schema) == fingerprint).findFirst();
  }
}
