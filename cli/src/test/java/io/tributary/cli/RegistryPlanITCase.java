package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.TableCreator;
import io.tributary.coordinator.iceberg.TableSettings;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Edits are planned, asked about, published and refused, against a real ZooKeeper and a table in a
 * real metastore.
 */
class RegistryPlanITCase {
  private static final TableName TABLE = new TableName("shop.orders");
  private static final String SHARD_1 =
      "  - {number: 1, group: west, server: a, database: shop, table: orders_1}\n";

  private static LocalStack stack;

  @TempDir static Path folder;

  @BeforeAll
  static void start() {
    stack =
        LocalStack.start(
            LocalStackConfig.in(folder.resolve("stack"))
                .withOnly(Service.ZOOKEEPER, Service.METASTORE));
    Map<String, String> properties = new TreeMap<>();
    properties.put(CatalogUtil.ICEBERG_CATALOG_TYPE, "hive");
    properties.put("uri", stack.endpoints().metastoreUri());
    properties.put("warehouse", stack.endpoints().warehouse().toString());
    createTable(CatalogUtil.buildIcebergCatalog("plan", properties, new Configuration()));
  }

  @AfterAll
  static void stop() {
    if (stack != null) {
      stack.close();
    }
  }

  /** The table as the coordinator makes it, and a state as after some rounds. */
  private static void createTable(Catalog catalog) {
    Schema schema =
        new Schema(
            List.of(
                Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                Types.NestedField.required(2, "id", Types.LongType.get()),
                Types.NestedField.optional(3, "gift", Types.BooleanType.get())),
            java.util.Set.of(1, 2));
    SwapOutcome made =
        new TableCreator(catalog, TABLE, new TableSettings(Optional.empty(), Map.of()))
            .create(
                new Action.CreateTable(
                    new TableProposal(SchemaParser.toJson(schema), "shard_id", "id", 5),
                    new Term(1),
                    new OwnerId(UUID.randomUUID()),
                    new PlanId(UUID.randomUUID()),
                    0,
                    Instant.EPOCH));
    assertThat(made).isInstanceOf(SwapOutcome.Done.class);
    TableState first = ((SwapOutcome.Done) made).state();
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    for (int number : new int[] {0, 1}) {
      shards.put(
          new ShardId(number),
          new ShardState(
              new GroupName("west"),
              new ServerName("a"),
              ShardPhase.ACTIVE,
              Optional.of(new Watermark(Instant.EPOCH)),
              true,
              true,
              1,
              1,
              Optional.empty()));
    }
    UpdateProperties update =
        catalog.loadTable(TableIdentifier.parse(TABLE.value())).updateProperties();
    TableStateCodec.encode(
            new TableState(
                first.tableUuid(),
                first.round(),
                first.term(),
                first.owner(),
                first.plan(),
                1,
                0,
                Optional.of(new Watermark(Instant.EPOCH)),
                Optional.empty(),
                false,
                first.added(),
                first.removed(),
                Instant.EPOCH,
                new TreeMap<>(),
                shards,
                new TreeMap<>()))
        .forEach(update::set);
    update.commit();
  }

  private static String yaml() {
    return """
        catalog: {uri: "%s", warehouse: "%s"}
        kafka: {bootstrap-servers: "kafka:9092"}
        servers:
          a: {hostname: a.example, username: u, password: {env: A}}
          b: {hostname: b.example, username: u, password: {env: B}}
        tables:
          shop.orders: {column-types: {gift: boolean}}
        groups:
          west: {server-id: {a: 5400-5401}}
          east: {server-id: {a: 5500, b: 5400}}
        shards:
          - {number: 0, group: west, server: a, database: shop, table: orders_0}
        """
            .formatted(stack.endpoints().metastoreUri(), stack.endpoints().warehouse())
        + SHARD_1;
  }

  private static String file(String... replacements) throws Exception {
    String yaml = yaml();
    for (int i = 0; i < replacements.length; i += 2) {
      assertThat(yaml).contains(replacements[i]);
      yaml = yaml.replace(replacements[i], replacements[i + 1]);
    }
    return Files.writeString(folder.resolve(UUID.randomUUID() + ".yaml"), yaml).toString();
  }

  private static CapturedTerminal run(String place, int code, String... arguments) {
    CapturedTerminal terminal = new CapturedTerminal();
    assertThat(terminal.run(commandLine(place, arguments)))
        .as(terminal.out() + terminal.err())
        .isEqualTo(code);
    return terminal;
  }

  private static String[] commandLine(String place, String... arguments) {
    List<String> all = new ArrayList<>(List.of("registry"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--zookeeper", stack.endpoints().zooKeeper() + "/" + place));
    return all.toArray(String[]::new);
  }

  @Test
  void anEditIsPlannedAskedAboutAndPublished() throws Exception {
    CapturedTerminal first = run("plan", 5, "plan", file());
    assertThat(first.out())
        .contains("Plan of the first version", "table shop.orders: as of its round 0")
        .contains("the coordinator: submit", "tributary run-group west");
    run("plan", 0, "apply", file(), "--yes");
    assertThat(run("plan", 0, "plan", file()).out()).contains("No change: version 1 says the same");

    String more = file(SHARD_1, SHARD_1 + SHARD_1.replace('1', '7'));
    assertThat(run("plan", 5, "plan", more).out())
        .containsSubsequence(
            "Plan of an edit of version 1",
            "starts   shard 7 of shop.orders",
            "  + shard 7 of shop.orders (",
            "  why  group west reads it",
            "  rows copied from the source",
            "Once it is published:",
            "group west: submit anew, without Flink state (other shards): tributary run-group west --take-over",
            "no restart of the coordinator, group east");
    JsonNode json = new ObjectMapper().readTree(run("plan", 5, "plan", more, "-o", "json").out());
    assertThat(json.get("verdict").textValue()).isEqualTo("changes");
    assertThat(json.at("/lines/0/effect").textValue()).isEqualTo("starts");
    assertThat(json.at("/lines/0/subject").textValue()).isEqualTo("shard 7 of shop.orders");
    assertThat(json.at("/tables/shop.orders").textValue()).isEqualTo("as of its round 0");

    // Nobody answers: that is no.
    CapturedTerminal asked = run("plan", 1, "apply", more);
    assertThat(asked.out()).contains("starts   shard 7");
    assertThat(asked.err()).contains("Publish it? [y/N]", "--yes goes on without asking");
    assertThat(run("plan", 0, "show").out()).contains("Version 1,");
    StringWriter out = new StringWriter();
    Terminal person =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(new StringWriter()),
            new StringReader("y\n"),
            true,
            false);
    assertThat(Tributary.run(person, commandLine("plan", "apply", more))).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("starts   shard 7", "Published version 2");

    // An earlier version is an edit like any other.
    assertThat(run("plan", 0, "rollback", "--to", "1", "--yes").out())
        .contains("stops    shard 7 of shop.orders", "nothing of it was ever committed");
  }

  @Test
  void whatTheCoordinatorWouldRefuseIsNotPublished() throws Exception {
    run("refused", 0, "apply", file(), "--yes");
    List<String[]> refused =
        List.of(
            new String[] {SHARD_1, "", "Cannot drop shard 1"},
            new String[] {"1, group: west", "1, group: east", "Cannot move shard 1"},
            new String[] {
              "{number: 1, group: west, server: a",
              "{number: 1, group: east, server: b",
              "Cannot move shard 1"
            },
            new String[] {"orders_1", "other", "Cannot read shard 1 of table shop.orders from"},
            new String[] {"{column-types", "{bucket-count: 8, column-types", "found bucket[8]"},
            new String[] {"{column-types", "{key: [n], column-types", "found bucket[5](n)"},
            new String[] {
              "{column-types", "{shard-id-column: s, column-types", "found identity(s)"
            },
            new String[] {"gift: boolean", "gift: string", "Cannot make column gift"},
            new String[] {"{column-types", "{control-topic: x, column-types", "control-topic"},
            new String[] {"{column-types", "{status-topic: x, column-types", "status-topic"},
            new String[] {"shop.orders:", "shop.sales:", "Cannot drop table shop.orders"},
            new String[] {
              "5400-5401",
              "5400",
              SHARD_1,
              SHARD_1 + SHARD_1.replace('1', '7'),
              "Cannot copy new shards of server a"
            });
    for (String[] one : refused) {
      String text = one[one.length - 1];
      String edited = file(java.util.Arrays.copyOf(one, one.length - 1));
      assertThat(run("refused", 1, "plan", edited).out()).contains(text, "Refused: ");
      CapturedTerminal applied = run("refused", 1, "apply", edited, "--yes");
      assertThat(applied.err()).contains("Cannot publish the registry: expected ", text);
    }
    JsonNode json =
        new ObjectMapper()
            .readTree(run("refused", 1, "apply", file(SHARD_1, ""), "--yes", "-o", "json").out());
    assertThat(json.get("published").asBoolean()).isFalse();
    assertThat(json.at("/plan/verdict").textValue()).isEqualTo("refused");
    String wrong = file("server-id: {a: 5500", "server-id: {a: 5401");
    assertThat(run("refused", 1, "plan", wrong).err()).contains("overlaps", "range of its own");
    assertThat(run("refused", 1, "plan", wrong, "-o", "json").out())
        .contains("\"verdict\" : \"refused\"", "overlaps");
    assertThat(run("refused", 0, "show").out()).contains("Version 1,");

    // Going back is refused as well where it would drop what was started since.
    run("earlier", 0, "apply", file(SHARD_1, ""), "--yes", "--offline");
    run("earlier", 0, "apply", file(), "--yes");
    run("earlier", 0, "apply", file("a.example", "a2.example"), "--yes");
    assertThat(run("earlier", 1, "rollback", "--to", "1", "--yes").err())
        .contains("Cannot drop shard 1");
    assertThat(run("earlier", 0, "show").out()).contains("Version 3,");
  }

  @Test
  void aCatalogThatDoesNotAnswerIsNoPlanUnlessItIsLeftOut() throws Exception {
    run("silent", 0, "apply", file(), "--yes");
    String elsewhere =
        file(
            stack.endpoints().metastoreUri().toString(),
            "thrift://127.0.0.1:1",
            "a.example",
            "a2.example");
    assertThat(run("silent", 3, "plan", elsewhere).err())
        .contains("Cannot plan for table shop.orders", "cure: ", "--offline");
    assertThat(run("silent", 3, "apply", elsewhere, "--yes").err()).contains("--offline");
    assertThat(run("silent", 5, "plan", elsewhere, "--offline").out())
        .contains("table shop.orders: not looked at");
    assertThat(run("silent", 0, "show").out()).contains("Version 1,");
  }
}
