package io.tributary.ingest.row;

import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.SchemaChangeBehavior;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides from the source tables what their common table looks like, or says all that stands
 * against it.
 *
 * @param shardColumn the name for the column with the shard's number
 * @param key the key's columns when the registry names them; the primary key when empty
 * @param bucketColumn the key column that rows are spread by; the key itself when empty
 * @param columnTypes the types that the registry wants in the place of those that lose nothing
 * @param behavior whether shards may differ in what a change of columns brings: with {@link
 *     SchemaChangeBehavior#EVOLVE} the table has the columns of all shards, each as wide as the
 *     widest
 */
public record LayoutPlanner(
    String shardColumn,
    Optional<List<String>> key,
    Optional<String> bucketColumn,
    Map<String, ColumnTypeOverride> columnTypes,
    SchemaChangeBehavior behavior) {
  public LayoutPlanner {
    Objects.requireNonNull(shardColumn, "shardColumn");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(bucketColumn, "bucketColumn");
    columnTypes = Map.copyOf(columnTypes);
    Objects.requireNonNull(behavior, "behavior");
  }

  /**
   * The decision.
   *
   * @param layout of the rows
   * @param bucketColumn the column that rows are spread by
   */
  public record Plan(RowLayout layout, String bucketColumn) {}

  /**
   * @param tables of all shards of a group, at least one
   * @throws UnfitSourceException naming every table and column that stands against it
   */
  public Plan plan(List<SourceSchema> tables) {
    List<String> problems = new ArrayList<>();
    SourceSchema first = tables.get(0);
    for (SourceSchema table : tables) {
      checkColumns(table, problems);
      checkKey(table, problems);
    }
    // Of all shards so far, in the order in which they were found.
    Map<String, SourceColumn> merged = new LinkedHashMap<>();
    first.columns().forEach(column -> merged.put(column.name(), column));
    for (SourceSchema table : tables.subList(1, tables.size())) {
      if (behavior == SchemaChangeBehavior.EVOLVE) {
        merge(merged, first, table, problems);
      } else {
        compare(first, table, problems);
      }
    }
    checkColumnTypes(first, merged, problems);
    List<String> keyNames = key.orElse(first.primaryKey());
    String bucket = bucketColumn.orElse(keyNames.size() == 1 ? keyNames.get(0) : "");
    if (bucketColumn.isEmpty() && keyNames.size() > 1) {
      problems.add(
          "Cannot spread rows of %s: expected a bucket column for the composite key (%s), found none; name the key column with the most distinct values in the registry"
              .formatted(first.title(), String.join(", ", keyNames)));
    } else if (!keyNames.isEmpty() && !keyNames.contains(bucket)) {
      problems.add(
          "Cannot spread rows of %s by column '%s': expected one of the key (%s)"
              .formatted(first.title(), bucket, String.join(", ", keyNames)));
    }
    if (!problems.isEmpty()) {
      throw new UnfitSourceException(problems);
    }
    return new Plan(layout(merged.values(), keyNames), bucket);
  }

  private RowLayout layout(Collection<SourceColumn> columns, List<String> keyNames) {
    List<String> names = columns.stream().map(SourceColumn::name).toList();
    return new RowLayout(
        shardColumn,
        columns.stream()
            .map(column -> layoutColumn(column, (TypeMapping.Mapped) type(column)))
            .toList(),
        keyNames.stream().map(names::indexOf).toList());
  }

  /** A source column's place in a row of the table. */
  public static RowLayout.Column layoutColumn(SourceColumn column, TypeMapping.Mapped mapped) {
    return new RowLayout.Column(
        column.name(),
        mapped.type(),
        column.columnType(),
        column.characterSet(),
        column.nullable());
  }

  private void checkColumns(SourceSchema table, List<String> problems) {
    Set<String> seen = new HashSet<>();
    for (SourceColumn column : table.columns()) {
      if (column.name().equalsIgnoreCase(shardColumn)) {
        problems.add(
            "Cannot read %s: expected no column named '%s', found one; rename Tributary's own with 'shard-id-column' in the registry"
                .formatted(table.title(), column.name()));
      }
      if (!seen.add(column.name().toLowerCase(Locale.ROOT))) {
        problems.add(
            "Cannot read %s: expected column names that differ in more than case, found '%s' twice"
                .formatted(table.title(), column.name()));
      }
      if (column.name().contains("`")) {
        problems.add(
            "Cannot read column '%s' of %s: expected a name without backticks, which the change reader takes for two; rename it"
                .formatted(column.name(), table.title()));
      }
      if (type(column) instanceof TypeMapping.Refused refused) {
        problems.add(
            "Cannot read column '%s' of %s: expected a type that the table can hold without loss, found %s; %s"
                .formatted(column.name(), table.title(), refused.reason(), refused.cure()));
      }
    }
  }

  private TypeMapping.Answer type(SourceColumn column) {
    return TypeMapping.of(column, Optional.ofNullable(columnTypes.get(column.name())));
  }

  private void checkColumnTypes(
      SourceSchema table, Map<String, SourceColumn> columns, List<String> problems) {
    List<String> keyNames = key.orElse(table.primaryKey());
    for (String name : new TreeSet<>(columnTypes.keySet())) {
      if (!columns.containsKey(name)) {
        problems.add(
            "Cannot use 'column-types' of the registry for %s: expected its columns, found '%s', which it has not; take it out or correct the name"
                .formatted(table.title(), name));
      } else if (keyNames.contains(name)) {
        problems.add(
            "Cannot use 'column-types' of the registry for %s: expected columns that are not of the key (%s), found '%s'; a key keeps the type that loses nothing"
                .formatted(table.title(), String.join(", ", keyNames), name));
      }
    }
  }

  private void checkKey(SourceSchema table, List<String> problems) {
    if (key.isEmpty() && table.primaryKey().isEmpty()) {
      problems.add(
          "Cannot read %s: expected a primary key, found none; add one, or name the columns of a unique key that allows no NULL as 'key' in the registry"
              .formatted(table.title()));
      return;
    }
    List<String> names = key.orElse(table.primaryKey());
    if (key.isPresent()) {
      Set<String> wanted = new HashSet<>(names);
      boolean unique =
          wanted.equals(new HashSet<>(table.primaryKey()))
              || table.uniqueKeys().stream().anyMatch(one -> wanted.equals(new HashSet<>(one)));
      if (!unique) {
        problems.add(
            "Cannot use (%s) as the key of %s: expected the primary key or a unique key whose columns are NOT NULL, found none of these columns"
                .formatted(String.join(", ", names), table.title()));
        return;
      }
    }
    for (String name : names) {
      table
          .column(name)
          .filter(SourceColumn::hasEmptyLabel)
          .ifPresent(
              column ->
                  problems.add(
                      "Cannot use column '%s' in the key of %s: expected labels whose text stands for one value, found an empty one in %s, by which two rows would be one; use another key"
                          .formatted(name, table.title(), column.columnType())));
      table
          .column(name)
          .filter(column -> type(column) instanceof TypeMapping.Mapped)
          .map(column -> ((TypeMapping.Mapped) type(column)).type().kind())
          .filter(kind -> kind == ColumnType.Kind.FLOAT || kind == ColumnType.Kind.DOUBLE)
          .ifPresent(
              kind ->
                  problems.add(
                      "Cannot use column '%s' in the key of %s: expected a type with exact values, found %s; use another key"
                          .formatted(name, table.title(), kind)));
    }
  }

  /**
   * Shards change their columns one after the other: what one has and another lacks is nothing
   * against them, nor is a type that another's values fit into.
   */
  private void merge(
      Map<String, SourceColumn> merged,
      SourceSchema first,
      SourceSchema other,
      List<String> problems) {
    String where = expectedColumnsOf(first, other);
    for (SourceColumn theirs : other.columns()) {
      SourceColumn mine = merged.get(theirs.name());
      if (mine == null) {
        merged.keySet().stream()
            .filter(name -> name.equalsIgnoreCase(theirs.name()))
            .findFirst()
            .ifPresentOrElse(
                name ->
                    problems.add(
                        where
                            + "found '%s' where '%s' is expected; give the columns one name"
                                .formatted(theirs.name(), name)),
                () -> merged.put(theirs.name(), theirs));
        continue;
      }
      boolean ours = fitsInto(theirs, mine);
      if (!mine.characterSet().equals(theirs.characterSet())) {
        problems.add(where + otherCharacterSet(mine, theirs));
      } else if (!ours && !fitsInto(mine, theirs) || isOtherwiseWritten(mine, theirs)) {
        problems.add(where + otherType(mine, theirs));
      } else {
        SourceColumn wide = ours ? mine : theirs;
        merged.put(wide.name(), mine.nullable() || theirs.nullable() ? wide.orNull() : wide);
      }
    }
    comparePrimaryKeys(where, first, other, problems);
  }

  private boolean fitsInto(SourceColumn one, SourceColumn other) {
    return type(one).equals(type(other))
        || type(one) instanceof TypeMapping.Mapped narrow
            && type(other) instanceof TypeMapping.Mapped wide
            && narrow.type().fitsInto(wide.type());
  }

  private static String expectedColumnsOf(SourceSchema first, SourceSchema other) {
    return "Cannot read %s: expected the columns of %s, ".formatted(other.title(), first.title());
  }

  private static String otherCharacterSet(SourceColumn mine, SourceColumn theirs) {
    return "found '%s' in character set %s instead of %s; give the columns one"
        .formatted(
            theirs.name(), theirs.collation().orElse("none"), mine.collation().orElse("none"));
  }

  private static String otherType(SourceColumn mine, SourceColumn theirs) {
    return "found '%s' of type %s instead of %s"
        .formatted(mine.name(), theirs.columnType(), mine.columnType());
  }

  /** Types whose values are read in ways of their own, though the table has one type for both. */
  private static boolean isOtherwiseWritten(SourceColumn mine, SourceColumn theirs) {
    return mine.dataType().equals("year") != theirs.dataType().equals("year")
        || mine.dataType().equals("time") != theirs.dataType().equals("time");
  }

  private static void comparePrimaryKeys(
      String where, SourceSchema first, SourceSchema other, List<String> problems) {
    if (!first.primaryKey().equals(other.primaryKey())) {
      problems.add(
          where
              + "found primary key %s instead of %s"
                  .formatted(other.primaryKey(), first.primaryKey()));
    }
  }

  /** All shards of one table must have equal columns; each difference is said. */
  private void compare(SourceSchema first, SourceSchema other, List<String> problems) {
    String where = expectedColumnsOf(first, other);
    for (int i = 0; i < Math.max(first.columns().size(), other.columns().size()); i++) {
      if (i >= first.columns().size()) {
        problems.add(where + "found also '" + other.columns().get(i).name() + "'");
      } else if (i >= other.columns().size()) {
        problems.add(where + "found no '" + first.columns().get(i).name() + "'");
      } else {
        SourceColumn mine = first.columns().get(i);
        SourceColumn theirs = other.columns().get(i);
        if (!mine.name().equals(theirs.name())) {
          problems.add(
              where
                  + "found '%s' where '%s' is expected (column %d)"
                      .formatted(theirs.name(), mine.name(), i + 1));
        } else if (!mine.characterSet().equals(theirs.characterSet())) {
          problems.add(where + otherCharacterSet(mine, theirs));
        } else if (!type(mine).equals(type(theirs)) || isOtherwiseWritten(mine, theirs)) {
          problems.add(where + otherType(mine, theirs));
        }
      }
    }
    comparePrimaryKeys(where, first, other, problems);
  }
}
