package io.tributary.cli.check;

import io.tributary.ingest.row.ChunkRule;
import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.ingest.server.LossRules;
import io.tributary.ingest.source.SourcePlanner;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * Judges the shards of one table: each by itself, and whether all have the same columns. What a job
 * refuses is asked of the job's own rules.
 */
final class ShardRules {
  private static final String START_REFUSED = "its group's job refuses to start";

  /**
   * A chunk is held in memory: one of so many times the rows that were asked for is worth a word.
   */
  private static final int COARSE = 4;

  /** Fewer chunks than this are not worth a word about how they are found. */
  private static final int MANY_CHUNKS = 100;

  private final Registry registry;
  private final RegistryPlaces places;
  private final TableSpec table;
  private final LayoutPlanner planner;
  private final SortedMap<ShardSpec, ShardFacts> found;
  private final List<Finding> findings = new ArrayList<>();

  /** Shards that are refused as they are say nothing of the others. */
  private final Set<ShardSpec> refused = new HashSet<>();

  /** What was said of a shard alone is not said of many again. */
  private final Set<String> said = new HashSet<>();

  private ShardRules(
      Registry registry,
      RegistryPlaces places,
      TableSpec table,
      SortedMap<ShardSpec, ShardFacts> found) {
    this.registry = registry;
    this.places = places;
    this.table = table;
    this.planner = SourcePlanner.layoutPlanner(table);
    this.found = found;
  }

  /**
   * @param found what the servers that answered say of the table's shards
   */
  static List<Finding> judge(
      Registry registry,
      RegistryPlaces places,
      TableSpec table,
      SortedMap<ShardSpec, ShardFacts> found) {
    ShardRules rules = new ShardRules(registry, places, table, found);
    found.forEach(rules::alone);
    rules.together();
    rules.usual().ifPresent(rules::differences);
    rules.types();
    return rules.findings;
  }

  /** How findings and tables name a shard. */
  static String subject(ShardSpec shard) {
    return "shard %s of %s (%s on %s, group %s)"
        .formatted(shard.id(), shard.table(), shard.source(), shard.server(), shard.group());
  }

  private void add(ShardSpec shard, Finding finding) {
    findings.add(finding.at(places.shard(shard.table(), shard.id())));
  }

  private void alone(ShardSpec shard, ShardFacts facts) {
    String subject = subject(shard);
    if (!facts.readable()) {
      add(
          shard,
          Finding.error(
              "table-missing",
              subject,
              facts
                  .kind()
                  .map(kind -> "a " + kind.toLowerCase(Locale.ROOT))
                  .orElse("no such table, or no right to see it"),
              START_REFUSED,
              "correct 'database' and 'table' in the registry (names are exact), or grant SELECT"));
      return;
    }
    facts
        .refused()
        .ifPresent(
            refusal ->
                add(
                    shard,
                    Finding.error(
                        "select-refused",
                        subject,
                        refusal,
                        "its rows cannot be copied",
                        "GRANT SELECT ON %s.* TO the user of server %s"
                            .formatted(shard.source().database(), shard.server()))));
    facts
        .engine()
        .filter(engine -> !engine.equalsIgnoreCase("InnoDB"))
        .ifPresent(
            engine ->
                add(
                    shard,
                    Finding.warning(
                        "engine",
                        subject,
                        "storage engine " + engine,
                        "without transactions, a statement that fails half way leaves rows that a"
                            + " copy in progress may see twice or not at all",
                        "ALTER TABLE ... ENGINE=InnoDB")));
    facts.cascades().stream()
        .map(LossRules::cascade)
        .forEach(
            fault ->
                add(
                    shard,
                    Finding.error(
                        fault.code(), subject, fault.found(), fault.meaning(), fault.cure())));
    SourceSchema schema = facts.schema().orElseThrow();
    List<String> sentences = refusals(List.of(schema));
    if (!sentences.isEmpty()) {
      refused.add(shard);
    }
    sentences.forEach(
        sentence ->
            add(
                shard,
                Finding.refusal(
                    "shard-refused",
                    subject,
                    sentence,
                    START_REFUSED,
                    "change the table, or its description in the registry")));
  }

  /** A group's job plans its shards as one, and all groups write to one table. */
  private void together() {
    for (GroupSpec group : registry.groupsOf(table.name())) {
      List<SourceSchema> schemas =
          schemas(shard -> shard.group().equals(group.name()) && !refused.contains(shard));
      if (schemas.isEmpty()) {
        continue;
      }
      List<String> refusals = refusals(schemas, group.chunkSize());
      refusals.forEach(
          sentence ->
              findings.add(
                  Finding.refusal(
                          "group-refused",
                          "group %s of %s".formatted(group.name(), table.name()),
                          sentence,
                          "the group's job refuses to start",
                          "give its shards the same columns")
                      .at(places.group(group.name()))));
      chunks(group);
    }
    refusals(schemas(shard -> !refused.contains(shard)))
        .forEach(
            sentence ->
                findings.add(
                    Finding.refusal(
                            "table-refused",
                            "table " + table.name(),
                            sentence,
                            "the table cannot hold the shards of all its groups: the group that"
                                + " comes second waits for columns that it cannot get",
                            "give all its shards the same columns")
                        .at(places.table(table.name()))));
  }

  private List<SourceSchema> schemas(Predicate<ShardSpec> wanted) {
    return found.entrySet().stream()
        .filter(entry -> wanted.test(entry.getKey()))
        .flatMap(entry -> entry.getValue().schema().stream())
        .toList();
  }

  private List<String> refusals(List<SourceSchema> schemas) {
    return refusals(schemas, GroupSpec.DEFAULT_CHUNK_SIZE);
  }

  private List<String> refusals(List<SourceSchema> schemas, int chunkSize) {
    if (schemas.isEmpty()) {
      return List.of();
    }
    try {
      ChunkRule.decide(schemas, planner.plan(schemas), table.chunkKeyColumn(), chunkSize);
      return List.of();
    } catch (UnfitSourceException e) {
      return e.problems().stream().filter(said::add).toList();
    }
  }

  /** How the initial snapshot will cut the tables, and whether that is wise. */
  private void chunks(GroupSpec group) {
    for (Map.Entry<ShardSpec, ShardFacts> entry : found.entrySet()) {
      ShardSpec shard = entry.getKey();
      if (!shard.group().equals(group.name()) || !entry.getValue().readable()) {
        continue;
      }
      ShardFacts facts = entry.getValue();
      ChunkRule.Decision decision;
      try {
        List<SourceSchema> one = List.of(facts.schema().orElseThrow());
        decision =
            ChunkRule.decide(one, planner.plan(one), table.chunkKeyColumn(), group.chunkSize());
      } catch (UnfitSourceException e) {
        // It is said already, and there is nothing to cut.
        continue;
      }
      long rows = facts.rows().orElse(0);
      if (decision.column().isEmpty()) {
        add(
            shard,
            Finding.info(
                "copied-whole",
                subject(shard),
                decision.reason(),
                "its about %,d rows are held in memory while they are copied; more than %,d are refused"
                    .formatted(rows, ChunkRule.MOST_ROWS_IN_ONE_CHUNK)));
        continue;
      }
      chunkColumn(shard, facts, decision.column().get(), rows, group.chunkSize());
    }
  }

  private void chunkColumn(
      ShardSpec shard, ShardFacts facts, String column, long rows, int chunkSize) {
    Optional<Long> distinct =
        Optional.ofNullable(facts.distinct().get(column)).filter(count -> count > 0);
    if (distinct.isEmpty()) {
      if (rows / chunkSize >= MANY_CHUNKS) {
        add(
            shard,
            Finding.warning(
                "chunk-column-unindexed",
                subject(shard),
                "no index begins with '%s', by which about %,d rows are cut into chunks"
                    .formatted(column, rows),
                "the server reads the whole table for each chunk",
                "name the first column of the primary key as"
                    + " 'scan.incremental.snapshot.chunk.key-column' of table %s, or add an index"
                        .formatted(table.name())));
      }
      return;
    }
    long each = rows / distinct.get();
    if (each > (long) COARSE * chunkSize) {
      add(
          shard,
          Finding.warning(
              "chunk-column-coarse",
              subject(shard),
              "about %,d different values of '%s' in about %,d rows"
                  .formatted(distinct.get(), column, rows),
              "all rows of one value are one chunk, held in memory: about %,d, not the %,d of"
                      .formatted(each, chunkSize)
                  + " 'scan.incremental.snapshot.chunk.size'",
              "name a whole number column of the primary key with more different values as"
                  + " 'scan.incremental.snapshot.chunk.key-column' of table "
                  + table.name()));
    }
  }

  /** The columns that most shards have, by name. */
  private Optional<Map<String, SourceColumn>> usual() {
    Map<Map<String, String>, Integer> counts = new LinkedHashMap<>();
    Map<Map<String, String>, Map<String, SourceColumn>> forms = new LinkedHashMap<>();
    for (SourceSchema schema : schemas(any -> true)) {
      Map<String, String> texts = new LinkedHashMap<>();
      columns(schema).forEach((name, column) -> texts.put(name, text(column)));
      counts.merge(texts, 1, Integer::sum);
      forms.putIfAbsent(texts, columns(schema));
    }
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(most -> forms.get(most.getKey()));
  }

  private static Map<String, SourceColumn> columns(SourceSchema schema) {
    Map<String, SourceColumn> columns = new LinkedHashMap<>();
    schema.columns().forEach(column -> columns.put(column.name(), column));
    return columns;
  }

  /** Type, collation and NULL, as a table's definition says them. */
  private static String text(SourceColumn column) {
    return column.columnType()
        + column.collation().map(name -> " " + name).orElse("")
        + (column.nullable() ? "" : " NOT NULL");
  }

  private void differences(Map<String, SourceColumn> usual) {
    found.forEach(
        (shard, facts) -> {
          if (!facts.readable()) {
            return;
          }
          Map<String, SourceColumn> here = columns(facts.schema().orElseThrow());
          List<String> differences = new ArrayList<>();
          usual.forEach(
              (name, column) -> {
                if (!here.containsKey(name)) {
                  differences.add("no column '%s' (%s)".formatted(name, text(column)));
                } else if (!text(here.get(name)).equals(text(column))) {
                  differences.add(
                      "column '%s' is %s, not %s"
                          .formatted(name, text(here.get(name)), text(column)));
                }
              });
          here.forEach(
              (name, column) -> {
                if (!usual.containsKey(name)) {
                  differences.add("a further column '%s' (%s)".formatted(name, text(column)));
                }
              });
          if (!differences.isEmpty()) {
            add(
                shard,
                Finding.warning(
                    "columns-differ",
                    subject(shard),
                    String.join("; ", differences),
                    "not as most shards of the table; where the table cannot hold both, the job"
                        + " does not start",
                    "ALTER TABLE it to what the other shards have"));
          }
        });
  }

  /** What of the values the table cannot hold, though nothing refuses it. */
  private void types() {
    Map<String, List<String>> losses = new LinkedHashMap<>();
    for (CheckReport.Column column : TypeReport.of(table, schemas(any -> true))) {
      if (column.type().isPresent() && !column.loss().isEmpty()) {
        losses
            .computeIfAbsent(column.loss(), any -> new ArrayList<>())
            .add(
                "'%s' (%s -> %s)"
                    .formatted(column.name(), column.sourceType(), column.type().get()));
      }
    }
    losses.forEach(
        (loss, columns) ->
            findings.add(
                Finding.info(
                        "type",
                        "table " + table.name(),
                        "column " + String.join(", ", columns),
                        "what is lost: " + loss)
                    .at(places.table(table.name()))));
  }
}
