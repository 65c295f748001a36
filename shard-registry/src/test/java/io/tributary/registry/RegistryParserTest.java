package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a registry says by default, and that every key reaches its place in the model. */
class RegistryParserTest {
  private static final String MINIMAL =
      """
      catalog:
        uri: thrift://localhost:9083
        warehouse: /warehouse
      kafka:
        bootstrap-servers: localhost:9092
      servers:
        a:
          hostname: localhost
          username: reader
          password: {env: A_PASSWORD}
      tables:
        shop.orders: {}
      groups:
        g:
          server-id:
            a: 5400
      shards:
        - {number: 3, group: g, server: a, database: shop, table: orders}
      """;

  private static final String FULL =
      """
      catalog:
        name: lake
        type: hive
        uri: thrift://one:9083,thrift://two:9083
        warehouse: s3a://lake/warehouse
        properties:
          fs.s3a.connection.maximum: 40
          fs.s3a.secret.key: {file: /run/s3}
      kafka:
        bootstrap-servers: one:9092,two:9092
        properties:
          security.protocol: SASL_SSL
          sasl.jaas.config: {env: JAAS}
      coordinator:
        checkpoint-interval: 30 s
        idle-round-interval: 500 ms
        max-layers-per-round: 3
        held-group-timeout: 2 h
      servers:
        a:
          hostname: mysql.example
          port: 3307
          username: reader
          password: {file: /run/secrets/a}
          server-time-zone: Asia/Seoul
          jdbc-properties:
            useSSL: true
            trustCertificateKeyStorePassword: {env: TRUST}
      tables:
        shop.orders:
          key: [customer, id]
          bucket-column: id
          bucket-count: 7
          column-types: {flag: boolean, x.y: double}
          schema.change.behavior: exception
          truncate-behavior: empty
          shard-id-column: source_shard
          scan.incremental.snapshot.chunk.key-column: id
          owner: team
          control-topic: orders.control
          status-topic: orders.status
          properties:
            write.parquet.compression-level: 3
      groups:
        g:
          table: shop.orders
          parallelism: 2
          checkpoint-interval: 15 s
          server-id:
            a: 5400-5403
          scan.incremental.snapshot.chunk.size: 1000
          snapshot-rows-per-second: 20000
          snapshot-connections-per-server: 1
          debezium:
            max.batch.size: 4096
      shards:
        - {number: 9, group: g, server: a, database: shop, table: orders, state: retired}
        - {number-offset: 20, group: g, server: a, database: shop, table: "orders_{0..1}", state: paused}
      """;

  private static final ServerName A = new ServerName("a");
  private static final GroupName G = new GroupName("g");
  private static final TableName ORDERS = new TableName("shop.orders");

  private final Registry minimal = RegistryParser.parse("minimal.yaml", MINIMAL);
  private final Registry full = RegistryParser.parse("full.yaml", FULL);

  private static PropertyValue plain(String text) {
    return new PropertyValue.Plain(text);
  }

  private static PropertyValue secret(SecretRef ref) {
    return new PropertyValue.Secret(ref);
  }

  @Test
  void aFileHasNoVersion() {
    assertThat(minimal.version()).isEmpty();
    assertThat(minimal.versionNumber()).isZero();
    assertThat(minimal.withVersion(new RegistryVersion(4)).versionNumber()).isEqualTo(4);
  }

  @Test
  void catalogDefaults() {
    assertThat(minimal.catalog())
        .isEqualTo(
            new CatalogSpec(
                "tributary",
                CatalogType.HIVE,
                "thrift://localhost:9083",
                "/warehouse",
                PassThroughProperties.NONE));
  }

  @Test
  void catalogFullMapping() {
    assertThat(full.catalog())
        .isEqualTo(
            new CatalogSpec(
                "lake",
                CatalogType.HIVE,
                "thrift://one:9083,thrift://two:9083",
                "s3a://lake/warehouse",
                new PassThroughProperties(
                    Map.of(
                        "fs.s3a.connection.maximum",
                        plain("40"),
                        "fs.s3a.secret.key",
                        secret(new SecretRef.SecretFile("/run/s3"))))));
  }

  @Test
  void kafkaDefaults() {
    assertThat(minimal.kafka())
        .isEqualTo(new KafkaSpec("localhost:9092", PassThroughProperties.NONE));
  }

  @Test
  void kafkaFullMapping() {
    assertThat(full.kafka())
        .isEqualTo(
            new KafkaSpec(
                "one:9092,two:9092",
                new PassThroughProperties(
                    Map.of(
                        "security.protocol",
                        plain("SASL_SSL"),
                        "sasl.jaas.config",
                        secret(new SecretRef.EnvironmentVariable("JAAS"))))));
  }

  @Test
  void coordinatorDefaults() {
    assertThat(minimal.coordinator())
        .isEqualTo(
            new CoordinatorSpec(
                Duration.ofMinutes(1), Duration.ofSeconds(10), 16, Duration.ofMinutes(10)));
  }

  @Test
  void coordinatorFullMapping() {
    assertThat(full.coordinator())
        .isEqualTo(
            new CoordinatorSpec(
                Duration.ofSeconds(30), Duration.ofMillis(500), 3, Duration.ofHours(2)));
  }

  @Test
  void serverDefaults() {
    assertThat(minimal.server(A))
        .isEqualTo(
            new ServerSpec(
                A,
                "localhost",
                3306,
                "reader",
                new SecretRef.EnvironmentVariable("A_PASSWORD"),
                Optional.empty(),
                PassThroughProperties.NONE));
  }

  @Test
  void serverFullMapping() {
    assertThat(full.server(A))
        .isEqualTo(
            new ServerSpec(
                A,
                "mysql.example",
                3307,
                "reader",
                new SecretRef.SecretFile("/run/secrets/a"),
                Optional.of(ZoneId.of("Asia/Seoul")),
                new PassThroughProperties(
                    Map.of(
                        "useSSL",
                        plain("true"),
                        "trustCertificateKeyStorePassword",
                        secret(new SecretRef.EnvironmentVariable("TRUST"))))));
  }

  @Test
  void tableDefaults() {
    assertThat(minimal.table(ORDERS))
        .isEqualTo(
            new TableSpec(
                ORDERS,
                new TableKey.PrimaryKey(),
                Optional.empty(),
                5,
                "shard_id",
                Optional.empty(),
                Map.of(),
                SchemaChangeBehavior.EVOLVE,
                TruncateBehavior.HALT,
                Optional.empty(),
                "tributary.control.shop.orders",
                "tributary.status.shop.orders",
                PassThroughProperties.NONE));
  }

  @Test
  void tableFullMapping() {
    assertThat(full.table(ORDERS))
        .isEqualTo(
            new TableSpec(
                ORDERS,
                new TableKey.Columns(List.of("customer", "id")),
                Optional.of("id"),
                7,
                "source_shard",
                Optional.of("id"),
                Map.of("flag", ColumnTypeOverride.BOOLEAN, "x.y", ColumnTypeOverride.DOUBLE),
                SchemaChangeBehavior.EXCEPTION,
                TruncateBehavior.EMPTY,
                Optional.of("team"),
                "orders.control",
                "orders.status",
                PassThroughProperties.plain(Map.of("write.parquet.compression-level", "3"))));
  }

  @Test
  void nestingWithoutEndIsRefusedByName() {
    assertThatThrownBy(() -> RegistryParser.parse("deep.yaml", "catalog: " + "[".repeat(200_000)))
        .isInstanceOf(InvalidRegistryException.class)
        .hasMessageContaining("nested too deeply");
  }

  @Test
  void groupDefaults() {
    assertThat(minimal.group(G))
        .isEqualTo(
            new GroupSpec(
                G,
                ORDERS,
                1,
                Duration.ofMinutes(1),
                Map.of(A, new ServerIdRange(5400, 5400)),
                8096,
                OptionalInt.empty(),
                OptionalInt.empty(),
                PassThroughProperties.NONE));
  }

  @Test
  void groupFullMapping() {
    assertThat(full.group(G))
        .isEqualTo(
            new GroupSpec(
                G,
                ORDERS,
                2,
                Duration.ofSeconds(15),
                Map.of(A, new ServerIdRange(5400, 5403)),
                1000,
                OptionalInt.of(20_000),
                OptionalInt.of(1),
                PassThroughProperties.plain(Map.of("max.batch.size", "4096"))));
  }

  @Test
  void shardDefaults() {
    assertThat(minimal.shards()).containsExactly(shard(3, "orders", DesiredState.ACTIVE));
  }

  @Test
  void shardFullMapping() {
    assertThat(full.shards())
        .containsExactly(
            shard(9, "orders", DesiredState.RETIRED),
            shard(20, "orders_0", DesiredState.PAUSED),
            shard(21, "orders_1", DesiredState.PAUSED));
  }

  private static ShardSpec shard(int number, String table, DesiredState state) {
    return new ShardSpec(new ShardId(number), ORDERS, G, A, new SourceTable("shop", table), state);
  }

  @Test
  void aRetiredShardFreesItsSourceTableButNotItsNumber() {
    Registry registry =
        RegistryParser.parse(
            "again.yaml",
            MINIMAL.replace("table: orders}", "table: orders, state: retired}")
                + "  - {number: 4, group: g, server: a, database: shop, table: orders}\n");
    assertThat(registry.shardsOf(ORDERS)).hasSize(2);
    assertThat(registry.activeShardsOf(G))
        .extracting(ShardSpec::id)
        .containsExactly(new ShardId(4));
  }

  @Test
  void serverIdsMayRepeatOnAnotherServer() {
    Registry registry =
        RegistryParser.parse(
            "two.yaml",
            MINIMAL
                .replace(
                    "tables:\n", "  b: {hostname: b, username: r, password: {env: B}}\ntables:\n")
                .replace("shards:\n", "  h: {server-id: {b: 5400}}\nshards:\n"));
    assertThat(registry.groups()).hasSize(2);
  }

  @Test
  void theOrderInTheFileDoesNotMatter() {
    String reversed = FULL.replaceAll("(?s)(  - \\{number: 9.*?}\n)(.*)", "$2$1");
    assertThat(reversed).isNotEqualTo(FULL);
    Registry swapped = RegistryParser.parse("swapped.yaml", reversed);
    assertThat(swapped).isEqualTo(full);
    assertThat(RegistryCodec.encode(swapped)).isEqualTo(RegistryCodec.encode(full));
  }
}
