package io.tributary.registry.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperAddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "zk:2181 zk:2181 /tributary",
        "zk:2181/ zk:2181 /tributary",
        "zk:2181/a/b-1 zk:2181 /a/b-1",
        "z1:2181,z2:2182/t z1:2181,z2:2182 /t"
      })
  void namesServersAndPath(String text, String servers, String path) {
    assertThat(ZooKeeperAddress.parse(text)).isEqualTo(new ZooKeeperAddress(servers, path));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "zk", "zk:2181 /a", "/a", "zk:2181,/a", "u:p@zk:2181/a"})
  void otherFormsAreRefused(String text) {
    assertThatThrownBy(() -> ZooKeeperAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected host:port[,host:port...]/path");
  }

  @Test
  void aPathOfOddNamesIsRefused() {
    assertThatThrownBy(() -> ZooKeeperAddress.parse("zk:2181/a//b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot use '/a//b' as a ZooKeeper path");
  }
}
