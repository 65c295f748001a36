package io.tributary.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.GroupName;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class IngestConfigTest {
  @Test
  void theLeastIsARegistryAndAGroup() {
    assertThat(IngestConfig.parse("--registry-file", "r.yaml", "--group", "a"))
        .isEqualTo(
            new IngestConfig(
                new IngestConfig.RegistryFile(Path.of("r.yaml")), new GroupName("a"), false));
  }

  @Test
  void allThatCanBeSaid() {
    assertThat(IngestConfig.parse("--take-over", "--zookeeper", "zk:2181/trib", "--group", "a"))
        .isEqualTo(
            new IngestConfig(
                new IngestConfig.RegistryZooKeeper(ZooKeeperAddress.parse("zk:2181/trib")),
                new GroupName("a"),
                true));
  }

  @Test
  void saysAllThatIsWrongAtOnce() {
    assertThatThrownBy(
            () ->
                IngestConfig.parse(
                    "--registry-file", "r", "--zookeeper", "zk", "--verbose", "--group"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot start an ingest job: ")
        .hasMessageContaining("found '--verbose'")
        .hasMessageContaining("expected a value after --group")
        .hasMessageContaining("expected one of --registry-file and --zookeeper, found both")
        .hasMessageContaining("expected --group, found none")
        .hasMessageContaining("Cannot use 'zk' as a ZooKeeper address");
    assertThatThrownBy(() -> IngestConfig.parse("--group", "a", "--group", "b"))
        .hasMessageContaining("expected --group once")
        .hasMessageContaining("found none");
  }
}
