package io.tributary.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The canonical JSON of a registry: what is published. Equal registries give equal bytes; secrets
 * are references, as in the model. Defaults are written out, so that a later release's defaults do
 * not change what was published.
 *
 * <p>The JSON carries no version of publication: that belongs to the place it is published in.
 */
public final class RegistryCodec {
  /** The version of the JSON's form, written into it; other forms are refused. */
  public static final int FORM = 1;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // The parser's messages then quote no input.
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private RegistryCodec() {}

  /** The registry as canonical JSON, without its version of publication. */
  public static String encode(Registry registry) {
    ObjectNode json = JSON.createObjectNode();
    json.put("form", FORM);
    json.set("catalog", catalog(registry.catalog()));
    json.set("kafka", kafka(registry.kafka()));
    json.set("coordinator", coordinator(registry.coordinator()));
    ArrayNode servers = json.putArray("servers");
    registry.servers().forEach(server -> servers.add(server(server)));
    ArrayNode tables = json.putArray("tables");
    registry.tables().forEach(table -> tables.add(table(table)));
    ArrayNode groups = json.putArray("groups");
    registry.groups().forEach(group -> groups.add(group(group)));
    ArrayNode shards = json.putArray("shards");
    registry.shards().forEach(shard -> shards.add(shard(shard)));
    return json.toString();
  }

  /**
   * The registry that the JSON says, without a version of publication.
   *
   * @throws IllegalArgumentException when it is no JSON of this form, or breaks a rule
   */
  public static Registry decode(String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "Cannot read a registry: expected JSON, found a fault at line "
              + (e.getLocation() == null ? 0 : e.getLocation().getLineNr())
              + ", column "
              + (e.getLocation() == null ? 0 : e.getLocation().getColumnNr()));
    }
    int form = root.path("form").asInt(0);
    if (form != FORM) {
      throw new IllegalArgumentException(
          "Cannot read a registry: expected form "
              + FORM
              + ", found "
              + (form == 0 ? "none" : form)
              + "; it was published by another release");
    }
    JsonFields json = JsonFields.of("registry", root);
    json.integer("form");
    Registry registry =
        new Registry(
            Optional.empty(),
            catalog(json.object("catalog")),
            kafka(json.object("kafka")),
            coordinator(json.object("coordinator")),
            json.list("servers", RegistryCodec::server),
            json.list("tables", RegistryCodec::table),
            json.list("groups", RegistryCodec::group),
            json.list("shards", RegistryCodec::shard));
    json.end();
    return registry;
  }

  private static ObjectNode catalog(CatalogSpec catalog) {
    ObjectNode json = JSON.createObjectNode();
    json.put("name", catalog.name());
    json.put("type", catalog.type().word());
    json.put("uri", catalog.uri());
    json.put("warehouse", catalog.warehouse());
    json.set("properties", properties(catalog.properties()));
    return json;
  }

  private static CatalogSpec catalog(JsonFields json) {
    CatalogSpec catalog =
        new CatalogSpec(
            json.text("name"),
            word("catalog type", CatalogType.class, CatalogType::word, json.text("type")),
            json.text("uri"),
            json.text("warehouse"),
            properties(json.object("properties")));
    json.end();
    return catalog;
  }

  private static ObjectNode kafka(KafkaSpec kafka) {
    ObjectNode json = JSON.createObjectNode();
    json.put("bootstrap-servers", kafka.bootstrapServers());
    json.set("properties", properties(kafka.properties()));
    return json;
  }

  private static KafkaSpec kafka(JsonFields json) {
    KafkaSpec kafka =
        new KafkaSpec(json.text("bootstrap-servers"), properties(json.object("properties")));
    json.end();
    return kafka;
  }

  private static ObjectNode coordinator(CoordinatorSpec coordinator) {
    ObjectNode json = JSON.createObjectNode();
    json.put("checkpoint-interval", DurationText.format(coordinator.checkpointInterval()));
    json.put("idle-round-interval", DurationText.format(coordinator.idleRoundInterval()));
    json.put("max-layers-per-round", coordinator.maxLayersPerRound());
    json.put("held-group-timeout", DurationText.format(coordinator.heldGroupTimeout()));
    return json;
  }

  private static CoordinatorSpec coordinator(JsonFields json) {
    CoordinatorSpec coordinator =
        new CoordinatorSpec(
            duration(json.text("checkpoint-interval")),
            duration(json.text("idle-round-interval")),
            json.integer("max-layers-per-round"),
            duration(json.text("held-group-timeout")));
    json.end();
    return coordinator;
  }

  private static ObjectNode server(ServerSpec server) {
    ObjectNode json = JSON.createObjectNode();
    json.put("name", server.name().value());
    json.put("hostname", server.hostname());
    json.put("port", server.port());
    json.put("username", server.username());
    json.set("password", secret(server.password()));
    server.serverTimeZone().ifPresent(zone -> json.put("server-time-zone", zone.getId()));
    json.set("jdbc-properties", properties(server.jdbcProperties()));
    return json;
  }

  private static ServerSpec server(JsonFields json) {
    ServerSpec server =
        new ServerSpec(
            new ServerName(json.text("name")),
            json.text("hostname"),
            json.integer("port"),
            json.text("username"),
            secret(json.object("password")),
            json.optionalText("server-time-zone").map(ZoneId::of),
            properties(json.object("jdbc-properties")));
    json.end();
    return server;
  }

  private static ObjectNode table(TableSpec table) {
    ObjectNode json = JSON.createObjectNode();
    json.put("name", table.name().value());
    if (table.key() instanceof TableKey.Columns key) {
      ArrayNode columns = json.putArray("key");
      key.names().forEach(columns::add);
    }
    table.bucketColumn().ifPresent(column -> json.put("bucket-column", column));
    json.put("bucket-count", table.bucketCount());
    json.put("shard-id-column", table.shardIdColumn());
    table.chunkKeyColumn().ifPresent(column -> json.put("chunk-key-column", column));
    if (!table.columnTypes().isEmpty()) {
      ObjectNode types = json.putObject("column-types");
      table.columnTypes().forEach((column, type) -> types.put(column, type.word()));
    }
    if (table.schemaChangeBehavior() != TableSpec.DEFAULT_SCHEMA_CHANGE_BEHAVIOR) {
      json.put("schema-change-behavior", table.schemaChangeBehavior().word());
    }
    if (table.truncateBehavior() != TableSpec.DEFAULT_TRUNCATE_BEHAVIOR) {
      json.put("truncate-behavior", table.truncateBehavior().word());
    }
    table.owner().ifPresent(owner -> json.put("owner", owner));
    json.put("control-topic", table.controlTopic());
    json.put("status-topic", table.statusTopic());
    json.set("properties", properties(table.properties()));
    return json;
  }

  private static TableSpec table(JsonFields json) {
    TableSpec table =
        new TableSpec(
            new TableName(json.text("name")),
            json.optionalTexts("key")
                .<TableKey>map(TableKey.Columns::new)
                .orElse(new TableKey.PrimaryKey()),
            json.optionalText("bucket-column"),
            json.integer("bucket-count"),
            json.text("shard-id-column"),
            json.optionalText("chunk-key-column"),
            json.isObject("column-types") ? columnTypes(json.object("column-types")) : Map.of(),
            json.optionalText("schema-change-behavior")
                .map(
                    text ->
                        word(
                            "schema change behavior",
                            SchemaChangeBehavior.class,
                            SchemaChangeBehavior::word,
                            text))
                .orElse(TableSpec.DEFAULT_SCHEMA_CHANGE_BEHAVIOR),
            json.optionalText("truncate-behavior")
                .map(
                    text ->
                        word(
                            "truncate behavior",
                            TruncateBehavior.class,
                            TruncateBehavior::word,
                            text))
                .orElse(TableSpec.DEFAULT_TRUNCATE_BEHAVIOR),
            json.optionalText("owner"),
            json.text("control-topic"),
            json.text("status-topic"),
            properties(json.object("properties")));
    json.end();
    return table;
  }

  private static Map<String, ColumnTypeOverride> columnTypes(JsonFields json) {
    Map<String, ColumnTypeOverride> types = new TreeMap<>();
    json.names().forEach(column -> types.put(column, ColumnTypeOverride.of(json.text(column))));
    return types;
  }

  private static ObjectNode group(GroupSpec group) {
    ObjectNode json = JSON.createObjectNode();
    json.put("name", group.name().value());
    json.put("table", group.table().value());
    json.put("parallelism", group.parallelism());
    json.put("checkpoint-interval", DurationText.format(group.checkpointInterval()));
    ObjectNode ids = json.putObject("server-id");
    group.serverIds().forEach((server, range) -> ids.put(server.value(), range.toString()));
    json.put("chunk-size", group.chunkSize());
    group.snapshotRowsPerSecond().ifPresent(rows -> json.put("snapshot-rows-per-second", rows));
    group
        .snapshotConnectionsPerServer()
        .ifPresent(connections -> json.put("snapshot-connections-per-server", connections));
    json.set("debezium", properties(group.debezium()));
    return json;
  }

  private static GroupSpec group(JsonFields json) {
    Map<ServerName, ServerIdRange> ids = new TreeMap<>();
    JsonFields ranges = json.object("server-id");
    for (String server : ranges.names()) {
      String text = ranges.text(server);
      ids.put(
          new ServerName(server),
          ServerIdRange.parse(text)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "Cannot read a registry: expected "
                              + ServerIdRange.FORM
                              + ", found '"
                              + text
                              + "'")));
    }
    GroupSpec group =
        new GroupSpec(
            new GroupName(json.text("name")),
            new TableName(json.text("table")),
            json.integer("parallelism"),
            duration(json.text("checkpoint-interval")),
            ids,
            json.integer("chunk-size"),
            json.optionalInteger("snapshot-rows-per-second"),
            json.optionalInteger("snapshot-connections-per-server"),
            properties(json.object("debezium")));
    json.end();
    return group;
  }

  private static ObjectNode shard(ShardSpec shard) {
    ObjectNode json = JSON.createObjectNode();
    json.put("number", shard.id().value());
    json.put("of", shard.table().value());
    json.put("group", shard.group().value());
    json.put("server", shard.server().value());
    json.put("database", shard.source().database());
    json.put("table", shard.source().table());
    json.put("state", shard.state().word());
    return json;
  }

  private static ShardSpec shard(JsonFields json) {
    ShardSpec shard =
        new ShardSpec(
            new ShardId(json.integer("number")),
            new TableName(json.text("of")),
            new GroupName(json.text("group")),
            new ServerName(json.text("server")),
            new SourceTable(json.text("database"), json.text("table")),
            word("shard state", DesiredState.class, DesiredState::word, json.text("state")));
    json.end();
    return shard;
  }

  private static ObjectNode properties(PassThroughProperties properties) {
    ObjectNode json = JSON.createObjectNode();
    properties
        .values()
        .forEach(
            (name, value) -> {
              if (value instanceof PropertyValue.Secret secret) {
                json.set(name, secret(secret.ref()));
              } else if (value instanceof PropertyValue.Plain plain) {
                json.put(name, plain.text());
              }
            });
    return json;
  }

  private static PassThroughProperties properties(JsonFields json) {
    Map<String, PropertyValue> values = new TreeMap<>();
    for (String name : json.names()) {
      values.put(
          name,
          json.isObject(name)
              ? new PropertyValue.Secret(secret(json.object(name)))
              : new PropertyValue.Plain(json.text(name)));
    }
    return new PassThroughProperties(values);
  }

  private static ObjectNode secret(SecretRef secret) {
    ObjectNode json = JSON.createObjectNode();
    if (secret instanceof SecretRef.EnvironmentVariable variable) {
      json.put("env", variable.name());
    } else if (secret instanceof SecretRef.SecretFile file) {
      json.put("file", file.path());
    }
    return json;
  }

  private static SecretRef secret(JsonFields json) {
    Optional<String> variable = json.optionalText("env");
    SecretRef secret =
        variable.isPresent()
            ? new SecretRef.EnvironmentVariable(variable.get())
            : new SecretRef.SecretFile(json.text("file"));
    json.end();
    return secret;
  }

  private static Duration duration(String text) {
    return DurationText.parse(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Cannot read a registry: expected "
                        + DurationText.FORM
                        + ", found '"
                        + text
                        + "'"));
  }

  private static <E extends Enum<E>> E word(
      String what, Class<E> type, Function<E, String> word, String text) {
    return Arrays.stream(type.getEnumConstants())
        .filter(one -> word.apply(one).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Cannot read a registry: expected a " + what + ", found '" + text + "'"));
  }
}
