package io.tributary.ingest.row;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.RequestedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How the columns of one shard fit the table as it is. A column belongs to the table's column of
 * its name, unless it is known to be another one that was renamed.
 *
 * @param layout the shard's columns with the names and types that they have in the table, as far as
 *     it has them; to be used only when nothing is missing and nothing stands against it
 * @param missing what the table has to get first, without loss for anybody
 * @param problems what stands against it for good: "expected X, found Y"
 * @param bindings what is to be remembered of the columns
 * @param differences from the table's columns
 */
public record ShardFit(
    RowLayout layout,
    List<RequestedColumn> missing,
    List<String> problems,
    ColumnBindings bindings,
    ColumnDifferences differences) {
  public ShardFit {
    missing = List.copyOf(missing);
    problems = List.copyOf(problems);
  }

  /**
   * The fit of a shard whose columns were never renamed, in a table where none is being renamed.
   */
  public static ShardFit of(RowLayout shard, TableColumns table) {
    return of(shard, table, ColumnBindings.NONE, Map.of());
  }

  /**
   * @param shard the shard's columns with the types that lose nothing of them
   * @param table as it is
   * @param known what is remembered of the shard's columns
   * @param elsewhere by the name that other shards gave to a column of the table, its field
   */
  public static ShardFit of(
      RowLayout shard, TableColumns table, ColumnBindings known, Map<String, Integer> elsewhere) {
    return new Fitting(shard, table, known.of(shard.names()), elsewhere).fit();
  }

  /** Whether rows can be written now. */
  public boolean fits() {
    return missing.isEmpty() && problems.isEmpty();
  }

  /** A comparison under way. */
  private static final class Fitting {
    private final RowLayout shard;
    private final TableColumns table;
    private final Map<String, Integer> elsewhere;
    private final List<String> names;
    private final List<RequestedColumn> missing = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private ColumnBindings bindings;

    Fitting(
        RowLayout shard, TableColumns table, ColumnBindings known, Map<String, Integer> elsewhere) {
      this.shard = shard;
      this.table = table;
      this.bindings = known;
      this.elsewhere = elsewhere;
      this.names = shard.names();
    }

    ShardFit fit() {
      List<RowLayout.Column> columns = new ArrayList<>();
      TreeMap<Integer, String> renamed = new TreeMap<>();
      TreeSet<Integer> unfilled = new TreeSet<>();
      for (RowLayout.Column column : shard.columns()) {
        int before = problems.size();
        Optional<TableColumns.Column> there = there(column.name());
        if (there.isEmpty()) {
          if (problems.size() == before) {
            missing.add(new RequestedColumn(column.name(), column.type().toString()));
          }
          columns.add(column);
          continue;
        }
        TableColumns.Column field = there.get();
        if (!field.name().equals(column.name())) {
          renamed.put(field.fieldId(), column.name());
          bindings = bindings.with(column.name(), field);
        }
        if (bindings.unfilled().contains(column.name())) {
          unfilled.add(field.fieldId());
        }
        columns.add(typed(column, field));
      }
      required(columns);
      TreeSet<Integer> dropped = new TreeSet<>(bindings.dropped());
      dropped.removeIf(field -> table.field(field).isEmpty() || renamed.containsKey(field));
      return new ShardFit(
          new RowLayout(shard.shardColumn(), columns, shard.key()),
          missing,
          problems,
          bindings,
          new ColumnDifferences(renamed, dropped, unfilled));
    }

    /** The table's column that a column of the source belongs to. */
    private Optional<TableColumns.Column> there(String name) {
      Optional<TableColumns.Column> bound = bindings.bound(name, table);
      if (bound.isPresent()) {
        return bound;
      }
      Optional<TableColumns.Column> same = table.column(name);
      if (same.isPresent()) {
        Optional<String> holder = holder(same.get());
        if (holder.isPresent()) {
          problems.add(
              "expected no column '%s' until the table's column of that name, which is the shard's '%s', is renamed too, found one"
                  .formatted(name, holder.get()));
        } else if (bindings.dropped().contains(same.get().fieldId())) {
          problems.add(
              "expected column '%s', which the shard dropped, to stay away as long as the table has it, found one that was added anew: rows of before have other values in the table"
                  .formatted(name));
        }
        return same;
      }
      Optional<TableColumns.Column> meant =
          Optional.ofNullable(elsewhere.get(name)).flatMap(table::field);
      if (meant.isPresent()) {
        String old = meant.get().name();
        if (names.contains(old)
            || holder(meant.get()).isPresent()
            || bindings.dropped().contains(meant.get().fieldId())) {
          problems.add(
              "expected column '%s' to be '%s' renamed, as it is at other shards, found a column of its own"
                  .formatted(name, old));
        }
        return meant;
      }
      return otherName(name);
    }

    /** The column of the source that a table's column is bound to. */
    private Optional<String> holder(TableColumns.Column column) {
      return bindings.renamed().keySet().stream()
          .filter(
              name ->
                  bindings
                      .bound(name, table)
                      .filter(found -> found.fieldId() == column.fieldId())
                      .isPresent())
          .findFirst();
    }

    /**
     * A name that the table does not have now: asked for it would be a second column by accident.
     */
    private Optional<TableColumns.Column> otherName(String name) {
      table.columns().stream()
          .filter(other -> other.formerNames().contains(name))
          .filter(other -> !names.contains(other.name()) && holder(other).isEmpty())
          .filter(other -> !bindings.dropped().contains(other.fieldId()))
          .findFirst()
          .ifPresentOrElse(
              other ->
                  problems.add(
                      "expected column '%s' under the name that the table's column has by now, '%s', found the former one"
                          .formatted(name, other.name())),
              () ->
                  table.columns().stream()
                      .filter(other -> other.name().equalsIgnoreCase(name))
                      .findFirst()
                      .ifPresent(
                          other ->
                              problems.add(
                                  "expected column '%s' as the table writes it, found '%s'"
                                      .formatted(other.name(), name))));
      return Optional.empty();
    }

    private RowLayout.Column typed(RowLayout.Column column, TableColumns.Column field) {
      Optional<ColumnType> type = field.type();
      if (type.filter(wide -> column.type().fitsInto(wide)).isPresent()) {
        return column.as(type.get()).in(field.name());
      }
      if (type.filter(narrow -> narrow.fitsInto(column.type())).isPresent()) {
        missing.add(
            field.name().equals(column.name())
                ? new RequestedColumn(column.name(), column.type().toString())
                : new RequestedColumn(
                    field.name(), column.type().toString(), Optional.of(field.fieldId())));
      } else {
        problems.add(
            "expected column '%s' of a type that fits into the table's %s, found %s (%s)"
                .formatted(
                    column.name(),
                    type.map(ColumnType::toString).orElse("own type"),
                    column.sourceType(),
                    column.type()));
      }
      return column.in(field.name());
    }

    private void required(List<RowLayout.Column> columns) {
      var present = columns.stream().map(RowLayout.Column::tableName).collect(Collectors.toSet());
      for (TableColumns.Column column : table.columns()) {
        if (column.required()
            && !column.name().equals(shard.shardColumn())
            && !present.contains(column.name())) {
          problems.add("expected a value for required column '" + column.name() + "', found none");
        }
      }
    }
  }
}
