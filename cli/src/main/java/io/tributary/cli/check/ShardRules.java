package io.tributary.cli.check;

import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableKey;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.regex.Pattern;

/** Judges the shards of one table: each by itself, and whether all have the same columns. */
final class ShardRules {
  /** As MariaDB writes it behind the type; the labels of an ENUM may hold the word too. */
  private static final Pattern COMPRESSED =
      Pattern.compile("/\\*M?!\\d+ COMPRESSED", Pattern.CASE_INSENSITIVE);

  private ShardRules() {}

  /**
   * @param found what the servers that answered say of the table's shards
   */
  static List<Finding> judge(TableSpec table, SortedMap<ShardSpec, ShardFacts> found) {
    List<Finding> findings = new ArrayList<>();
    found.forEach((shard, facts) -> alone(table, shard, facts, findings));
    usual(found.values()).ifPresent(usual -> differences(usual, found, findings));
    return findings;
  }

  /** How findings and tables name a shard. */
  static String subject(ShardSpec shard) {
    return "shard %s of %s (%s on %s)"
        .formatted(shard.id(), shard.table(), shard.source(), shard.server());
  }

  private static void alone(
      TableSpec table, ShardSpec shard, ShardFacts facts, List<Finding> findings) {
    String subject = subject(shard);
    if (!facts.readable()) {
      findings.add(
          Finding.error(
              "table-missing",
              subject,
              facts
                  .kind()
                  .map(kind -> "a " + kind.toLowerCase(java.util.Locale.ROOT))
                  .orElse("no such table, or no right to see it"),
              "its group's job refuses to start",
              "correct 'database' and 'table' in the registry (names are exact), or grant SELECT"));
      return;
    }
    facts
        .engine()
        .filter(engine -> !engine.equalsIgnoreCase("InnoDB"))
        .ifPresent(
            engine ->
                findings.add(
                    Finding.warning(
                        "engine",
                        subject,
                        "storage engine " + engine,
                        "without transactions, a statement that fails half way leaves rows that a"
                            + " copy in progress may see twice or not at all",
                        "ALTER TABLE ... ENGINE=InnoDB")));
    for (String cascade : facts.cascades()) {
      findings.add(
          Finding.error(
              "foreign-key-cascade",
              subject,
              "foreign key " + cascade,
              "rows that the server changes by it are not in the binlog: the table would keep them",
              "replace the rule by statements of the application, or drop the foreign key"));
    }
    facts
        .columns()
        .forEach(
            (column, type) -> {
              if (COMPRESSED.matcher(type).find()) {
                findings.add(
                    Finding.error(
                        "column-compressed",
                        subject,
                        "column '%s' %s".formatted(column, type),
                        "its values are compressed in the binlog and cannot be read",
                        "ALTER TABLE ... MODIFY the column without COMPRESSED"));
              }
            });
    key(table, facts)
        .ifPresent(
            problem ->
                findings.add(
                    Finding.error(
                        "no-key",
                        subject,
                        problem,
                        "a row that changes could not be found again in the table",
                        "give the table a primary key, or name the columns of a unique key that"
                            + " allows no NULL as 'key'")));
    if (facts.columns().keySet().stream().anyMatch(table.shardIdColumn()::equalsIgnoreCase)) {
      findings.add(
          Finding.error(
              "shard-id-column",
              subject,
              "a column named '" + table.shardIdColumn() + "'",
              "Tributary adds a column of that name",
              "set 'shard-id-column' of table " + table.name() + " to another name"));
    }
  }

  private static Optional<String> key(TableSpec table, ShardFacts facts) {
    if (table.key() instanceof TableKey.Columns columns) {
      boolean there =
          facts.keys().entrySet().stream()
              .anyMatch(
                  key ->
                      !facts.nullableKeys().contains(key.getKey())
                          && key.getValue().size() == columns.names().size()
                          && key.getValue().containsAll(columns.names()));
      return there
          ? Optional.empty()
          : Optional.of("no unique key without NULL over " + columns.names());
    }
    return facts.keys().containsKey(ShardFacts.PRIMARY)
        ? Optional.empty()
        : Optional.of("no primary key");
  }

  /** The columns that most shards have. */
  private static Optional<Map<String, String>> usual(Collection<ShardFacts> all) {
    Map<Map<String, String>, Integer> counts = new LinkedHashMap<>();
    all.stream()
        .filter(ShardFacts::readable)
        .forEach(facts -> counts.merge(facts.columns(), 1, Integer::sum));
    return counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
  }

  private static void differences(
      Map<String, String> usual, SortedMap<ShardSpec, ShardFacts> found, List<Finding> findings) {
    found.forEach(
        (shard, facts) -> {
          if (!facts.readable()) {
            return;
          }
          List<String> differences = new ArrayList<>();
          usual.forEach(
              (column, type) -> {
                String here = facts.columns().get(column);
                if (here == null) {
                  differences.add("no column '%s' (%s)".formatted(column, type));
                } else if (!here.equals(type)) {
                  differences.add("column '%s' is %s, not %s".formatted(column, here, type));
                }
              });
          facts
              .columns()
              .forEach(
                  (column, type) -> {
                    if (!usual.containsKey(column)) {
                      differences.add("a further column '%s' (%s)".formatted(column, type));
                    }
                  });
          if (!differences.isEmpty()) {
            findings.add(
                Finding.warning(
                    "columns-differ",
                    subject(shard),
                    String.join("; ", differences),
                    "not as most shards of the table; where the table cannot hold both, the job"
                        + " says so when it is submitted and does not start",
                    "ALTER TABLE it to what the other shards have"));
          }
        });
  }
}
