package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SourceChangeTest {
  private static final String YAML =
      """
      catalog: {uri: "thrift://localhost:9083", warehouse: /warehouse}
      kafka: {bootstrap-servers: "localhost:9092"}
      servers:
        db1: {hostname: one, username: reader, password: {env: ONE}}
        db2: {hostname: two, username: reader, password: {env: TWO}}
      tables: {shop.orders: {}}
      groups:
        west: {server-id: {db1: 10-12, db2: 10-12}}
      shards:
        - {group: west, server: db1, database: shop, table: "orders_{000..003}"}
        - {number: 9, group: west, server: db2, database: old, table: orders, state: retired}
      """;

  private static Registry registry(String yaml) {
    return RegistryParser.parse("r.yaml", yaml);
  }

  private static List<String> changes(String was, String is) {
    assertThat(YAML).contains(was);
    return SourceChange.between(registry(YAML), registry(YAML.replace(was, is))).stream()
        .map(SourceChange::toString)
        .toList();
  }

  @Test
  void thePatternsOwnNumbersKeepTheirTables() {
    assertThat(changes("{000..003}", "{001..004}")).isEmpty();
    assertThat(changes("{000..003}", "{000..008}")).isEmpty();
  }

  @Test
  void numbersThatShiftStandForOtherTables() {
    assertThat(changes("\"orders_{000..003}\"", "\"orders_{001..004}\", number-offset: -1"))
        .containsExactly(
            "shard 0 of shop.orders: shop.orders_000 on db1 -> shop.orders_001 on db1",
            "shard 1 of shop.orders: shop.orders_001 on db1 -> shop.orders_002 on db1",
            "shard 2 of shop.orders: shop.orders_002 on db1 -> shop.orders_003 on db1",
            "shard 3 of shop.orders: shop.orders_003 on db1 -> shop.orders_004 on db1");
    assertThat(changes("\"orders_{000..003}\"", "\"orders_{000..003}\", number-offset: 1"))
        .as("shard 0 is none of them: it is gone, and 4 is new")
        .hasSize(3);
  }

  @Test
  void anotherDatabaseOrServerIsAnotherSource() {
    assertThat(changes("database: shop", "database: shop2")).hasSize(4);
    assertThat(changes("server: db1, database: shop", "server: db2, database: shop"))
        .contains("shard 0 of shop.orders: shop.orders_000 on db1 -> shop.orders_000 on db2");
    assertThat(
            SourceChange.between(
                registry(YAML), registry(YAML.replace("server: db1", "server: db2"))))
        .allMatch(SourceChange::ofServer);
    assertThat(
            SourceChange.between(
                registry(YAML), registry(YAML.replace("database: shop", "database: shop2"))))
        .noneMatch(SourceChange::ofServer);
  }

  @Test
  void anotherAddressOfTheServerAndWhatIsNotReadAreNoChange() {
    assertThat(changes("hostname: one", "hostname: three")).isEmpty();
    assertThat(changes("database: old", "database: older")).isEmpty();
    assertThat(changes("{000..003}\"}", "{000..003}\", state: paused}")).isEmpty();
    assertThat(
            SourceChange.between(
                registry(YAML),
                registry(
                    YAML.replace("shop, table", "shop2, table")
                        .replace("{000..003}\"}", "{000..003}\", state: retired}"))))
        .as("retired now")
        .isEmpty();
  }

  @Test
  void oneSourceIsNoChange() {
    ShardSpec shard = registry(YAML).shards().get(0);
    assertThatThrownBy(() -> new SourceChange(shard, shard))
        .hasMessageContaining("Cannot compare sources: expected one shard with two, found");
  }

  @Test
  void partsAreFoundInTheirFile() throws Exception {
    Path file = Files.createTempFile("registry", ".yaml");
    try {
      RegistryParser.Placed placed = RegistryParser.readFile(Files.writeString(file, YAML));
      RegistryPlaces places = placed.places();
      ShardSpec shard = placed.registry().shards().get(3);
      assertThat(places.catalog()).contains(new RegistryPlaces.Place(file.toString(), 1));
      assertThat(places.kafka().orElseThrow()).hasToString(file + ":2");
      assertThat(places.server(shard.server()).orElseThrow().line()).isEqualTo(4);
      assertThat(places.table(shard.table()).orElseThrow().line()).isEqualTo(6);
      assertThat(places.group(shard.group()).orElseThrow().line()).isEqualTo(8);
      assertThat(places.shard(shard.table(), shard.id()).orElseThrow().line()).isEqualTo(10);
      assertThat(RegistryPlaces.NONE.catalog()).isEmpty();
    } finally {
      Files.delete(file);
    }
  }
}
