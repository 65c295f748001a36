package io.tributary.ingest.row;

import io.tributary.protocol.ColumnDifferences;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a source remembers of a shard's columns that their names do not say.
 *
 * @param renamed columns by the name that they have at the source now
 * @param dropped fields of the table whose column the shard had, and dropped: one that comes under
 *     the same name is another column
 * @param unfilled columns that came with a value in the shard's old rows, by their name at the
 *     source
 */
public record ColumnBindings(
    SortedMap<String, Binding> renamed, SortedSet<Integer> dropped, SortedSet<String> unfilled) {
  /** Of a shard whose columns are those of the same names. */
  public static final ColumnBindings NONE =
      new ColumnBindings(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());

  /**
   * A column that was renamed.
   *
   * @param fieldId the field of the table that its values are written to
   * @param names that it had, one after the other: the table's column has one of them, or its name
   *     of now, or is another's
   */
  public record Binding(int fieldId, List<String> names) {
    public Binding {
      names = List.copyOf(names);
    }

    private Binding with(String name) {
      if (names.contains(name)) {
        return this;
      }
      List<String> all = new ArrayList<>(names);
      all.add(name);
      return new Binding(fieldId, all);
    }
  }

  /**
   * How a shard's columns changed at once.
   *
   * @param renamed to each new name the one before
   * @param gone names of columns that are there no more
   * @param filled names of new columns that have a value in old rows
   */
  public record Change(SortedMap<String, String> renamed, List<String> gone, List<String> filled) {
    public Change {
      renamed = Collections.unmodifiableSortedMap(new TreeMap<>(renamed));
      gone = List.copyOf(gone);
      filled = List.copyOf(filled);
    }
  }

  public ColumnBindings {
    renamed = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, Binding>) renamed));
    dropped = Collections.unmodifiableSortedSet(new TreeSet<>(dropped));
    unfilled = Collections.unmodifiableSortedSet(new TreeSet<>(unfilled));
  }

  /**
   * What the table remembers of a shard that goes on from there.
   *
   * @param rewritten whether all rows of the shard are copied anew: nothing of before is in the way
   */
  public static ColumnBindings of(ColumnDifferences known, TableColumns table, boolean rewritten) {
    TreeMap<String, Binding> renamed = new TreeMap<>();
    known
        .renamed()
        .forEach(
            (field, name) ->
                table
                    .field(field)
                    .ifPresent(
                        column -> renamed.put(name, new Binding(field, List.of(column.name())))));
    if (rewritten) {
      return new ColumnBindings(renamed, new TreeSet<>(), new TreeSet<>());
    }
    TreeSet<String> unfilled = new TreeSet<>();
    for (int field : known.unfilled()) {
      Optional.ofNullable(known.renamed().get(field))
          .or(() -> table.field(field).map(TableColumns.Column::name))
          .ifPresent(unfilled::add);
    }
    return new ColumnBindings(renamed, known.dropped(), unfilled);
  }

  public boolean isEmpty() {
    return renamed.isEmpty() && dropped.isEmpty() && unfilled.isEmpty();
  }

  /** The field of the table that a column belongs to, whatever its name is there. */
  public Optional<TableColumns.Column> bound(String name, TableColumns table) {
    Binding binding = renamed.get(name);
    // Metadata that was put back may give the number to another column.
    return binding == null
        ? Optional.empty()
        : table
            .field(binding.fieldId())
            .filter(
                column -> column.name().equals(name) || binding.names().contains(column.name()));
  }

  /**
   * The bindings behind a change.
   *
   * @param table as it is, which had all columns of before
   */
  public ColumnBindings behind(Change change, TableColumns table) {
    TreeMap<String, Binding> names = new TreeMap<>(renamed);
    TreeSet<Integer> without = new TreeSet<>(dropped);
    TreeSet<String> open = new TreeSet<>(unfilled);
    for (String gone : change.gone()) {
      bound(gone, table)
          .or(() -> table.column(gone))
          .ifPresent(column -> without.add(column.fieldId()));
      names.remove(gone);
      open.remove(gone);
    }
    TreeMap<String, Binding> come = new TreeMap<>();
    change
        .renamed()
        .forEach(
            (to, from) -> {
              Optional<Binding> known = Optional.ofNullable(names.remove(from));
              known
                  .or(
                      () ->
                          table
                              .column(from)
                              .map(column -> new Binding(column.fieldId(), List.of(from))))
                  .ifPresent(binding -> come.put(to, binding.with(from)));
              if (open.remove(from)) {
                open.add(to);
              }
            });
    names.putAll(come);
    open.addAll(change.filled());
    return new ColumnBindings(names, without, open);
  }

  /** The same of a shard that has no rows: nothing of before is in the way. */
  public ColumnBindings withoutRows() {
    return new ColumnBindings(renamed, new TreeSet<>(), new TreeSet<>());
  }

  /** The same, of columns that are there only. */
  ColumnBindings of(Collection<String> present) {
    TreeMap<String, Binding> names = new TreeMap<>(renamed);
    names.keySet().retainAll(present);
    TreeSet<String> open = new TreeSet<>(unfilled);
    open.retainAll(present);
    return new ColumnBindings(names, dropped, open);
  }

  /** The same, and that a column belongs to one of another name. */
  ColumnBindings with(String name, TableColumns.Column column) {
    Objects.requireNonNull(name, "name");
    TreeMap<String, Binding> names = new TreeMap<>(renamed);
    names.merge(
        name,
        new Binding(column.fieldId(), List.of(column.name())),
        (known, now) -> known.fieldId() == now.fieldId() ? known.with(column.name()) : now);
    return new ColumnBindings(names, dropped, unfilled);
  }
}
