package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.Servers;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.TableName;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.hive.HiveCatalog;
import org.junit.jupiter.api.Test;

class HiveSwapProbeITCase {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than a busy machine needs for an answer, for which a client asks only once. */
  private static final Duration SHORT = Duration.ofSeconds(20);

  private static Configuration metastoreAt(String uri, Duration timeout) {
    Configuration configuration = new Configuration();
    configuration.set("hive.metastore.uris", uri);
    configuration.set("hive.metastore.client.socket.timeout", timeout.toSeconds() + "s");
    configuration.set("hive.metastore.connect.retries", "1");
    return configuration;
  }

  @Test
  void acceptsAMetastoreThatComparesAndLeavesNothingBehind() {
    String uri = Servers.get().endpoints().metastoreUri();
    HiveCatalog hive = new HiveCatalog();
    hive.setConf(metastoreAt(uri, PATIENCE));
    hive.initialize("test", Map.of("list-all-tables", "true"));

    assertThat(new HiveSwapProbe(metastoreAt(uri, PATIENCE), new TableName("nowhere.t")).problem())
        .isEmpty();

    assertThat(hive.listTables(Namespace.of("default"))).isEmpty();
  }

  /** As when the metastore stands still for longer than its client waits. */
  @Test
  void acceptsAMetastoreWhoseAnswerIsLostAndThatTheClientAsksAgain() throws Exception {
    try (FaultProxy proxy =
        FaultProxy.to(URI.create(Servers.get().endpoints().metastoreUri()).getPort())) {
      Trap trap = proxy.trap(Fault.DROP_REPLY, "expected_parameter_value\0\0\0\u0005first");
      CompletableFuture<Optional<String>> problem =
          CompletableFuture.supplyAsync(
              new HiveSwapProbe(
                      metastoreAt("thrift://" + proxy.address(), SHORT), new TableName("nowhere.t"))
                  ::problem);
      trap.awaitHit(PATIENCE);
      trap.lift();

      assertThat(problem.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
      assertThat(trap.hits()).isEqualTo(1);
    }
  }

  @Test
  void saysThatAMetastoreDoesNotAnswer() {
    assertThatThrownBy(
            () ->
                new HiveSwapProbe(metastoreAt("thrift://127.0.0.1:1", SHORT), new TableName("a.t"))
                    .problem())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not answer");
  }
}
