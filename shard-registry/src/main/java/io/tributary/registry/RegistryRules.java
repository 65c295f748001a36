package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.RegistryParts.PlacedShard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The rules between the parts of a registry. Reports all violations, never only the first. */
final class RegistryRules {
  /**
   * One broken rule.
   *
   * @param key key path of the entry to change
   */
  record Violation(String key, String expected, String found, String cure) {
    @Override
    public String toString() {
      return "Cannot use " + key + ": expected " + expected + ", found " + found + ". " + cure;
    }
  }

  private final RegistryParts parts;
  private final List<Violation> violations = new ArrayList<>();

  private RegistryRules(RegistryParts parts) {
    this.parts = parts;
  }

  static List<Violation> check(RegistryParts parts) {
    RegistryRules rules = new RegistryRules(parts);
    rules.namesAreUnique();
    rules.serversAreDistinct();
    parts.tables().forEach(rules::tableIsSound);
    rules.topicsAreDistinct();
    parts.groups().forEach(rules::groupIsSound);
    rules.serverIdsDoNotOverlap();
    rules.shardsAreSound();
    rules.shardNumbersAreUnique();
    rules.sourceTablesAreReadOnce();
    rules.groupsHaveServerIds();
    return List.copyOf(rules.violations);
  }

  /** What is wrong with a reference to something that is not declared. */
  static <N> Violation unknownReference(String key, String kind, N name, Collection<N> declared) {
    return new Violation(
        key,
        "the name of a " + kind + " in '" + kind + "s'",
        "'" + name + "'",
        Suggestion.cure(
            name.toString(),
            declared.stream().map(Object::toString).sorted().toList(),
            "Add the " + kind + " to '" + kind + "s', or correct the name."));
  }

  private void add(String key, String expected, String found, String cure) {
    violations.add(new Violation(key, expected, found, cure));
  }

  private void namesAreUnique() {
    unique("servers.", parts.servers().stream().map(server -> server.name().value()).toList());
    unique("tables.", parts.tables().stream().map(table -> table.name().value()).toList());
    unique("groups.", parts.groups().stream().map(group -> group.name().value()).toList());
    // A catalog may fold case; two tables that differ in case alone would be one there.
    Map<String, TableName> seen = new HashMap<>();
    for (TableSpec table : parts.tables()) {
      TableName other = seen.put(table.name().value().toLowerCase(Locale.ROOT), table.name());
      if (other != null && !other.equals(table.name())) {
        add(
            "tables." + table.name(),
            "a name that differs from the others in more than case",
            "'" + other + "' as well",
            "Rename one of the two tables.");
      }
    }
  }

  private void unique(String path, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        add(path + name, "one entry of this name", "two", "Remove or rename one of the two.");
      }
    }
  }

  private void serversAreDistinct() {
    Map<String, ServerName> seen = new HashMap<>();
    for (ServerSpec server : parts.servers()) {
      String endpoint = server.hostname().toLowerCase(Locale.ROOT) + ":" + server.port();
      ServerName other = seen.putIfAbsent(endpoint, server.name());
      if (other != null) {
        add(
            "servers." + server.name() + ".hostname",
            "a server of its own",
            endpoint + ", which is server '" + other + "' as well",
            "Describe each MySQL server once and let the shards of both refer to it.");
      }
    }
  }

  private void tableIsSound(TableSpec table) {
    String path = "tables." + table.name();
    columnTypesAreSound(table, path);
    if (table.key() instanceof TableKey.Columns key) {
      keyIsSound(table, key.names(), path);
    } else if (table.bucketColumn().filter(table.shardIdColumn()::equalsIgnoreCase).isPresent()) {
      add(
          path + ".bucket-column",
          "a column of the key",
          "'" + table.shardIdColumn() + "', the column that Tributary adds",
          "Name the key column of the highest cardinality.");
    }
  }

  /** Values that are one and the same in the table must be so at the source: not so in a key. */
  private void columnTypesAreSound(TableSpec table, String path) {
    table
        .columnTypes()
        .forEach(
            (column, type) -> {
              boolean ofKey =
                  table.key() instanceof TableKey.Columns key && key.names().contains(column)
                      || table.bucketColumn().filter(column::equals).isPresent()
                      || table.chunkKeyColumn().filter(column::equals).isPresent();
              if (ofKey) {
                add(
                    path + ".column-types." + column,
                    "a column that is not of the key",
                    "'" + column + "', which is",
                    "Leave it out: a key keeps the type that loses nothing.");
              } else if (column.equalsIgnoreCase(table.shardIdColumn())) {
                add(
                    path + ".column-types." + column,
                    "a column of the source",
                    "'" + column + "', the column that Tributary adds",
                    "Leave it out.");
              }
            });
  }

  private void keyIsSound(TableSpec table, List<String> key, String path) {
    Set<String> lower = new HashSet<>();
    for (String column : key) {
      if (!lower.add(column.toLowerCase(Locale.ROOT))) {
        add(path + ".key", "each column once", "'" + column + "' twice", "Name each column once.");
      }
    }
    if (key.size() > 1 && table.bucketColumn().isEmpty()) {
      add(
          path + ".bucket-column",
          "a column of the composite key (" + String.join(", ", key) + ")",
          "no bucket column",
          "Name the key column of the highest cardinality.");
    }
    table
        .bucketColumn()
        .filter(column -> !key.contains(column))
        .ifPresent(
            column ->
                add(
                    path + ".bucket-column",
                    "a column of the key (" + String.join(", ", key) + ")",
                    "'" + column + "'",
                    Suggestion.cure(
                        column,
                        key,
                        "Name a key column: rows of one key must fall into one bucket.")));
    table
        .chunkKeyColumn()
        .filter(column -> !key.contains(column))
        .ifPresent(
            column ->
                add(
                    path + ".scan.incremental.snapshot.chunk.key-column",
                    "a column of the key (" + String.join(", ", key) + ")",
                    "'" + column + "'",
                    Suggestion.cure(column, key, "Name a key column of an integer type.")));
    if (lower.contains(table.shardIdColumn().toLowerCase(Locale.ROOT))) {
      add(
          path + ".shard-id-column",
          "a name that no source column has",
          "'" + table.shardIdColumn() + "', which is a key column",
          "Set shard-id-column to another name, such as tributary_shard_id.");
    }
  }

  private void topicsAreDistinct() {
    Map<String, String> seen = new HashMap<>();
    for (TableSpec table : parts.tables()) {
      topicIsFree(table.controlTopic(), "tables." + table.name() + ".control-topic", seen);
      topicIsFree(table.statusTopic(), "tables." + table.name() + ".status-topic", seen);
    }
  }

  private void topicIsFree(String topic, String key, Map<String, String> seen) {
    String other = seen.putIfAbsent(topic, key);
    if (other != null) {
      add(
          key,
          "a topic of its own",
          "'" + topic + "', which is " + other + " as well",
          "Give each table its own control topic and its own status topic.");
    }
  }

  private void groupIsSound(GroupSpec group) {
    String path = "groups." + group.name();
    if (!parts.declaredTables().contains(group.table())) {
      violations.add(
          unknownReference(path + ".table", "table", group.table(), parts.declaredTables()));
    }
    group
        .serverIds()
        .forEach(
            (server, ids) -> {
              String key = path + ".server-id." + server;
              if (!parts.declaredServers().contains(server)) {
                violations.add(unknownReference(key, "server", server, parts.declaredServers()));
              }
              if (ids.width() < group.parallelism()) {
                add(
                    key,
                    "at least " + group.parallelism() + " ids, one for each parallel reader",
                    ids + ", which is " + ids.width(),
                    "Widen the range or lower the parallelism of the group.");
              }
            });
  }

  private void serverIdsDoNotOverlap() {
    List<GroupSpec> groups = parts.groups();
    for (int i = 0; i < groups.size(); i++) {
      for (int j = 0; j < i; j++) {
        overlap(groups.get(i), groups.get(j));
      }
    }
  }

  private void overlap(GroupSpec group, GroupSpec other) {
    group
        .serverIds()
        .forEach(
            (server, ids) -> {
              ServerIdRange theirs = other.serverIds().get(server);
              if (theirs != null && theirs.overlaps(ids)) {
                add(
                    "groups." + group.name() + ".server-id." + server,
                    "ids that no other group uses on server '" + server + "'",
                    ids + ", which overlaps " + theirs + " of group '" + other.name() + "'",
                    "Give each group a range of its own on this server; MySQL throws out a replica"
                        + " whose id is used twice.");
              }
            });
  }

  private void shardsAreSound() {
    Map<GroupName, TableName> tables = new HashMap<>();
    parts.groups().forEach(group -> tables.put(group.name(), group.table()));
    for (PlacedShard placed : parts.shards()) {
      ShardSpec shard = placed.shard();
      if (!parts.declaredGroups().contains(shard.group())) {
        violations.add(
            unknownReference(
                placed.path() + ".group", "group", shard.group(), parts.declaredGroups()));
      }
      if (!parts.declaredServers().contains(shard.server())) {
        violations.add(
            unknownReference(
                placed.path() + ".server", "server", shard.server(), parts.declaredServers()));
      }
      TableName ofGroup = tables.getOrDefault(shard.group(), shard.table());
      if (!ofGroup.equals(shard.table())) {
        add(
            placed.path() + ".group",
            "a group of table '" + shard.table() + "'",
            "'" + shard.group() + "', which feeds table '" + ofGroup + "'",
            "A group feeds one table: use a group for each.");
      }
    }
  }

  private void shardNumbersAreUnique() {
    record Numbered(TableName table, ShardId id) {}
    Map<Numbered, PlacedShard> seen = new HashMap<>();
    for (PlacedShard placed : parts.shards()) {
      ShardSpec shard = placed.shard();
      PlacedShard other = seen.putIfAbsent(new Numbered(shard.table(), shard.id()), placed);
      if (other != null) {
        add(
            placed.path() + ".number",
            "a shard number of its own within table '" + shard.table() + "'",
            shard.id()
                + " for "
                + describe(shard)
                + ", which "
                + other.path()
                + " gives to "
                + describe(other.shard())
                + " as well",
            "Numbers are never reused: take one above the highest.");
      }
    }
  }

  private void sourceTablesAreReadOnce() {
    record Physical(ServerName server, SourceTable source) {}
    Map<Physical, PlacedShard> seen = new HashMap<>();
    for (PlacedShard placed : parts.shards()) {
      ShardSpec shard = placed.shard();
      if (shard.state() == DesiredState.RETIRED) {
        continue;
      }
      PlacedShard other = seen.putIfAbsent(new Physical(shard.server(), shard.source()), placed);
      if (other != null) {
        add(
            placed.path() + ".table",
            "a source table that no other shard reads",
            describe(shard)
                + ", which is shard "
                + other.shard().id()
                + " of table '"
                + other.shard().table()
                + "' ("
                + other.path()
                + ") as well",
            "Remove one of the two shards.");
      }
    }
  }

  private void groupsHaveServerIds() {
    Map<GroupName, GroupSpec> groups = new HashMap<>();
    parts.groups().forEach(group -> groups.put(group.name(), group));
    record Reads(GroupName group, ServerName server) {}
    Set<Reads> reported = new HashSet<>();
    for (PlacedShard placed : parts.shards()) {
      ShardSpec shard = placed.shard();
      GroupSpec group = groups.get(shard.group());
      if (group == null
          || shard.state() == DesiredState.RETIRED
          || group.serverIds().containsKey(shard.server())
          || !parts.declaredServers().contains(shard.server())
          || !reported.add(new Reads(shard.group(), shard.server()))) {
        continue;
      }
      add(
          "groups." + group.name() + ".server-id",
          "a range of server ids for server '" + shard.server() + "', which the group reads",
          "none (" + placed.path() + " lies there)",
          "Add '" + shard.server() + ": FIRST-LAST' with ids that nothing else uses there.");
    }
  }

  private static String describe(ShardSpec shard) {
    return shard.source() + " on server '" + shard.server() + "'";
  }
}
