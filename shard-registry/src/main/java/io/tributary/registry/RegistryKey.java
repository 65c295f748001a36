package io.tributary.registry;

import io.tributary.registry.RegistryKey.Section;
import java.util.Arrays;
import java.util.List;

/** Every key that a registry file may hold: the parser knows no other, and the README lists all. */
public enum RegistryKey {
  CATALOG(Section.TOP, "catalog", "section", "required"),
  KAFKA(Section.TOP, "kafka", "section", "required"),
  COORDINATOR(Section.TOP, "coordinator", "section", "all defaults"),
  SERVERS(Section.TOP, "servers", "sections by server name", "required"),
  TABLES(Section.TOP, "tables", "sections by table name (namespace.name)", "required"),
  GROUPS(Section.TOP, "groups", "sections by group name", "required"),
  SHARDS(Section.TOP, "shards", "list of sections", "required"),

  CATALOG_NAME(Section.CATALOG, "name", "text", CatalogSpec.DEFAULT_NAME),
  CATALOG_TYPE(Section.CATALOG, "type", "hive", "hive"),
  CATALOG_URI(Section.CATALOG, "uri", "thrift://host:port, several joined by ','", "required"),
  CATALOG_WAREHOUSE(Section.CATALOG, "warehouse", "URI or absolute path", "required"),
  CATALOG_PROPERTIES(Section.CATALOG, "properties", "properties, secrets by reference", "none"),

  KAFKA_BOOTSTRAP_SERVERS(
      Section.KAFKA, "bootstrap-servers", "host:port, several joined by ','", "required"),
  KAFKA_PROPERTIES(Section.KAFKA, "properties", "properties, secrets by reference", "none"),

  COORDINATOR_CHECKPOINT_INTERVAL(
      Section.COORDINATOR, "checkpoint-interval", "100 ms to 1 d", "1 min"),
  COORDINATOR_IDLE_ROUND_INTERVAL(
      Section.COORDINATOR, "idle-round-interval", "100 ms to 1 d", "10 s"),
  COORDINATOR_MAX_LAYERS(Section.COORDINATOR, "max-layers-per-round", "1 to 1000", "16"),
  COORDINATOR_HELD_GROUP_TIMEOUT(
      Section.COORDINATOR, "held-group-timeout", "1 s to 30 d", "10 min"),

  SERVER_HOSTNAME(Section.SERVER, "hostname", "host name or address", "required"),
  SERVER_PORT(Section.SERVER, "port", "1 to 65535", "3306"),
  SERVER_USERNAME(Section.SERVER, "username", "text", "required"),
  SERVER_PASSWORD(Section.SERVER, "password", "reference to a secret", "required"),
  SERVER_TIME_ZONE(
      Section.SERVER, "server-time-zone", "zone such as Asia/Seoul or +09:00", "the server's own"),
  SERVER_JDBC_PROPERTIES(
      Section.SERVER, "jdbc-properties", "properties, secrets by reference", "none"),

  TABLE_KEY(Section.TABLE, "key", "'primary key' or a list of columns", "primary key"),
  TABLE_BUCKET_COLUMN(
      Section.TABLE,
      "bucket-column",
      "a column of the key",
      "the key; required when the key is composite"),
  TABLE_BUCKET_COUNT(Section.TABLE, "bucket-count", "1 to 10000", "5"),
  TABLE_SHARD_ID_COLUMN(
      Section.TABLE, "shard-id-column", "a name no source column has", "shard_id"),
  TABLE_CHUNK_KEY_COLUMN(
      Section.TABLE,
      "scan.incremental.snapshot.chunk.key-column",
      "a column of the key",
      "chosen from the source"),
  TABLE_COLUMN_TYPES(
      Section.TABLE,
      "column-types",
      "by column name: boolean, double, long or string",
      "the types that lose nothing"),
  TABLE_SCHEMA_CHANGE_BEHAVIOR(
      Section.TABLE, "schema.change.behavior", "evolve or exception", "evolve"),
  TABLE_TRUNCATE_BEHAVIOR(Section.TABLE, "truncate-behavior", "halt or empty", "halt"),
  TABLE_OWNER(Section.TABLE, "owner", "text", "none"),
  TABLE_CONTROL_TOPIC(
      Section.TABLE, "control-topic", "Kafka topic name", "tributary.control.NAMESPACE.NAME"),
  TABLE_STATUS_TOPIC(
      Section.TABLE, "status-topic", "Kafka topic name", "tributary.status.NAMESPACE.NAME"),
  TABLE_PROPERTIES(Section.TABLE, "properties", "plain properties", "none"),

  GROUP_TABLE(Section.GROUP, "table", "a name in tables", "the only table"),
  GROUP_PARALLELISM(Section.GROUP, "parallelism", "1 to 1024", "1"),
  GROUP_CHECKPOINT_INTERVAL(Section.GROUP, "checkpoint-interval", "100 ms to 1 d", "1 min"),
  GROUP_SERVER_ID(
      Section.GROUP,
      "server-id",
      "by server name: an id or a range FIRST-LAST, as wide as the parallelism",
      "required"),
  GROUP_CHUNK_SIZE(
      Section.GROUP, "scan.incremental.snapshot.chunk.size", "2 to 10000000 rows", "8096"),
  GROUP_SNAPSHOT_ROWS(
      Section.GROUP, "snapshot-rows-per-second", "1 to 1000000000 per server", "no limit"),
  GROUP_SNAPSHOT_CONNECTIONS(
      Section.GROUP, "snapshot-connections-per-server", "1 to 1024", "the parallelism"),
  GROUP_DEBEZIUM(Section.GROUP, "debezium", "plain properties", "none"),

  SHARD_NUMBER(
      Section.SHARD, "number", "0 to 2147483647", "required without a pattern, refused with one"),
  SHARD_NUMBER_OFFSET(
      Section.SHARD,
      "number-offset",
      "-2147483647 to 2147483647, added to the pattern's number",
      "0; only with a pattern"),
  SHARD_GROUP(Section.SHARD, "group", "a name in groups", "required"),
  SHARD_SERVER(Section.SHARD, "server", "a name in servers", "required"),
  SHARD_DATABASE(Section.SHARD, "database", "exact name or numbered pattern", "required"),
  SHARD_TABLE(Section.SHARD, "table", "exact name or numbered pattern", "required"),
  SHARD_STATE(Section.SHARD, "state", "active, paused or retired", "active"),

  SECRET_ENV(
      Section.SECRET,
      "env",
      "environment variable of capitals, digits and '_'",
      "one of env, file"),
  SECRET_FILE(Section.SECRET, "file", "absolute path", "one of env, file");

  /** The places of a registry file that have keys of their own. */
  public enum Section {
    TOP("top level"),
    CATALOG("catalog"),
    KAFKA("kafka"),
    COORDINATOR("coordinator"),
    SERVER("servers.NAME"),
    TABLE("tables.NAME"),
    GROUP("groups.NAME"),
    SHARD("shards[]"),
    SECRET("reference to a secret");

    private final String title;

    Section(String title) {
      this.title = title;
    }

    /** How people call the place. */
    public String title() {
      return title;
    }

    /** The keys of the place, in the order of the documentation. */
    public List<RegistryKey> keys() {
      return Arrays.stream(RegistryKey.values()).filter(key -> key.section == this).toList();
    }
  }

  private final Section section;
  private final String word;
  private final String accepted;
  private final String defaultText;

  RegistryKey(Section section, String word, String accepted, String defaultText) {
    this.section = section;
    this.word = word;
    this.accepted = accepted;
    this.defaultText = defaultText;
  }

  /** Where the key may stand. */
  public Section section() {
    return section;
  }

  /** The key as it is written. */
  public String word() {
    return word;
  }

  /** What values it takes. */
  public String accepted() {
    return accepted;
  }

  /** What holds when it is not written; "required" when it must be. */
  public String defaultText() {
    return defaultText;
  }
}
