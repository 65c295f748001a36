package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.coordinator.Servers;
import io.tributary.protocol.TableName;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.hive.HiveCatalog;
import org.junit.jupiter.api.Test;

class HiveSwapProbeITCase {
  private static Configuration metastoreAt(String uri) {
    Configuration configuration = new Configuration();
    configuration.set("hive.metastore.uris", uri);
    configuration.set("hive.metastore.client.socket.timeout", "10s");
    configuration.set("hive.metastore.connect.retries", "1");
    return configuration;
  }

  @Test
  void acceptsAMetastoreThatComparesAndLeavesNothingBehind() {
    String uri = Servers.get().endpoints().metastoreUri();
    HiveCatalog hive = new HiveCatalog();
    hive.setConf(metastoreAt(uri));
    hive.initialize("test", Map.of("list-all-tables", "true"));

    assertThat(new HiveSwapProbe(metastoreAt(uri), new TableName("nowhere.t")).problem()).isEmpty();

    assertThat(hive.listTables(Namespace.of("default"))).isEmpty();
  }

  @Test
  void saysThatAMetastoreDoesNotAnswer() {
    assertThatThrownBy(
            () ->
                new HiveSwapProbe(metastoreAt("thrift://127.0.0.1:1"), new TableName("a.t"))
                    .problem())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not answer");
  }
}
