package io.tributary.registry;

import java.util.Map;

/**
 * Property names that Tributary sets itself, by the place where they may not be passed through,
 * with the reason. A name that ends with '*' stands for all that begin so.
 */
final class ReservedProperties {
  static final Map<String, String> CATALOG =
      Map.of(
          "type", "Use the key 'type' of the catalog.",
          "uri", "Use the key 'uri' of the catalog.",
          "warehouse", "Use the key 'warehouse' of the catalog.",
          "catalog-impl", "Only catalogs whose commit is a true compare-and-set are supported.",
          "cache-enabled", "Remove it: the coordinator must see the table as it is.");

  static final Map<String, String> KAFKA =
      Map.of(
          "bootstrap.servers", "Use the key 'bootstrap-servers'.",
          "transactional.id", "Remove it: it fences old coordinators.",
          "enable.idempotence", "Remove it: it is always on.",
          "acks", "Remove it: it is always 'all'.",
          "isolation.level", "Remove it: it is always 'read_committed'.",
          "enable.auto.commit", "Remove it: the table remembers the offsets.",
          "auto.offset.reset", "Remove it: the table remembers the offsets.",
          "group.id", "Remove it: the table remembers the offsets.",
          "key.*", "Remove it: (de)serializers are set by Tributary.",
          "value.*", "Remove it: (de)serializers are set by Tributary.");

  static final Map<String, String> JDBC =
      Map.of(
          "user", "Use the key 'username' of the server.",
          "password", "Use the key 'password' of the server.",
          "serverTimezone", "Remove it: every session of ours runs in UTC.",
          "connectionTimeZone", "Remove it: every session of ours runs in UTC.");

  static final Map<String, String> TABLE =
      Map.of(
          "tributary.*", "Remove it: this is the coordinator's own state.",
          "format-version", "Remove it: it is always 2.",
          "engine.hive.lock-enabled", "Remove it: it is always false; locks lose committed rounds.",
          "commit.manifest-merge.enabled", "Remove it: it is always false.",
          "owner", "Use the key 'owner' of the table.",
          "write.delete.mode", "Remove it: rows are deleted by delete files.",
          "write.update.mode", "Remove it: rows are deleted by delete files.",
          "commit.retry.*", "Remove it: the coordinator never lets Iceberg retry.");

  static final Map<String, String> DEBEZIUM =
      Map.ofEntries(
          Map.entry("database.*", "Remove it: connections are described in 'servers'."),
          Map.entry("table.*", "Remove it: tables are described in 'shards'."),
          Map.entry("column.*", "Remove it: every column is read as it is."),
          Map.entry("snapshot.*", "Remove it: the initial snapshot is Tributary's."),
          Map.entry("offset.*", "Remove it: the table remembers the positions."),
          Map.entry("tombstones.on.delete", "Remove it: Tributary sets it."),
          Map.entry("include.schema.changes", "Remove it: Tributary sets it."),
          Map.entry("provide.transaction.metadata", "Remove it: Tributary sets it."),
          Map.entry("decimal.handling.mode", "Remove it: every decimal is read exactly."),
          Map.entry("bigint.unsigned.handling.mode", "Remove it: every integer is read exactly."),
          Map.entry("time.precision.mode", "Remove it: every time is read exactly."),
          Map.entry("binary.handling.mode", "Remove it: every binary value is read exactly."),
          Map.entry("event.processing.failure.handling.mode", "Remove it: no event is skipped."),
          Map.entry("inconsistent.schema.handling.mode", "Remove it: no event is skipped."),
          Map.entry(
              "event.deserialization.failure.handling.mode", "Remove it: no event is skipped."));

  private ReservedProperties() {}
}
