package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RegistryCodecTest {
  private static final Path GOLDEN =
      Path.of("src", "test", "resources", "golden", "registry-form-1.json");

  private final Registry registry =
      RegistryParser.parse(
          "golden.yaml",
          """
          catalog:
            uri: thrift://localhost:9083
            warehouse: /warehouse
            properties: {b: 2, a: 1}
          kafka:
            bootstrap-servers: localhost:9092
            properties:
              sasl.jaas.config: {env: JAAS}
          servers:
            b: {hostname: b, username: reader, password: {file: /run/b}, server-time-zone: "+09:00"}
            a: {hostname: a, username: reader, password: {env: A}}
          tables:
            shop.orders: {key: [c, id], bucket-column: id, owner: team}
          groups:
            g:
              server-id: {b: 1-2, a: 7}
              snapshot-rows-per-second: 1000
          shards:
            - {number: 5, group: g, server: b, database: 상점, table: "주문 5", state: paused}
            - {number: 2, group: g, server: a, database: shop, table: orders}
          """);

  @Test
  void whatWasPublishedOnceCanAlwaysBeRead() throws Exception {
    String golden = Files.readString(GOLDEN).strip();
    assertThat(RegistryCodec.decode(golden)).isEqualTo(registry);
    assertThat(RegistryCodec.encode(registry)).isEqualTo(golden);
  }

  @Test
  void theVersionOfPublicationIsNotPartOfTheJson() {
    Registry published = registry.withVersion(new RegistryVersion(7));
    assertThat(RegistryCodec.encode(published)).isEqualTo(RegistryCodec.encode(registry));
    assertThat(RegistryCodec.decode(RegistryCodec.encode(published)))
        .isEqualTo(published.withoutVersion());
  }

  @Test
  void typesOfColumnsArePublished() {
    Registry typed =
        RegistryParser.parse(
            "r.yaml",
            """
            catalog: {uri: "thrift://localhost:9083", warehouse: /warehouse}
            kafka: {bootstrap-servers: "localhost:9092"}
            servers:
              a: {hostname: a, username: reader, password: {env: A}}
            tables:
              shop.orders: {column-types: {gift: boolean, price: double, big: long, exact: string}}
            groups:
              g: {server-id: {a: 7}}
            shards:
              - {number: 2, group: g, server: a, database: shop, table: orders}
            """);
    assertThat(typed.tables().get(0).columnTypes())
        .containsEntry("gift", ColumnTypeOverride.BOOLEAN)
        .hasSize(4);
    assertThat(RegistryCodec.decode(RegistryCodec.encode(typed))).isEqualTo(typed);
  }

  @Test
  void whatASchemaChangeDoesIsPublishedWhereItIsNotTheDefault() {
    Registry evolving =
        RegistryParser.parse(
            "r.yaml",
            """
            catalog: {uri: "thrift://localhost:9083", warehouse: /warehouse}
            kafka: {bootstrap-servers: "localhost:9092"}
            servers:
              a: {hostname: a, username: reader, password: {env: A}}
            tables:
              shop.orders: {schema.change.behavior: exception}
              shop.items: {schema.change.behavior: evolve}
            groups:
              g: {table: shop.orders, server-id: {a: 7}}
            shards:
              - {number: 2, group: g, server: a, database: shop, table: orders}
            """);
    assertThat(evolving.tables())
        .extracting(TableSpec::schemaChangeBehavior)
        .containsExactlyInAnyOrder(SchemaChangeBehavior.EXCEPTION, SchemaChangeBehavior.EVOLVE);
    String json = RegistryCodec.encode(evolving);
    assertThat(json).containsOnlyOnce("schema-change-behavior");
    assertThat(RegistryCodec.decode(json)).isEqualTo(evolving);
  }

  @Test
  void whatATruncateDoesIsPublishedWhereItIsNotTheDefault() {
    Registry emptying =
        RegistryParser.parse(
            "r.yaml",
            """
            catalog: {uri: "thrift://localhost:9083", warehouse: /warehouse}
            kafka: {bootstrap-servers: "localhost:9092"}
            servers:
              a: {hostname: a, username: reader, password: {env: A}}
            tables:
              shop.orders: {truncate-behavior: empty}
              shop.items: {truncate-behavior: halt}
              shop.notes: {}
            groups:
              g: {table: shop.orders, server-id: {a: 7}}
            shards:
              - {number: 2, group: g, server: a, database: shop, table: orders}
            """);
    assertThat(emptying.tables())
        .extracting(TableSpec::truncateBehavior)
        .containsExactlyInAnyOrder(
            TruncateBehavior.EMPTY, TruncateBehavior.HALT, TruncateBehavior.HALT);
    String json = RegistryCodec.encode(emptying);
    assertThat(json).containsOnlyOnce("\"truncate-behavior\":\"empty\"");
    assertThat(json).containsOnlyOnce("truncate-behavior");
    assertThat(RegistryCodec.decode(json)).isEqualTo(emptying);
    assertThatThrownBy(
            () -> RegistryCodec.decode(json.replace("behavior\":\"empty", "behavior\":\"drop")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("truncate behavior")
        .hasMessageContaining("drop");
  }

  @Test
  void anotherFormIsRefused() {
    String json = RegistryCodec.encode(registry).replace("\"form\":1", "\"form\":2");
    assertThatThrownBy(() -> RegistryCodec.decode(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot read a registry: expected form 1, found 2; it was published by another release");
  }

  @Test
  void unknownFieldsMissingFieldsAndBrokenJsonAreRefused() {
    String json = RegistryCodec.encode(registry);
    assertThatThrownBy(
            () -> RegistryCodec.decode(json.replace("\"port\":3306", "\"port\":3306,\"x\":1")))
        .hasMessage("Cannot read registry.servers[0]: expected no other field, found [x]");
    assertThatThrownBy(() -> RegistryCodec.decode(json.replace("\"port\":3306,", "")))
        .hasMessage("Cannot read registry.servers[0]: expected field 'port', found none");
    assertThatThrownBy(
            () -> RegistryCodec.decode(json.replace("\"port\":3306", "\"port\":\"canary\"")))
        .hasMessage(
            "Cannot read registry.servers[0].port: expected a whole number, found a JSON STRING");
    assertThatThrownBy(() -> RegistryCodec.decode(json + "canary"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot read a registry: expected JSON, found a fault at line 1")
        .hasMessageNotContaining("canary")
        .hasNoCause();
  }

  @Test
  void contradictionsAreRefusedAllAtOnce() {
    String json =
        RegistryCodec.encode(registry)
            .replace("\"number\":5", "\"number\":2")
            .replace("\"parallelism\":1", "\"parallelism\":4");
    assertThatThrownBy(() -> RegistryCodec.decode(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot use groups.g.server-id.a: expected at least 4 ids")
        .hasMessageContaining("Cannot use groups.g.server-id.b: expected at least 4 ids")
        .hasMessageContaining("expected a shard number of its own within table 'shop.orders'");
  }
}
