package io.tributary.registry;

import static io.tributary.registry.RegistryKey.*;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TopicNames;
import io.tributary.registry.RegistryKey.Section;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads a registry from YAML. All problems of a file are reported at once, each with file, line,
 * key, what was expected, what was found and the cure; none repeats a value that may be a secret.
 *
 * <p>The keys are those of {@link RegistryKey}; the rules between them are in the module's README.
 */
public final class RegistryParser {
  private static final String SERVER_FORM =
      "a server name of 1 to 64 lower-case letters, digits, '.', '-' or '_', beginning and ending"
          + " with a letter or digit";
  private static final String TABLE_FORM =
      "a table name: namespace and name of letters, digits and '_', joined by '.'";
  private static final String GROUP_FORM =
      "a group name of 1 to 64 lower-case letters, digits, '-' or '_', beginning and ending with a"
          + " letter or digit";

  private final ProblemCollector problems;
  private final Map<ServerName, Optional<ServerSpec>> servers = new LinkedHashMap<>();
  private final Map<TableName, Optional<TableSpec>> tables = new LinkedHashMap<>();
  private final Map<GroupName, Optional<GroupSpec>> groups = new LinkedHashMap<>();

  /** The table of each declared group, as far as it is known; also of groups that are faulty. */
  private final Map<GroupName, TableName> tableOfGroup = new LinkedHashMap<>();

  /** The key path of the entry that stands for each shard. */
  private final Map<RegistryPlaces.Numbered, String> shardPaths = new HashMap<>();

  private RegistryParser(String file) {
    this.problems = new ProblemCollector(file);
  }

  /**
   * Reads a registry file, which is UTF-8.
   *
   * @throws InvalidRegistryException when the file cannot be read or anything in it is wrong
   */
  public static Registry parseFile(Path file) {
    return readFile(file).registry();
  }

  /**
   * A registry and where its parts stand.
   *
   * @param registry without a version
   */
  public record Placed(Registry registry, RegistryPlaces places) {}

  /**
   * Reads a registry file as {@link #parseFile} does, and remembers the lines.
   *
   * @throws InvalidRegistryException when the file cannot be read or anything in it is wrong
   */
  public static Placed readFile(Path file) {
    String yaml;
    try {
      yaml = Files.readString(file);
    } catch (NoSuchFileException e) {
      throw unreadable(file, "no such file");
    } catch (CharacterCodingException e) {
      throw unreadable(file, "bytes that are not UTF-8");
    } catch (IOException e) {
      throw unreadable(file, e.getClass().getSimpleName());
    }
    return read(file.toString(), yaml);
  }

  private static InvalidRegistryException unreadable(Path file, String found) {
    return new InvalidRegistryException(
        file.toString(),
        List.of(
            new RegistryProblem(
                file.toString(),
                1,
                1,
                "",
                "a readable UTF-8 file",
                found,
                "Check the path, its permissions and its encoding.")));
  }

  /**
   * Reads a registry.
   *
   * @param file how problems name the file
   * @param yaml its content
   * @return the registry, without a version
   * @throws InvalidRegistryException when anything is wrong; holds all problems
   */
  public static Registry parse(String file, String yaml) {
    return read(file, yaml).registry();
  }

  private static Placed read(String file, String yaml) {
    RegistryParser parser = new RegistryParser(file);
    Optional<Registry> registry = parser.root(yaml).flatMap(parser::registry);
    if (registry.isEmpty() || !parser.problems.isEmpty()) {
      throw new InvalidRegistryException(file, parser.problems.sorted());
    }
    return new Placed(registry.get(), parser.problems.places(parser.shardPaths));
  }

  private Optional<Node> root(String yaml) {
    try {
      Optional<Node> root =
          new Compose(LoadSettings.builder().setUseMarks(true).build()).composeString(yaml);
      if (root.isEmpty()) {
        problems.add(
            "", (Node) null, "the sections of a registry", "an empty file", "See the example.");
      }
      return root;
    } catch (MarkedYamlEngineException e) {
      // The library's own message quotes the line, which may hold a secret.
      problems.add(
          "",
          YamlFault.place(e),
          "YAML",
          YamlFault.describe(e),
          "Check indentation, colons, quotes and brackets at this place.");
    } catch (YamlEngineException e) {
      problems.add(
          "",
          (Node) null,
          "YAML",
          "text that cannot be read",
          "Check for control characters, for more than one document, for more than 50 aliases, and for more than 3 million characters: number patterns such as orders_{000..127} stand for many shards.");
    } catch (StackOverflowError e) {
      // The library goes down into collections by recursion.
      problems.add(
          "",
          (Node) null,
          "YAML",
          "collections nested too deeply",
          "A registry has at most five levels; see the example.");
    }
    return Optional.empty();
  }

  private Optional<Registry> registry(Node root) {
    YamlSection top = YamlSection.of(Section.TOP, "", root, root, problems);
    Optional<CatalogSpec> catalog =
        top.section(CATALOG, Section.CATALOG, true).flatMap(this::catalog);
    Optional<KafkaSpec> kafka = top.section(KAFKA, Section.KAFKA, true).flatMap(this::kafka);
    CoordinatorSpec coordinator =
        top.section(RegistryKey.COORDINATOR, Section.COORDINATOR, false)
            .flatMap(this::coordinator)
            .orElse(CoordinatorSpec.DEFAULT);
    each(top.sectionsByName(SERVERS, Section.SERVER), "servers", SERVER_FORM, ServerName::new)
        .forEach((name, section) -> servers.put(name, server(name, section)));
    each(top.sectionsByName(TABLES, Section.TABLE), "tables", TABLE_FORM, TableName::new)
        .forEach((name, section) -> tables.put(name, table(name, section)));
    each(top.sectionsByName(GROUPS, Section.GROUP), "groups", GROUP_FORM, GroupName::new)
        .forEach((name, section) -> groups.put(name, group(name, section)));
    List<RegistryParts.PlacedShard> shards =
        top.sectionsOfList(SHARDS, Section.SHARD).stream()
            .flatMap(
                section -> ShardEntry.of(section).expand(groups.keySet(), tableOfGroup).stream())
            .toList();

    shards.forEach(
        placed ->
            shardPaths.put(
                new RegistryPlaces.Numbered(placed.shard().table(), placed.shard().id()),
                placed.path()));

    RegistryParts parts =
        new RegistryParts(
            servers.keySet(),
            tables.keySet(),
            groups.keySet(),
            sound(servers),
            sound(tables),
            sound(groups),
            shards);
    RegistryRules.check(parts).forEach(problems::add);
    if (!problems.isEmpty() || catalog.isEmpty() || kafka.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Registry(
            Optional.empty(),
            catalog.get(),
            kafka.get(),
            coordinator,
            parts.servers(),
            parts.tables(),
            parts.groups(),
            shards.stream().map(RegistryParts.PlacedShard::shard).toList()));
  }

  private static <T> List<T> sound(Map<?, Optional<T>> all) {
    return all.values().stream().flatMap(Optional::stream).toList();
  }

  /** The sections whose names are names of the given type; reports the others. */
  private <N> Map<N, YamlSection> each(
      Map<String, YamlSection> sections, String path, String form, Function<String, N> type) {
    Map<N, YamlSection> named = new LinkedHashMap<>();
    sections.forEach(
        (name, section) -> {
          try {
            named.put(type.apply(name), section);
          } catch (IllegalArgumentException e) {
            section.refuse(form, "'" + YamlValue.cut(name) + "'", "Rename it in '" + path + "'.");
          }
        });
    return named;
  }

  private Optional<CatalogSpec> catalog(YamlSection section) {
    String name = section.optional(CATALOG_NAME, YamlValue.text()).orElse(CatalogSpec.DEFAULT_NAME);
    CatalogType type =
        section
            .optional(CATALOG_TYPE, YamlValue.choice(CatalogType.class, CatalogType::word))
            .orElse(CatalogType.HIVE);
    Optional<String> uri =
        section.required(
            CATALOG_URI,
            YamlValue.text(
                "thrift://host:port, several joined by ','",
                text -> text.matches("thrift://[^/@,\\s]+:[0-9]+(,thrift://[^/@,\\s]+:[0-9]+)*")));
    Optional<String> warehouse =
        section.required(
            CATALOG_WAREHOUSE,
            YamlValue.text(
                "a URI or an absolute path",
                text ->
                    text.matches("[a-z][a-z0-9+.-]*:.+|/.*")
                        && !SecretGuard.holdsCredential(text)));
    PassThroughProperties properties =
        section.properties(CATALOG_PROPERTIES, true, ReservedProperties.CATALOG);
    return all(uri, warehouse)
        .flatMap(
            ignored ->
                built(
                    section,
                    () -> new CatalogSpec(name, type, uri.get(), warehouse.get(), properties)));
  }

  private Optional<KafkaSpec> kafka(YamlSection section) {
    Optional<String> servers =
        section.required(
            KAFKA_BOOTSTRAP_SERVERS,
            YamlValue.text(
                "host:port, several joined by ','",
                text -> text.matches("[^/@,\\s]+:[0-9]{1,5}(,[^/@,\\s]+:[0-9]{1,5})*")));
    PassThroughProperties properties =
        section.properties(KAFKA_PROPERTIES, true, ReservedProperties.KAFKA);
    return servers.flatMap(text -> built(section, () -> new KafkaSpec(text, properties)));
  }

  private Optional<CoordinatorSpec> coordinator(YamlSection section) {
    CoordinatorSpec defaults = CoordinatorSpec.DEFAULT;
    return built(
        section,
        () ->
            new CoordinatorSpec(
                section
                    .optional(
                        COORDINATOR_CHECKPOINT_INTERVAL,
                        YamlValue.duration(
                            CoordinatorSpec.LEAST_INTERVAL, CoordinatorSpec.MOST_INTERVAL))
                    .orElse(defaults.checkpointInterval()),
                section
                    .optional(
                        COORDINATOR_IDLE_ROUND_INTERVAL,
                        YamlValue.duration(
                            CoordinatorSpec.LEAST_INTERVAL, CoordinatorSpec.MOST_INTERVAL))
                    .orElse(defaults.idleRoundInterval()),
                section
                    .optional(
                        COORDINATOR_MAX_LAYERS, YamlValue.integer(1, CoordinatorSpec.MOST_LAYERS))
                    .orElse(defaults.maxLayersPerRound()),
                section
                    .optional(
                        COORDINATOR_HELD_GROUP_TIMEOUT,
                        YamlValue.duration(CoordinatorSpec.LEAST_HELD, CoordinatorSpec.MOST_HELD))
                    .orElse(defaults.heldGroupTimeout())));
  }

  private Optional<ServerSpec> server(ServerName name, YamlSection section) {
    Optional<String> hostname =
        section.required(
            SERVER_HOSTNAME,
            YamlValue.text(
                "a host name or an address",
                text -> text.matches("[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(%[A-Za-z0-9]+)?")));
    int port =
        section.optional(SERVER_PORT, YamlValue.integer(1, 65_535)).orElse(ServerSpec.DEFAULT_PORT);
    Optional<String> username = section.required(SERVER_USERNAME, YamlValue.text());
    Optional<SecretRef> password = section.requiredSecret(SERVER_PASSWORD);
    var zone = section.optional(SERVER_TIME_ZONE, YamlValue.zone());
    PassThroughProperties jdbc =
        section.properties(SERVER_JDBC_PROPERTIES, true, ReservedProperties.JDBC);
    return all(hostname, username, password)
        .flatMap(
            ignored ->
                built(
                    section,
                    () ->
                        new ServerSpec(
                            name,
                            hostname.get(),
                            port,
                            username.get(),
                            password.get(),
                            zone,
                            jdbc)));
  }

  private Optional<TableSpec> table(TableName name, YamlSection section) {
    YamlValue<String> column = YamlValue.text("the name of a column", text -> text.length() <= 64);
    YamlValue<String> topic =
        YamlValue.text(
            "a Kafka topic name: 1 to 249 letters, digits, '.', '_' or '-'",
            text -> text.matches("[A-Za-z0-9._-]{1,249}") && !text.matches("\\.{1,2}"));
    return built(
        section,
        () ->
            new TableSpec(
                name,
                section.optional(TABLE_KEY, YamlValue.tableKey()).orElse(new TableKey.PrimaryKey()),
                section.optional(TABLE_BUCKET_COLUMN, column),
                section
                    .optional(TABLE_BUCKET_COUNT, YamlValue.integer(1, TableSpec.MOST_BUCKETS))
                    .orElse(TableSpec.DEFAULT_BUCKET_COUNT),
                section
                    .optional(TABLE_SHARD_ID_COLUMN, column)
                    .orElse(TableSpec.DEFAULT_SHARD_ID_COLUMN),
                section.optional(TABLE_CHUNK_KEY_COLUMN, column),
                columnTypes(section),
                section
                    .optional(
                        TABLE_SCHEMA_CHANGE_BEHAVIOR,
                        YamlValue.choice(SchemaChangeBehavior.class, SchemaChangeBehavior::word))
                    .orElse(TableSpec.DEFAULT_SCHEMA_CHANGE_BEHAVIOR),
                section
                    .optional(
                        TABLE_TRUNCATE_BEHAVIOR,
                        YamlValue.choice(TruncateBehavior.class, TruncateBehavior::word))
                    .orElse(TableSpec.DEFAULT_TRUNCATE_BEHAVIOR),
                section.optional(TABLE_OWNER, YamlValue.text()),
                section.optional(TABLE_CONTROL_TOPIC, topic).orElse(TopicNames.control(name)),
                section.optional(TABLE_STATUS_TOPIC, topic).orElse(TopicNames.status(name)),
                section.properties(TABLE_PROPERTIES, false, ReservedProperties.TABLE)));
  }

  private static Map<String, ColumnTypeOverride> columnTypes(YamlSection section) {
    Map<String, ColumnTypeOverride> types = new TreeMap<>();
    if (section.has(TABLE_COLUMN_TYPES)) {
      section
          .valuesByName(
              TABLE_COLUMN_TYPES,
              YamlValue.choice(ColumnTypeOverride.class, ColumnTypeOverride::word))
          .forEach((column, type) -> type.ifPresent(one -> types.put(column, one)));
    }
    return types;
  }

  private Optional<GroupSpec> group(GroupName name, YamlSection section) {
    Optional<TableName> table =
        section.has(GROUP_TABLE) || tables.size() != 1
            ? section.required(GROUP_TABLE, YamlValue.named(TABLE_FORM, TableName::new))
            : tables.keySet().stream().findFirst();
    table.ifPresent(one -> tableOfGroup.put(name, one));
    Optional<Map<ServerName, ServerIdRange>> serverIds = serverIds(section);
    Optional<Integer> parallelism =
        section.optional(GROUP_PARALLELISM, YamlValue.integer(1, GroupSpec.MOST_PARALLELISM));
    var interval =
        section.optional(
            GROUP_CHECKPOINT_INTERVAL,
            YamlValue.duration(GroupSpec.LEAST_INTERVAL, GroupSpec.MOST_INTERVAL));
    Optional<Integer> chunk =
        section.optional(
            GROUP_CHUNK_SIZE, YamlValue.integer(GroupSpec.LEAST_CHUNK, GroupSpec.MOST_CHUNK));
    Optional<Integer> rows =
        section.optional(GROUP_SNAPSHOT_ROWS, YamlValue.integer(1, GroupSpec.MOST_ROWS_PER_SECOND));
    Optional<Integer> connections =
        section.optional(
            GROUP_SNAPSHOT_CONNECTIONS, YamlValue.integer(1, GroupSpec.MOST_PARALLELISM));
    PassThroughProperties debezium =
        section.properties(GROUP_DEBEZIUM, false, ReservedProperties.DEBEZIUM);
    return all(table, serverIds)
        .flatMap(
            ignored ->
                built(
                    section,
                    () ->
                        new GroupSpec(
                            name,
                            table.get(),
                            parallelism.orElse(GroupSpec.DEFAULT_PARALLELISM),
                            interval.orElse(GroupSpec.DEFAULT_CHECKPOINT_INTERVAL),
                            serverIds.get(),
                            chunk.orElse(GroupSpec.DEFAULT_CHUNK_SIZE),
                            asInt(rows),
                            asInt(connections),
                            debezium)));
  }

  /** The ranges of a group; empty when any of them is faulty, so that none is called missing. */
  private Optional<Map<ServerName, ServerIdRange>> serverIds(YamlSection section) {
    Map<ServerName, ServerIdRange> serverIds = new LinkedHashMap<>();
    boolean sound = true;
    for (var entry : section.valuesByName(GROUP_SERVER_ID, YamlValue.serverIds()).entrySet()) {
      if (entry.getValue().isEmpty()) {
        sound = false;
        continue;
      }
      try {
        serverIds.put(new ServerName(entry.getKey()), entry.getValue().get());
      } catch (IllegalArgumentException e) {
        sound = false;
        section.refuse(
            GROUP_SERVER_ID,
            SERVER_FORM,
            "'" + YamlValue.cut(entry.getKey()) + "'",
            "Use the server's name as it stands in 'servers'.");
      }
    }
    return sound && section.has(GROUP_SERVER_ID) ? Optional.of(serverIds) : Optional.empty();
  }

  private static OptionalInt asInt(Optional<Integer> value) {
    return value.map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  /** Present when all are. */
  private static Optional<Boolean> all(Optional<?>... parts) {
    return Stream.of(parts).allMatch(Optional::isPresent) ? Optional.of(true) : Optional.empty();
  }

  /**
   * Makes a record. The values were checked one by one before; a constructor that still refuses is
   * reported at the section rather than thrown, so that the other problems are seen too.
   */
  private static <T> Optional<T> built(YamlSection section, Supplier<T> record) {
    try {
      return Optional.of(record.get());
    } catch (IllegalArgumentException e) {
      section.refuse("sound values", e.getMessage(), "Correct the section.");
      return Optional.empty();
    }
  }
}
