package io.tributary.ingest.row;

import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Decides how the initial snapshot cuts a group's tables into chunks. The connector compares chunk
 * bounds in Java, by value for numbers but by text for all else, so that with a case-insensitive or
 * binary key rows are read twice or missed. Only whole numbers and decimals of the key are cut by;
 * a table without one is read as one chunk, in memory, so it must be small. All rows of one value
 * of the column are in one chunk, whatever its size should be, so these must be few as well.
 */
public final class ChunkRule {
  /** The most rows, by the server's estimate, of a table that is read as one chunk. */
  public static final int MOST_ROWS_IN_ONE_CHUNK = 500_000;

  /** The same by count: estimates of a server may be off by half. */
  public static final int MOST_ROWS_READ_WHOLE = 2 * MOST_ROWS_IN_ONE_CHUNK;

  /** By how many times a chunk may be larger than asked for before that is worth a word. */
  public static final int COARSE = 4;

  private ChunkRule() {}

  /**
   * The decision.
   *
   * @param column to cut by; each table is one chunk when empty
   * @param chunkSize rows per chunk, or the most rows of a table when there is no column
   * @param reason for the log
   * @param warnings of chunks that are far larger than asked for, one sentence each
   */
  public record Decision(
      Optional<String> column, int chunkSize, String reason, List<String> warnings) {
    public Decision {
      warnings = List.copyOf(warnings);
      Objects.requireNonNull(column, "column");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** The decision when every table is to be copied. */
  public static Decision decide(
      List<SourceSchema> tables, LayoutPlanner.Plan plan, Optional<String> named, int chunkSize) {
    return decide(tables, plan, named, chunkSize, Set.of());
  }

  /**
   * @param tables of all shards of a group, with equal columns
   * @param plan of their rows
   * @param named the column that the registry names, if it does
   * @param chunkSize rows per chunk, at least 2
   * @param copied shards that are copied already, and may be of any size
   * @throws UnfitSourceException when the named column is unfit, or a table that is to be copied
   *     would have too many rows in one chunk
   */
  public static Decision decide(
      List<SourceSchema> tables,
      LayoutPlanner.Plan plan,
      Optional<String> named,
      int chunkSize,
      Set<ShardId> copied) {
    List<SourceSchema> toCopy =
        tables.stream().filter(table -> !copied.contains(table.shard())).toList();
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
          "chunks of " + chunkSize + " rows by column '" + named.get() + "', as the registry says",
          judged(toCopy, named.get(), chunkSize));
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
            "chunks of " + chunkSize + " rows by key column '" + candidate + "'",
            judged(toCopy, candidate, chunkSize));
      }
    }
    List<String> problems =
        toCopy.stream()
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
        "one chunk per table, since no key column is a whole number or decimal",
        List.of());
  }

  /**
   * About how many rows of a table share a value of a column, by the server's estimates; empty when
   * it has none.
   */
  public static OptionalLong rowsOfOneValue(SourceSchema table, String column) {
    Long distinct = table.distinctValues().get(column);
    return distinct == null
        ? OptionalLong.empty()
        : OptionalLong.of(table.estimatedRows() / distinct);
  }

  /**
   * What is worth a word of tables that are cut by a column.
   *
   * @throws UnfitSourceException when a chunk of one would hold too many rows
   */
  private static List<String> judged(List<SourceSchema> toCopy, String column, int chunkSize) {
    List<String> problems = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    for (SourceSchema table : toCopy) {
      long each = rowsOfOneValue(table, column).orElse(0);
      if (each <= (long) COARSE * chunkSize) {
        continue;
      }
      boolean tooMany = each > MOST_ROWS_IN_ONE_CHUNK;
      (tooMany ? problems : warnings)
          .add(
              "Cannot copy %s in chunks of %d rows: expected at most %d rows with the same '%s', which are one chunk, held in memory, found about %d different values in about %d rows, about %d rows each; cure: name a whole number column of the primary key with more different values as 'scan.incremental.snapshot.chunk.key-column' of the table in the registry, or run ANALYZE TABLE if the server's estimates are wrong"
                  .formatted(
                      table.title(),
                      chunkSize,
                      tooMany ? MOST_ROWS_IN_ONE_CHUNK : COARSE * chunkSize,
                      column,
                      table.distinctValues().get(column),
                      table.estimatedRows(),
                      each));
    }
    if (!problems.isEmpty()) {
      throw new UnfitSourceException(problems);
    }
    return warnings;
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
