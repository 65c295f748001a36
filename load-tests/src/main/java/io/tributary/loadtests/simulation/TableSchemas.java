package io.tributary.loadtests.simulation;

import io.tributary.coordinator.iceberg.SchemaEvolution;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.protocol.RequestedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * The schemas of one metadata file of the table.
 *
 * @param all the oldest first; the last is the table's
 * @param lastColumnId the highest field id ever given
 */
record TableSchemas(List<Schema> all, int lastColumnId) {
  TableSchemas {
    all = List.copyOf(all);
  }

  /** What a table begins with. */
  static TableSchemas first() {
    return new TableSchemas(
        List.of(
            new Schema(
                0,
                Types.NestedField.required(1, Server.SHARD_COLUMN, Types.IntegerType.get()),
                Types.NestedField.required(2, Server.KEY_COLUMN, Types.IntegerType.get()),
                Types.NestedField.optional(3, Server.VALUE_COLUMN, Types.LongType.get()))),
        3);
  }

  Schema current() {
    return all.get(all.size() - 1);
  }

  /** Whether this very version is among them, as a writer finds it out. */
  boolean knows(Schema schema) {
    // The same object is the same version, and quicker to see.
    return all.contains(schema)
        || IcebergColumns.find(all, IcebergColumns.fingerprint(schema)).isPresent();
  }

  /** Whether each field of a file means here what it meant to its writer. */
  boolean holds(Schema written) {
    return written.columns().stream()
        .allMatch(
            field ->
                Optional.ofNullable(current().findField(field.fieldId()))
                    .filter(here -> here.name().equals(field.name()))
                    .filter(here -> holds(here.type(), field.type()))
                    .isPresent());
  }

  private static boolean holds(Type here, Type written) {
    return here.equals(written)
        || here.typeId() == Type.TypeID.LONG && written.typeId() == Type.TypeID.INTEGER;
  }

  /** Without the versions before the newest, as an engine's expiry may leave it. */
  TableSchemas cleaned() {
    return new TableSchemas(List.of(current()), lastColumnId);
  }

  private TableSchemas with(List<Types.NestedField> fields, int last) {
    List<Schema> more = new ArrayList<>(all);
    more.add(new Schema(current().schemaId() + 1, fields));
    return new TableSchemas(more, last);
  }

  /**
   * With a column that no shard has, and behind it those that another schema has and this lacks.
   */
  TableSchemas addedByOthers(Schema wanted) {
    List<Types.NestedField> fields = new ArrayList<>(current().columns());
    int last = lastColumnId;
    fields.add(Types.NestedField.optional(++last, "others_" + last, Types.LongType.get()));
    for (Types.NestedField field : wanted.columns()) {
      if (fields.stream().noneMatch(there -> there.name().equals(field.name()))) {
        fields.add(Types.NestedField.optional(++last, field.name(), field.type()));
      }
    }
    return with(fields, last);
  }

  /** With the columns that a round brings, as the product decides on this very metadata. */
  TableSchemas evolved(World world, List<RequestedColumn> columns) {
    SchemaEvolution evolution = SchemaEvolution.of(current(), columns, world.rules.core());
    if (evolution.added().isEmpty() && evolution.widened().isEmpty()) {
      return this;
    }
    List<Types.NestedField> fields = new ArrayList<>();
    for (Types.NestedField field : current().columns()) {
      fields.add(
          evolution.widened().containsKey(field.name())
              ? Types.NestedField.optional(
                  field.fieldId(), field.name(), evolution.widened().get(field.name()))
              : field);
    }
    int last = lastColumnId;
    for (var added : evolution.added().entrySet()) {
      fields.add(Types.NestedField.optional(++last, added.getKey(), added.getValue()));
    }
    world.checks.columns(current().columns(), fields);
    return with(fields, last);
  }
}
