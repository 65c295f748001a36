package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.core.CoreSettings;
import io.tributary.coordinator.core.Members;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class CoordinatorJobTest {
  private static final TableName ORDERS = new TableName("shop.orders");
  private static final Registry REGISTRY =
      RegistryParser.parse(
          "test",
          """
          catalog: {uri: "thrift://127.0.0.1:9083", warehouse: "file:/tmp/warehouse"}
          kafka:
            bootstrap-servers: 127.0.0.1:9092
            properties: {sasl.jaas.config: {env: JAAS}}
          coordinator: {checkpoint-interval: 5 s, idle-round-interval: 2 s, max-layers-per-round: 7, held-group-timeout: 3 min}
          servers:
            mysql-a: {hostname: 127.0.0.1, username: cdc, password: {env: PW}}
          tables:
            shop.orders: {}
          groups:
            a: {server-id: {mysql-a: 5400-5401}}
            b: {server-id: {mysql-a: 5402-5403}}
          shards:
            - {number: 1, group: a, server: mysql-a, database: shop, table: orders_1}
            - {number: 2, group: b, server: mysql-a, database: shop, table: orders_2, state: paused}
          """);

  @Test
  void carriesTheRegistryThroughTheJobGraphWithoutSecrets() throws Exception {
    TableJob job =
        TableJob.of(
            ORDERS, REGISTRY.withVersion(new RegistryVersion(4)), Optional.empty(), "submission");

    TableJob received = InstantiationUtil.clone(new CoordinatorSource(job)).job();

    assertThat(received.registry()).isEqualTo(REGISTRY.withVersion(new RegistryVersion(4)));
    assertThat(received.zooKeeperAddress()).isEmpty();
    assertThat(TableJob.settings(ORDERS, REGISTRY.coordinator()))
        .isEqualTo(CoreSettings.of(ORDERS, Duration.ofSeconds(2), 7, Duration.ofMinutes(3)));
  }

  @Test
  void tellsTheCoreWhoReadsWhichShard() {
    ServerName server = new ServerName("mysql-a");
    assertThat(TableJob.members(REGISTRY, ORDERS))
        .isEqualTo(
            Members.of(
                0,
                Map.of(
                    new ShardId(1),
                    Members.Member.active(new GroupName("a"), server),
                    new ShardId(2),
                    new Members.Member(new GroupName("b"), server, Members.Desired.PAUSED))));
    assertThat(TableJob.members(REGISTRY, new TableName("no.such")).shards()).isEmpty();
  }

  @Test
  void refusesUnalignedCheckpoints() {
    Configuration cluster = new Configuration();
    cluster.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(cluster);

    assertThatThrownBy(() -> CoordinatorJob.configure(environment, Duration.ofSeconds(5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unaligned");
  }

  @Test
  void checkpointsAtTheRegistrysIntervalAndRestartsUnlessTheClusterSaysOtherwise() {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
    CoordinatorJob.configure(environment, Duration.ofSeconds(5));

    assertThat(environment.getCheckpointInterval()).isEqualTo(5_000);
    assertThat(environment.getConfiguration().get(RestartStrategyOptions.RESTART_STRATEGY))
        .isEqualTo("exponential-delay");

    Configuration cluster = new Configuration();
    cluster.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    StreamExecutionEnvironment asked = StreamExecutionEnvironment.getExecutionEnvironment(cluster);
    CoordinatorJob.configure(asked, Duration.ofSeconds(5));
    assertThat(asked.getConfiguration().get(RestartStrategyOptions.RESTART_STRATEGY))
        .isEqualTo("fixed-delay");
  }
}
