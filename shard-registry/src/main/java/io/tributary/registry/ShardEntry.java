package io.tributary.registry;

import static io.tributary.registry.RegistryKey.*;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.RegistryParts.PlacedShard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** One entry of the list of shards: one shard, or many by a numbered pattern. */
final class ShardEntry {
  private final YamlSection section;
  private final Optional<Integer> number;
  private final Optional<Integer> offset;
  private final Optional<GroupName> group;
  private final Optional<ServerName> server;
  private final Optional<String> database;
  private final Optional<String> table;
  private final DesiredState state;

  private ShardEntry(YamlSection section) {
    this.section = section;
    this.number = section.optional(SHARD_NUMBER, YamlValue.integer(0, Integer.MAX_VALUE));
    this.offset =
        section.optional(
            SHARD_NUMBER_OFFSET, YamlValue.integer(-Integer.MAX_VALUE, Integer.MAX_VALUE));
    this.group =
        section.required(SHARD_GROUP, YamlValue.named("the name of a group", GroupName::new));
    this.server =
        section.required(SHARD_SERVER, YamlValue.named("the name of a server", ServerName::new));
    this.database = section.required(SHARD_DATABASE, YamlValue.text());
    this.table = section.required(SHARD_TABLE, YamlValue.text());
    this.state =
        section
            .optional(SHARD_STATE, YamlValue.choice(DesiredState.class, DesiredState::word))
            .orElse(DesiredState.ACTIVE);
  }

  static ShardEntry of(YamlSection section) {
    return new ShardEntry(section);
  }

  /**
   * The shards that the entry stands for; none when it is faulty, which is reported.
   *
   * @param declaredGroups all groups that the file names
   * @param tables the table of each group, as far as it is known
   */
  List<PlacedShard> expand(Set<GroupName> declaredGroups, Map<GroupName, TableName> tables) {
    Optional<List<String>> databases = database.flatMap(text -> names(SHARD_DATABASE, text));
    Optional<List<String>> sources = table.flatMap(text -> names(SHARD_TABLE, text));
    if (databases.isEmpty() || sources.isEmpty()) {
      return List.of();
    }
    int databaseCount = databases.get().size();
    int tableCount = sources.get().size();
    boolean databasePattern = NumberedPattern.isPattern(database.get());
    boolean tablePattern = NumberedPattern.isPattern(table.get());
    if (databasePattern && tablePattern && databaseCount != tableCount) {
      section.refuse(
          SHARD_TABLE,
          "as many numbers as in the database's pattern, which is " + databaseCount,
          Integer.toString(tableCount),
          "Two patterns count in step; write one entry for each database.");
      return List.of();
    }
    int count = Math.max(databaseCount, tableCount);
    Optional<List<Integer>> numbers =
        databasePattern || tablePattern
            ? patternNumbers(tablePattern ? table.get() : database.get(), count)
            : singleNumber();
    Optional<TableName> of = group.map(tables::get);
    group
        .filter(name -> !declaredGroups.contains(name))
        .ifPresent(name -> unknownGroup(name, declaredGroups));
    if (numbers.isEmpty() || of.isEmpty() || server.isEmpty()) {
      return List.of();
    }
    List<PlacedShard> shards = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SourceTable source =
          new SourceTable(
              databases.get().get(databasePattern ? i : 0),
              sources.get().get(tablePattern ? i : 0));
      shards.add(
          new PlacedShard(
              section.path(),
              new ShardSpec(
                  new ShardId(numbers.get().get(i)),
                  of.get(),
                  group.get(),
                  server.get(),
                  source,
                  state)));
    }
    return shards;
  }

  private void unknownGroup(GroupName name, Set<GroupName> declared) {
    RegistryRules.Violation violation =
        RegistryRules.unknownReference(section.path(SHARD_GROUP), "group", name, declared);
    section.refuse(SHARD_GROUP, violation.expected(), violation.found(), violation.cure());
  }

  private Optional<List<String>> names(RegistryKey key, String text) {
    List<String> names;
    if (NumberedPattern.isPattern(text)) {
      Optional<NumberedPattern> pattern = NumberedPattern.parse(text);
      if (pattern.isEmpty()) {
        section.refuse(
            key,
            NumberedPattern.FORM,
            "'" + YamlValue.cut(text) + "'",
            "Write for example orders_{000..127}.");
        return Optional.empty();
      }
      names = IntStream.range(0, pattern.get().size()).mapToObj(pattern.get()::name).toList();
    } else {
      names = List.of(text);
    }
    if (!names.stream().allMatch(SourceTable::isName)) {
      section.refuse(
          key,
          SourceTable.FORM,
          "'" + YamlValue.cut(text) + "'",
          text.indexOf('.') >= 0
              ? "Names are exact and never patterns: write the database in 'database' and the table"
                  + " in 'table'."
              : "Names are exact and never patterns; many tables are written as orders_{000..127}.");
      return Optional.empty();
    }
    return Optional.of(names);
  }

  private Optional<List<Integer>> singleNumber() {
    if (section.has(SHARD_NUMBER_OFFSET)) {
      section.refuse(
          SHARD_NUMBER_OFFSET,
          "a numbered pattern in 'database' or 'table'",
          "none",
          "Remove it and write 'number'.");
    }
    if (!section.has(SHARD_NUMBER)) {
      section.required(SHARD_NUMBER, YamlValue.integer(0, Integer.MAX_VALUE));
    }
    return number.map(List::of);
  }

  private Optional<List<Integer>> patternNumbers(String text, int count) {
    if (section.has(SHARD_NUMBER)) {
      section.refuse(
          SHARD_NUMBER,
          "no number, since the numbered pattern gives it",
          number.map(String::valueOf).orElse("one"),
          "Remove it; 'number-offset' shifts the pattern's numbers.");
      return Optional.empty();
    }
    long first = (long) NumberedPattern.parse(text).orElseThrow().first() + offset.orElse(0);
    if (first < 0 || first + count - 1 > Integer.MAX_VALUE) {
      section.refuse(
          section.has(SHARD_NUMBER_OFFSET) ? SHARD_NUMBER_OFFSET : SHARD_TABLE,
          "shard numbers from 0 to " + Integer.MAX_VALUE,
          first + " to " + (first + count - 1),
          "Choose another offset.");
      return Optional.empty();
    }
    return Optional.of(IntStream.range(0, count).mapToObj(index -> (int) first + index).toList());
  }
}
