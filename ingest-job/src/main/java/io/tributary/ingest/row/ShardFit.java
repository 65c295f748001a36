package io.tributary.ingest.row;

import io.tributary.protocol.RequestedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the columns of one shard fit the table as it is.
 *
 * @param layout the shard's columns with the types that they have in the table, as far as it has
 *     them; to be used only when nothing is missing and nothing stands against it
 * @param missing what the table has to get first, without loss for anybody
 * @param problems what stands against it for good: "expected X, found Y"
 */
public record ShardFit(RowLayout layout, List<RequestedColumn> missing, List<String> problems) {
  public ShardFit {
    missing = List.copyOf(missing);
    problems = List.copyOf(problems);
  }

  /**
   * @param shard the shard's columns with the types that lose nothing of them
   * @param table as it is
   */
  public static ShardFit of(RowLayout shard, TableColumns table) {
    List<RowLayout.Column> columns = new ArrayList<>();
    List<RequestedColumn> missing = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (RowLayout.Column column : shard.columns()) {
      Optional<TableColumns.Column> there = table.column(column.name());
      if (there.isEmpty()) {
        table.columns().stream()
            .filter(other -> other.name().equalsIgnoreCase(column.name()))
            .findFirst()
            .ifPresentOrElse(
                other ->
                    problems.add(
                        "expected column '%s' as the table writes it, found '%s'"
                            .formatted(other.name(), column.name())),
                () -> missing.add(request(column)));
        columns.add(column);
        continue;
      }
      Optional<ColumnType> type = there.get().type();
      if (type.filter(wide -> column.type().fitsInto(wide)).isPresent()) {
        columns.add(column.as(type.get()));
      } else {
        if (type.filter(narrow -> narrow.fitsInto(column.type())).isPresent()) {
          missing.add(request(column));
        } else {
          problems.add(
              "expected column '%s' of a type that fits into the table's %s, found %s (%s)"
                  .formatted(
                      column.name(),
                      type.map(ColumnType::toString).orElse("own type"),
                      column.sourceType(),
                      column.type()));
        }
        columns.add(column);
      }
    }
    for (TableColumns.Column column : table.columns()) {
      if (column.required()
          && !column.name().equals(shard.shardColumn())
          && shard.columns().stream().noneMatch(mine -> mine.name().equals(column.name()))) {
        problems.add("expected a value for required column '" + column.name() + "', found none");
      }
    }
    return new ShardFit(
        new RowLayout(shard.shardColumn(), columns, shard.key()), missing, problems);
  }

  private static RequestedColumn request(RowLayout.Column column) {
    return new RequestedColumn(column.name(), column.type().toString());
  }

  /** Whether rows can be written now. */
  public boolean fits() {
    return missing.isEmpty() && problems.isEmpty();
  }
}
