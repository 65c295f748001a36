package io.tributary.registry.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

/** Connections break at every point of a publication: it happens wholly, once, or not at all. */
class PublishOverBrokenConnectionsITCase {
  private static final long SEED = 20261130;

  private final Registry registry =
      RegistryParser.parseFile(Path.of("..", "config", "registry.example.yaml"));

  @Test
  void eachPublicationIsThereExactlyOnceAndIsNeverTakenForSomebodyElses() throws Exception {
    Random random = new Random(SEED);
    try (TestingServer server = new TestingServer();
        CuttingProxy proxy = new CuttingProxy(server.getPort());
        ZooKeeperConnection connection = open(proxy.connectString());
        ZooKeeperConnection direct = open(server.getConnectString())) {
      RegistryStore store = new RegistryStore(connection, Clock.systemUTC());
      RegistryStore witness = new RegistryStore(direct, Clock.systemUTC());
      Optional<RegistryVersion> current = Optional.empty();
      int rounds = 14;
      for (int round = 1; round <= rounds; round++) {
        proxy.cutAfter(random.nextInt(7));
        Publication published = store.publish(registry, current, "operator-" + round);
        assertThat(published.version().value()).as("seed %d", SEED).isEqualTo(round);
        Publication seen = witness.current().orElseThrow();
        assertThat(seen.version()).isEqualTo(published.version());
        assertThat(seen.publishedBy()).isEqualTo("operator-" + round);
        current = Optional.of(published.version());
      }
      List<RegistryVersion> all =
          LongStream.rangeClosed(1, rounds).mapToObj(RegistryVersion::new).toList();
      assertThat(witness.versions()).isEqualTo(all);
    }
  }

  @Test
  void countersNeverGiveANumberTwice() throws Exception {
    Random random = new Random(SEED);
    try (TestingServer server = new TestingServer();
        CuttingProxy proxy = new CuttingProxy(server.getPort());
        ZooKeeperConnection connection = open(proxy.connectString())) {
      Counters counters = new Counters(connection);
      Term last = new Term(0);
      for (int round = 0; round < 8; round++) {
        proxy.cutAfter(random.nextInt(4));
        Term next = counters.nextTerm(new TableName("shop.orders"), new Term(0));
        assertThat(next).as("seed %d", SEED).isGreaterThan(last);
        last = next;
      }
    }
  }

  private static ZooKeeperConnection open(String servers) {
    return ZooKeeperConnection.open(
        ZooKeeperAddress.parse(servers + "/tributary"),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10));
  }
}
