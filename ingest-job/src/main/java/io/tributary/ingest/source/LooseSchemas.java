package io.tributary.ingest.source;

import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableEditor;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.RowLayout;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplitState;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSnapshotSplit;

/**
 * Tells the change reader that every date and time may be NULL, also where the server says NOT
 * NULL. A zero date is not NULL for the server but is for the reader, which else would put
 * 1970-01-01 in its place, where nobody can tell it from a real one. And that texts of character
 * sets that are no UTF-8 are bytes: the reader would decode them by Java's tables, not the
 * server's. And that geometries are bytes, which they are for the server: the reader would take
 * them apart, and fails at an empty one, as a server without strict mode puts where none is given.
 */
final class LooseSchemas {
  /** What is remembered of a shard's columns stands behind this. */
  private static final String BINDINGS = "tributary-columns";

  private static final String RENAMED = "renamed:";
  private static final String DROPPED_COLUMN = "dropped:";
  private static final String UNFILLED = "unfilled:";
  private static final String CHARSET = "charset:";
  private static final int MOST_TIME_TEXT = 32;

  /**
   * What a source's state says of a table beside its columns, in the place of the name of its
   * character set: the one thing beside the columns that the state keeps.
   */
  private enum Mark {
    /** Its columns are those of before a statement that nobody understood. */
    COLUMNS_OF_BEFORE("tributary: before a statement", "before"),
    /** It was made anew, nobody knows with what. */
    CREATED_ANEW("tributary: created anew", "created-anew"),
    /** There is no such table. */
    DROPPED("tributary: dropped", "table-dropped");

    private final String name;
    private final String note;

    /**
     * @param name stands alone
     * @param note stands among what is known of columns
     */
    Mark(String name, String note) {
      this.name = name;
      this.note = note;
    }

    boolean isOn(TableChange found) {
      return name.equals(found.getTable().defaultCharsetName())
          || hasNotes(found) && notes(found).contains(note);
    }
  }

  /** A name that no table has: it ends with a space. */
  private static final String NO_TABLE = "tributary ";

  private LooseSchemas() {}

  static MySqlSnapshotSplit of(MySqlSnapshotSplit split, TableChange schema, RowLayout layout) {
    return new MySqlSnapshotSplit(
        split.getTableId(),
        split.splitId(),
        split.getSplitKeyType(),
        split.getSplitStart(),
        split.getSplitEnd(),
        split.getHighWatermark(),
        Map.of(split.getTableId(), loose(schema, layout)));
  }

  /**
   * @param layouts by table; tables without one stay as they are, halted and dropped ones are left
   *     out
   */
  static MySqlBinlogSplit of(MySqlBinlogSplit split, Map<TableId, RowLayout> layouts) {
    Map<TableId, TableChange> tables = new HashMap<>(split.getTableSchemas());
    tables.values().removeIf(table -> isHalted(table) || isDropped(table));
    tables.replaceAll((id, change) -> withoutNotes(change));
    layouts.forEach(
        (id, layout) -> tables.computeIfPresent(id, (same, change) -> loose(change, layout)));
    if (tables.isEmpty()) {
      // All are dropped. The change reader takes a history without tables for one that is lost.
      split.getTableSchemas().keySet().stream()
          .findFirst()
          .map(any -> new TableId(any.catalog(), any.schema(), NO_TABLE))
          .ifPresent(
              none ->
                  tables.put(
                      none,
                      new TableChange(
                          TableChanges.TableChangeType.ALTER,
                          Table.editor().tableId(none).create())));
    }
    return withAll(split, tables);
  }

  /** The same split, with the given tables in the place of those it knows; its own map is kept. */
  static MySqlBinlogSplit with(MySqlBinlogSplit split, Map<TableId, TableChange> tables) {
    Map<TableId, TableChange> all = new HashMap<>(split.getTableSchemas());
    all.putAll(tables);
    return withAll(split, all);
  }

  private static MySqlBinlogSplit withAll(
      MySqlBinlogSplit split, Map<TableId, TableChange> tables) {
    return new MySqlBinlogSplit(
        split.splitId(),
        split.getStartingOffset(),
        split.getEndingOffset(),
        split.getFinishedSnapshotSplitInfos(),
        tables,
        split.getTotalFinishedSplitSize(),
        split.isSuspended());
  }

  /**
   * Notes in a source's state that a shard is read no more: a table without columns stands for it.
   */
  static void halt(MySqlBinlogSplitState split, SourceSpec.Shard shard) {
    TableId id = ShardSplitReader.tableId(shard);
    split.recordSchema(
        id,
        new TableChange(TableChanges.TableChangeType.ALTER, Table.editor().tableId(id).create()));
  }

  /**
   * Notes in a source's state that it stands behind a statement after which a table's columns are
   * not known: whoever goes on asks the server.
   *
   * @param before the columns before the statement
   */
  static void forget(MySqlBinlogSplitState split, TableChange before) {
    mark(split, before, Mark.COLUMNS_OF_BEFORE);
  }

  /**
   * Notes in a source's state that it stands behind a statement that made a table anew, with
   * columns that are not known: whoever goes on asks the server.
   */
  static void createdAnew(MySqlBinlogSplitState split, TableChange before) {
    mark(split, before, Mark.CREATED_ANEW);
  }

  /** Notes in a source's state that it stands where there is no such table. */
  static void dropped(MySqlBinlogSplitState split, TableChange before) {
    mark(split, before, Mark.DROPPED);
  }

  private static void mark(MySqlBinlogSplitState split, TableChange table, Mark as) {
    Optional<ColumnBindings> known = bindings(table);
    split.recordSchema(
        table.getId(),
        new TableChange(
            TableChanges.TableChangeType.ALTER,
            table.getTable().edit().setDefaultCharsetName(as.name).create()));
    known.ifPresent(bindings -> bind(split, table.getId(), bindings));
  }

  /** Whether the columns that are found in a source's state are those of before a statement. */
  static boolean isOfBefore(TableChange found) {
    return Mark.COLUMNS_OF_BEFORE.isOn(found);
  }

  /** Whether a table that is found in a source's state was made anew, nobody knows with what. */
  static boolean isCreatedAnew(TableChange found) {
    return Mark.CREATED_ANEW.isOn(found);
  }

  /** Whether there is no such table where a source's state stands. */
  static boolean isDropped(TableChange found) {
    return Mark.DROPPED.isOn(found);
  }

  /** Whether a table that is found in a source's state stands for a shard that is read no more. */
  static boolean isHalted(TableChange found) {
    return found.getTable().columns().isEmpty();
  }

  /** Notes in a source's state what its columns' names do not say. */
  static void bind(MySqlBinlogSplitState split, TableId id, ColumnBindings bindings) {
    TableChange found = split.getTableSchemas().get(id);
    if (found == null || isHalted(found) || bindings.isEmpty() && bindings(found).isEmpty()) {
      return;
    }
    List<String> notes = new ArrayList<>();
    String charset = withoutNotes(found).getTable().defaultCharsetName();
    Optional<Mark> mark = Arrays.stream(Mark.values()).filter(one -> one.isOn(found)).findFirst();
    if (mark.isPresent()) {
      notes.add(mark.get().note);
    } else if (charset != null) {
      notes.add(CHARSET + encoded(charset));
    }
    bindings
        .renamed()
        .forEach(
            (name, binding) -> {
              StringBuilder note = new StringBuilder(RENAMED + encoded(name));
              note.append(':').append(binding.fieldId());
              binding.names().forEach(former -> note.append(':').append(encoded(former)));
              notes.add(note.toString());
            });
    bindings.dropped().forEach(field -> notes.add(DROPPED_COLUMN + field));
    bindings.unfilled().forEach(name -> notes.add(UNFILLED + encoded(name)));
    split.recordSchema(id, withCharset(found, (BINDINGS + " " + String.join(" ", notes)).strip()));
  }

  /** What is noted in a source's state of a table's columns; empty when nothing ever was. */
  static Optional<ColumnBindings> bindings(TableChange found) {
    if (!hasNotes(found)) {
      return Optional.empty();
    }
    TreeMap<String, ColumnBindings.Binding> renamed = new TreeMap<>();
    TreeSet<Integer> dropped = new TreeSet<>();
    TreeSet<String> unfilled = new TreeSet<>();
    for (String note : notes(found)) {
      if (note.startsWith(RENAMED)) {
        String[] parts = note.substring(RENAMED.length()).split(":");
        renamed.put(
            decoded(parts[0]),
            new ColumnBindings.Binding(
                Integer.parseInt(parts[1]),
                Arrays.stream(parts).skip(2).map(LooseSchemas::decoded).toList()));
      } else if (note.startsWith(DROPPED_COLUMN)) {
        dropped.add(Integer.valueOf(note.substring(DROPPED_COLUMN.length())));
      } else if (note.startsWith(UNFILLED)) {
        unfilled.add(decoded(note.substring(UNFILLED.length())));
      } else if (!note.startsWith(CHARSET)
          && Arrays.stream(Mark.values()).noneMatch(mark -> mark.note.equals(note))) {
        throw new IllegalStateException(
            "Cannot read a source's state: expected known notes of columns, found '" + note + "'");
      }
    }
    return Optional.of(new ColumnBindings(renamed, dropped, unfilled));
  }

  private static boolean hasNotes(TableChange found) {
    String text = found.getTable().defaultCharsetName();
    return text != null && text.startsWith(BINDINGS);
  }

  private static List<String> notes(TableChange found) {
    String text = found.getTable().defaultCharsetName().substring(BINDINGS.length()).strip();
    return text.isEmpty() ? List.of() : List.of(text.split(" "));
  }

  private static TableChange withoutNotes(TableChange found) {
    if (!hasNotes(found)) {
      return found;
    }
    return withCharset(
        found,
        notes(found).stream()
            .filter(note -> note.startsWith(CHARSET))
            .map(note -> decoded(note.substring(CHARSET.length())))
            .findFirst()
            .orElse(null));
  }

  private static TableChange withCharset(TableChange found, String name) {
    return new TableChange(
        found.getType(), found.getTable().edit().setDefaultCharsetName(name).create());
  }

  /** Without blanks and colons. */
  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }

  private static String decoded(String name) {
    return URLDecoder.decode(name, StandardCharsets.UTF_8);
  }

  private static TableChange loose(TableChange change, RowLayout layout) {
    return new TableChange(change.getType(), of(change.getTable(), layout));
  }

  static Table of(Table table, RowLayout layout) {
    TableEditor editor = table.edit();
    Set<String> asBytes =
        layout.columns().stream()
            .filter(column -> !column.characterSet().isEmpty())
            .map(RowLayout.Column::name)
            .collect(Collectors.toSet());
    Set<String> asText =
        layout.columns().stream()
            .filter(RowLayout.Column::readAsText)
            .map(RowLayout.Column::name)
            .collect(Collectors.toSet());
    Set<String> shapes =
        layout.columns().stream()
            .filter(RowLayout.Column::isGeometry)
            .map(RowLayout.Column::name)
            .collect(Collectors.toSet());
    for (Column column : table.columns()) {
      if (shapes.contains(column.name())) {
        editor.updateColumn(column.edit().type("LONGBLOB").jdbcType(Types.BLOB).create());
        continue;
      }
      if (asText.contains(column.name())) {
        editor.updateColumn(
            column
                .edit()
                .type("VARCHAR")
                .jdbcType(Types.VARCHAR)
                .length(MOST_TIME_TEXT)
                .charsetName("utf8mb4")
                .optional(true)
                .unsetDefaultValueExpression()
                .create());
        continue;
      }
      if (asBytes.contains(column.name())) {
        editor.updateColumn(column.edit().charsetName("binary").create());
      }
      if (isTime(column) && !column.isOptional()) {
        editor.updateColumn(column.edit().optional(true).create());
      }
    }
    return editor.create();
  }

  private static boolean isTime(Column column) {
    return switch (column.jdbcType()) {
      case Types.DATE, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> true;
      default -> false;
    };
  }
}
