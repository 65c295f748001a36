package io.tributary.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.ShardSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What takes more rows, or more groups, than a test of a server makes. */
class ShardRulesTest {
  private static final String YAML =
      """
      catalog: {uri: "thrift://m:9083", warehouse: "file:/w"}
      kafka: {bootstrap-servers: "k:9092"}
      servers:
        a: {hostname: a, username: cdc, password: {env: P}}
      tables:
        shop.orders: {bucket-column: id}
      groups:
        west: {server-id: {a: 1}}
        east: {server-id: {a: 2}}
      shards:
        - {number: 0, group: west, server: a, database: shop, table: t_0}
        - {number: 1, group: east, server: a, database: shop, table: t_1}
      """;

  private final Registry registry = RegistryParser.parse("r.yaml", YAML);
  private final SortedMap<ShardSpec, ShardFacts> found =
      new TreeMap<>(Comparator.comparing(ShardSpec::id));

  private void shard(
      int number, long rows, Map<String, Long> distinct, List<String> key, SourceColumn... more) {
    ShardSpec shard = registry.shards().get(number);
    List<SourceColumn> columns = new ArrayList<>();
    key.forEach(name -> columns.add(SourceColumn.of(name, "int").notNull()));
    columns.addAll(List.of(more));
    found.put(
        shard,
        new ShardFacts(
            Optional.of("BASE TABLE"),
            Optional.of("InnoDB"),
            OptionalLong.of(rows),
            OptionalLong.empty(),
            Optional.of(
                new SourceSchema(
                    shard.id(),
                    shard.source().database(),
                    shard.source().table(),
                    columns,
                    key,
                    List.of(),
                    rows)),
            distinct,
            Optional.empty(),
            List.of()));
  }

  private List<Finding> judge() {
    return ShardRules.judge(registry, RegistryPlaces.NONE, registry.tables().get(0), found);
  }

  @Test
  void aColumnThatNoIndexBeginsWithMakesEachChunkReadTheTable() {
    shard(0, 2_000_000, Map.of("day", 300L), List.of("day", "id"));
    assertThat(judge()).hasSize(1);
    Finding finding = judge().get(0);
    assertThat(finding.code()).isEqualTo("chunk-column-unindexed");
    assertThat(finding.severity()).isEqualTo(Finding.Severity.WARNING);
    assertThat(finding.found())
        .isEqualTo("no index begins with 'id', by which about 2,000,000 rows are cut into chunks");
    assertThat(finding.cure()).contains("scan.incremental.snapshot.chunk.key-column");
    found.clear();
    shard(0, 2_000_000, Map.of("day", 300L, "id", 2_000_000L), List.of("day", "id"));
    assertThat(judge()).isEmpty();
    found.clear();
    shard(0, 2_000, Map.of("day", 300L), List.of("day", "id"));
    assertThat(judge()).as("few chunks").isEmpty();
  }

  @Test
  void aTableThatCannotHoldTheShardsOfTwoGroupsIsNamed() {
    shard(0, 0, Map.of(), List.of("id"), SourceColumn.of("v", "int"));
    shard(1, 0, Map.of(), List.of("id"), SourceColumn.of("v", "date"));
    assertThat(judge())
        .extracting(Finding::code)
        .containsExactlyInAnyOrder("table-refused", "columns-differ", "type");
    Finding refused = judge().get(0);
    assertThat(refused.code()).isEqualTo("table-refused");
    assertThat(refused.subject()).isEqualTo("table shop.orders");
    assertThat(refused.found()).contains("found 'v' of type date instead of int");
  }

  @Test
  void aShardThatIsRefusedByItselfIsSaidOnce() {
    shard(0, 0, Map.of(), List.of("id"));
    shard(1, 0, Map.of(), List.of("id"), SourceColumn.of("v", "inet4"));
    assertThat(judge())
        .filteredOn(finding -> finding.severity() == Finding.Severity.ERROR)
        .extracting(Finding::code, Finding::subject)
        .containsExactly(
            tuple("shard-refused", "shard 1 of shop.orders (shop.t_1 on a, group east)"));
  }
}
