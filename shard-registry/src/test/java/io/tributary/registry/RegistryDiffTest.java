package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistryDiffTest {
  private static final String YAML =
      """
      catalog:
        uri: thrift://localhost:9083
        warehouse: /warehouse
        properties: {a: 1}
      kafka:
        bootstrap-servers: localhost:9092
      servers:
        db1: {hostname: one, username: reader, password: {env: ONE}}
        db2: {hostname: two, username: reader, password: {file: /run/two}}
      tables:
        shop.orders: {bucket-count: 8}
      groups:
        west: {table: shop.orders, server-id: {db1: 10-12}}
        east: {table: shop.orders, server-id: {db2: 20-22}}
      shards:
        - {number: 0, group: west, server: db1, database: shop, table: orders_0}
        - {number: 1, group: east, server: db2, database: shop, table: orders_1}
      """;

  private static Registry registry(String yaml) {
    return RegistryParser.parse("r.yaml", yaml);
  }

  private static List<String> changes(String yaml) {
    return RegistryDiff.between(Optional.of(registry(YAML)), registry(yaml)).stream()
        .map(RegistryChange::toString)
        .toList();
  }

  @Test
  void theSameInAnotherOrderIsNoChange() {
    String east = "  east: {table: shop.orders, server-id: {db2: 20-22}}\n";
    String west = "  west: {table: shop.orders, server-id: {db1: 10-12}}\n";
    assertThat(YAML).contains(west + east);

    assertThat(changes(YAML.replace(west + east, east + west))).isEmpty();
    assertThat(
            RegistryDiff.between(
                Optional.of(registry(YAML).withVersion(new RegistryVersion(3))), registry(YAML)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1}|{a: 2}|~ catalog: properties.a 1 -> 2",
        "{a: 1}|{b: 1}|~ catalog: properties.a 1 -> none;~ catalog: properties.b none -> 1",
        "localhost:9092|kafka:9092|~ kafka: bootstrap-servers localhost:9092 -> kafka:9092",
        "hostname: one|hostname: other|~ server db1: hostname one -> other",
        "{env: ONE}|{file: /run/one}|~ server db1: password {env: ONE} -> {file: /run/one}",
        "bucket-count: 8|bucket-count: 16|~ table shop.orders: bucket-count 8 -> 16",
        "bucket-count: 8|bucket-count: 8, key: [id]|~ table shop.orders: key none -> [\"id\"]",
        "bucket-count: 8|bucket-count: 8, truncate-behavior: empty|~ table shop.orders: truncate-behavior none -> empty",
        "{db1: 10-12}}|{db1: 10-12}, parallelism: 2}|~ group west: parallelism 1 -> 2",
        "{db1: 10-12}|{db1: 30-32}|~ group west: server-id.db1 10-12 -> 30-32",
        "table: orders_1}|table: orders_1, state: paused}|~ shard 1 of shop.orders: state active -> paused",
      })
  void saysWhichSettingChanged(String was, String is, String expected) {
    assertThat(YAML).contains(was);
    assertThat(changes(YAML.replace(was, is))).containsExactly(expected.split(";"));
  }

  @Test
  void whatComesAndGoesIsToldAsAWhole() {
    String more =
        YAML.replace(
                "  - {number: 1, group: east, server: db2, database: shop, table: orders_1}\n", "")
            + "  - {number: 7, group: west, server: db1, database: shop, table: orders_7}\n"
            + "  - {number: 8, group: east, server: db2, database: shop, table: orders_8}\n";

    assertThat(changes(more))
        .containsExactly(
            "+ shard 7 of shop.orders (group west, server db1, database shop, table orders_7, state active)",
            "+ shard 8 of shop.orders (group east, server db2, database shop, table orders_8, state active)",
            "- shard 1 of shop.orders (group east, server db2, database shop, table orders_1, state active)");
  }

  @Test
  void everyPartOfARegistryIsCompared() throws Exception {
    JsonNode root = new ObjectMapper().readTree(RegistryCodec.encode(registry(YAML)));

    assertThat(root.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "form", "catalog", "kafka", "coordinator", "servers", "tables", "groups", "shards");
  }

  @Test
  void againstNothingAllOfItIsNew() {
    assertThat(RegistryDiff.between(Optional.empty(), registry(YAML)))
        .extracting(RegistryChange::kind)
        .containsOnly(RegistryChange.Kind.ADDED)
        .hasSize(10);
  }
}
