package io.tributary.ingest.source;

import io.tributary.ingest.row.CharacterTable;
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
  private final String[] names;
  private final ValueConverter[] converters;
  private final boolean[] key;
  private final boolean[] nullable;
  private final boolean[] required;
  private final Runnable zeroDateSeen;

  private StructRows(
      ShardId shard,
      RowLayout layout,
      ValueConverter[] converters,
      boolean[] required,
      Runnable zeroDateSeen) {
    this.shard = shard.value();
    this.layout = layout;
    this.converters = converters;
    this.required = required;
    this.names = layout.columns().stream().map(RowLayout.Column::name).toArray(String[]::new);
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
   * @param layout what the table expects
   * @param schema of the structures
   * @param characterTables of the server, for texts that are no UTF-8
   * @param zeroDateSeen told of each value that the table holds as NULL although it is none
   * @throws TerminalSourceException when the source's columns are no longer what the table expects
   */
  static StructRows resolve(
      SourceSpec.Shard shard,
      RowLayout layout,
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
        problems.add("column '" + column.name() + "' is gone");
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
          "Cannot read %s: expected the columns that the job was started with, found a changed table: %s"
              .formatted(shard, String.join("; ", problems)));
    }
    return new StructRows(shard.id(), layout, converters, required, zeroDateSeen);
  }

  int shard() {
    return shard;
  }

  GenericRowData row(RowKind kind, Struct values) {
    GenericRowData row = new GenericRowData(kind, converters.length + 1);
    row.setField(0, shard);
    for (int i = 0; i < converters.length; i++) {
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
      row.setField(i + 1, converted);
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
