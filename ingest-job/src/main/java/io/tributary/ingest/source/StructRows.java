package io.tributary.ingest.source;

import io.tributary.ingest.row.CharacterTable;
import io.tributary.ingest.row.RowForm;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.UnfitValueException;
import io.tributary.ingest.row.ValueConverter;
import io.tributary.ingest.row.ValueConverters;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Field;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Schema;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.types.RowKind;

/**
 * Turns one shard's change structures into rows. Everything that depends on the schema is decided
 * once, when the schema is first seen.
 */
final class StructRows {
  private final int shard;
  private final RowLayout layout;
  private final int arity;
  private final String[] names;

  /** Where each column of the layout lies in a row. */
  private final int[] places;

  private final ValueConverter[] converters;
  private final boolean[] key;
  private final boolean[] nullable;
  private final boolean[] required;
  private final Runnable zeroDateSeen;

  private StructRows(
      ShardId shard,
      RowLayout layout,
      RowForm form,
      ValueConverter[] converters,
      boolean[] required,
      Runnable zeroDateSeen) {
    this.shard = shard.value();
    this.layout = layout;
    this.arity = form.columns().size() + 1;
    this.converters = converters;
    this.required = required;
    this.names = layout.names().toArray(String[]::new);
    this.places =
        layout.columns().stream()
            .mapToInt(column -> form.columns().indexOf(column.tableName()) + 1)
            .toArray();
    this.key = new boolean[names.length];
    this.nullable = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      nullable[i] = layout.columns().get(i).nullable();
    }
    this.zeroDateSeen = zeroDateSeen;
    layout.key().forEach(position -> key[position] = true);
  }

  /**
   * @param shard whose rows they are
   * @param layout the shard's columns, with their types in the table
   * @param form of the rows; has all columns of the layout
   * @param schema of the structures; may lack columns that came later or that were dropped
   * @param characterTables of the server, for texts that are no UTF-8
   * @param zeroDateSeen told of each value that the table holds as NULL although it is none
   * @throws TerminalSourceException when the structures have columns that the layout has not, or
   *     cannot be converted
   */
  static StructRows resolve(
      SourceSpec.Shard shard,
      RowLayout layout,
      RowForm form,
      Schema schema,
      Map<String, CharacterTable> characterTables,
      Runnable zeroDateSeen) {
    List<String> problems = new ArrayList<>();
    ValueConverter[] converters = new ValueConverter[layout.columns().size()];
    boolean[] required = new boolean[converters.length];
    for (int i = 0; i < converters.length; i++) {
      RowLayout.Column column = layout.columns().get(i);
      Field field = schema.field(column.name());
      if (field == null) {
        if (layout.isKey(i)) {
          problems.add("key column '" + column.name() + "' is gone");
        }
        continue;
      }
      Optional<ValueConverter> converter =
          ValueConverters.of(column, Optional.ofNullable(field.schema().name()), characterTables);
      if (converter.isEmpty()) {
        problems.add(
            "column '%s' comes as %s, which does not fit %s"
                .formatted(column.name(), field.schema().name(), column.type()));
      } else {
        converters[i] = converter.get();
        required[i] = !field.schema().isOptional();
      }
    }
    for (Field field : schema.fields()) {
      if (layout.columns().stream().noneMatch(column -> column.name().equals(field.name()))) {
        problems.add("column '" + field.name() + "' is new");
      }
    }
    if (!problems.isEmpty()) {
      throw new TerminalSourceException(
          "Cannot read %s: expected columns that are known, found others: %s; cure: submit the job again, and if that fails copy the shard again"
              .formatted(shard, String.join("; ", problems)));
    }
    return new StructRows(shard.id(), layout, form, converters, required, zeroDateSeen);
  }

  int shard() {
    return shard;
  }

  GenericRowData row(RowKind kind, Struct values) {
    GenericRowData row = new GenericRowData(kind, arity);
    row.setField(0, shard);
    for (int i = 0; i < converters.length; i++) {
      if (converters[i] == null) {
        // A row from before the column came, or after it went.
        continue;
      }
      // Not get(): it puts the column's default where the value is NULL.
      Object value = values.getWithoutDefault(names[i]);
      if (value == null && required[i]) {
        // The reader writes to its log what it cannot convert, and leaves the value out.
        throw new UnfitValueException(
            "Cannot read column '%s' of type %s: expected a value, since the source says NOT NULL, found one that the change reader cannot convert; the log says why, beginning with 'Failed to properly convert data value'"
                .formatted(names[i], layout.columns().get(i).sourceType()));
      }
      Object converted = value == null ? null : converters[i].convert(value);
      if (converted == null && key[i]) {
        throw new UnfitValueException(
            "Cannot hold NULL or a zero date in key column '%s'".formatted(names[i]));
      }
      if (converted == null && (value != null || !nullable[i])) {
        zeroDateSeen.run();
      }
      row.setField(places[i], converted);
    }
    return row;
  }

  /** Whether both are versions of one row, as the table knows rows. */
  boolean sameKey(Struct before, Struct after) {
    for (int position : layout.key()) {
      Object one = before.getWithoutDefault(names[position]);
      Object other = after.getWithoutDefault(names[position]);
      if (!Objects.equals(one, other)) {
        return false;
      }
    }
    return true;
  }
}
