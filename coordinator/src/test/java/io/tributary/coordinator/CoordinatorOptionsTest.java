package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.TableName;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinatorOptionsTest {
  @Test
  void takesEveryTableWhenNoneIsNamed() {
    assertThat(CoordinatorOptions.parse("--registry-file", "/etc/registry.yaml"))
        .isEqualTo(
            new CoordinatorOptions(
                Optional.of(Path.of("/etc/registry.yaml")), Optional.empty(), Optional.empty()));
  }

  @Test
  void mapsEveryOption() {
    assertThat(CoordinatorOptions.parse("--zookeeper", "zk:2181/prod", "--table", "shop.orders"))
        .isEqualTo(
            new CoordinatorOptions(
                Optional.empty(),
                Optional.of(new ZooKeeperAddress("zk:2181", "/prod")),
                Optional.of(new TableName("shop.orders"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--table shop.orders | exactly one of --registry-file and --zookeeper, found none",
        "--registry-file a --zookeeper b:1 | exactly one of --registry-file and --zookeeper, found both",
        "--registry-file | expected a value behind --registry-file, found none",
        "--registry-file a --registry-file b | expected --registry-file once",
        "--registry a | expected one of its options, found --registry"
      })
  void refusesOtherArguments(String arguments, String message) {
    assertThatThrownBy(() -> CoordinatorOptions.parse(arguments.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("Usage:");
  }
}
