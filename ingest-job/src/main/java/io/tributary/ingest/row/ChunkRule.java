package io.tributary.ingest.row;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides how the initial snapshot cuts a group's tables into chunks. The connector compares chunk
 * bounds in Java, by value for numbers but by text for all else, so that with a case-insensitive or
 * binary key rows are read twice or missed. Only whole numbers and decimals of the key are cut by;
 * a table without one is read as one chunk, in memory, so it must be small.
 */
public final class ChunkRule {
  /** The most rows, by the server's estimate, of a table that is read as one chunk. */
  public static final int MOST_ROWS_IN_ONE_CHUNK = 500_000;

  /** The same by count: estimates of a server may be off by half. */
  public static final int MOST_ROWS_READ_WHOLE = 2 * MOST_ROWS_IN_ONE_CHUNK;

  private ChunkRule() {}

  /**
   * The decision.
   *
   * @param column to cut by; each table is one chunk when empty
   * @param chunkSize rows per chunk, or the most rows of a table when there is no column
   * @param reason for the log
   */
  public record Decision(Optional<String> column, int chunkSize, String reason) {
    public Decision {
      Objects.requireNonNull(column, "column");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * @param tables of all shards of a group, with equal columns
   * @param plan of their rows
   * @param named the column that the registry names, if it does
   * @param chunkSize rows per chunk, at least 2
   * @throws UnfitSourceException when the named column is unfit, or a table without a fit one is
   *     too large
   */
  public static Decision decide(
      List<SourceSchema> tables, LayoutPlanner.Plan plan, Optional<String> named, int chunkSize) {
    SourceSchema first = tables.get(0);
    if (named.isPresent()) {
      if (!fits(first, named.get())) {
        throw new UnfitSourceException(
            List.of(
                "Cannot cut %s into chunks by column '%s': expected a whole number or decimal column of the primary key (%s)"
                    .formatted(first.title(), named.get(), String.join(", ", first.primaryKey()))));
      }
      return new Decision(
          named,
          chunkSize,
          "chunks of " + chunkSize + " rows by column '" + named.get() + "', as the registry says");
    }
    List<String> candidates = new ArrayList<>();
    // Of a composite key the bucket column has the most distinct values, so its chunks are small.
    candidates.add(plan.bucketColumn());
    candidates.addAll(first.primaryKey());
    for (String candidate : candidates) {
      if (fits(first, candidate)) {
        return new Decision(
            Optional.of(candidate),
            chunkSize,
            "chunks of " + chunkSize + " rows by key column '" + candidate + "'");
      }
    }
    List<String> problems =
        tables.stream()
            .filter(table -> table.estimatedRows() > MOST_ROWS_IN_ONE_CHUNK)
            .map(
                table ->
                    "Cannot copy %s: expected a whole number or decimal column in the primary key to cut about %d rows into chunks by, or at most %d rows, found key (%s); without one, rows would be read twice or missed"
                        .formatted(
                            table.title(),
                            table.estimatedRows(),
                            MOST_ROWS_IN_ONE_CHUNK,
                            String.join(", ", table.primaryKey())))
            .toList();
    if (!problems.isEmpty()) {
      throw new UnfitSourceException(problems);
    }
    return new Decision(
        Optional.empty(),
        MOST_ROWS_READ_WHOLE,
        "one chunk per table, since no key column is a whole number or decimal");
  }

  private static boolean fits(SourceSchema table, String name) {
    return table.primaryKey().contains(name)
        && table
            .column(name)
            .filter(
                column ->
                    switch (column.dataType()) {
                      case "tinyint", "smallint", "mediumint", "int", "integer", "bigint" -> true;
                      case "decimal", "numeric" ->
                          column.precision().orElse(ColumnType.MOST_DIGITS) <= 18;
                      default -> false;
                    })
            .isPresent();
  }
}
