package io.tributary.ingest.source;

import io.debezium.relational.Column;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.UnfitSourceException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Says which columns of a table are the same ones before and behind a statement. */
final class ColumnChanges {
  private ColumnChanges() {}

  /**
   * @param clauses what the statement says of single columns; nothing when it is not known
   * @throws UnfitSourceException when a column may be in the place of another and nothing says
   *     which: taken for a new one, or for the one of its name, the table would hold values in the
   *     wrong place
   */
  static ColumnBindings.Change between(
      TableChange before, TableChange after, AlterClauses clauses) {
    List<String> were = ShardSchemas.columnNames(before);
    List<String> are = ShardSchemas.columnNames(after);
    TreeMap<String, String> renamed = new TreeMap<>();
    for (AlterClauses.Renamed clause : clauses.renamed()) {
      Optional<String> from = find(were, clause.from());
      Optional<String> to = find(are, clause.to());
      if (from.isEmpty() || from.equals(to)) {
        // Of nothing that is there (IF EXISTS), or only another type.
        continue;
      }
      // The change reader applies clauses one after the other and loses columns that hand their
      // names on, so that what it says is there need not be.
      boolean handedOn =
          clauses.renamed().stream()
              .anyMatch(other -> other != clause && other.from().equalsIgnoreCase(clause.to()));
      boolean taken = find(were, clause.to()).filter(name -> !name.equals(from.get())).isPresent();
      if (to.isEmpty() || handedOn || taken || are.contains(from.get())) {
        throw unfit(
            "expected renamed columns to get names that no other column had, and to leave theirs, found '%s' renamed to '%s'"
                .formatted(from.get(), clause.to()));
      }
      renamed.put(to.get(), from.get());
    }
    for (String name : clauses.dropped()) {
      Optional<String> was = find(were, name);
      if (was.isPresent() && clauses.added().stream().anyMatch(name::equalsIgnoreCase)) {
        throw unfit(
            "expected columns that stay, come or go, found column '%s' dropped and added anew in one statement"
                .formatted(was.get()));
      }
    }
    List<String> gone =
        were.stream().filter(name -> !are.contains(name) && !renamed.containsValue(name)).toList();
    List<String> come =
        are.stream().filter(name -> !were.contains(name) && !renamed.containsKey(name)).toList();
    if (!gone.isEmpty() && !come.isEmpty()) {
      throw unfit(
          "expected columns that come or widen, found columns %s in the place of %s"
              .formatted(come, gone));
    }
    List<String> filled =
        come.stream().filter(name -> isFilled(after.getTable().columnWithName(name))).toList();
    return new ColumnBindings.Change(renamed, gone, filled);
  }

  private static Optional<String> find(List<String> names, String name) {
    return names.contains(name)
        ? Optional.of(name)
        : names.stream().filter(name::equalsIgnoreCase).findFirst();
  }

  /** Whether a column gave each row that was there a value when it came. */
  private static boolean isFilled(Column column) {
    return !column.isOptional()
        || column.isGenerated()
        || column
            .defaultValueExpression()
            .filter(value -> !value.equalsIgnoreCase("null"))
            .isPresent();
  }

  private static UnfitSourceException unfit(String problem) {
    return new UnfitSourceException(List.of(problem));
  }
}
