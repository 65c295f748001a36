package io.tributary.registry.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.RegistryVersion;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegistryStoreITCase {
  private static final Instant NOW = Instant.parse("2026-11-30T02:00:00.123Z");

  private final Registry registry =
      RegistryParser.parseFile(Path.of("..", "config", "registry.example.yaml"));
  private TestingServer server;
  private ZooKeeperConnection connection;
  private RegistryStore store;

  @BeforeEach
  void start() throws Exception {
    server = new TestingServer();
    connection = open();
    store = store(connection);
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    server.close();
  }

  private ZooKeeperConnection open() {
    return ZooKeeperConnection.open(
        ZooKeeperAddress.parse(server.getConnectString() + "/team/tributary"),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10));
  }

  private static RegistryStore store(ZooKeeperConnection connection) {
    return new RegistryStore(connection, Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Test
  void whatIsPublishedIsReadBackWithVersionWhoAndWhen() {
    assertThat(store.current()).isEmpty();
    assertThat(store.versions()).isEmpty();

    store.publish(registry, Optional.empty(), "ann@host");
    store.publish(registry, Optional.of(new RegistryVersion(1)), "bob@host");

    Publication current = store.current().orElseThrow();
    assertThat(current)
        .isEqualTo(new Publication(new RegistryVersion(2), "bob@host", NOW, registry));
    assertThat(current.registry().version()).contains(new RegistryVersion(2));
    assertThat(store.versions()).containsExactly(new RegistryVersion(1), new RegistryVersion(2));
    assertThat(store.version(new RegistryVersion(1)).orElseThrow().publishedBy())
        .isEqualTo("ann@host");
    assertThat(store.version(new RegistryVersion(3))).isEmpty();
  }

  @Test
  void publishingOnAnOldVersionIsRefusedNamingWhoWasFirst() {
    store.publish(registry, Optional.empty(), "ann@host");
    assertThatThrownBy(() -> store.publish(registry, Optional.empty(), "bob@host"))
        .isInstanceOf(PublishConflictException.class)
        .hasMessage(
            "Cannot publish the registry: expected version none to be the current one, found version"
                + " 1, published by ann@host at 2026-11-30T02:00:00.123Z; read it, repeat the edit on"
                + " it, and publish again");
    assertThat(store.versions()).hasSize(1);
  }

  @Test
  void ofTwoOperatorsAtOnceExactlyOneWinsEachVersion() throws Exception {
    ExecutorService operators = Executors.newFixedThreadPool(2);
    try (ZooKeeperConnection second = open()) {
      List<RegistryStore> stores = List.of(store, store(second));
      CyclicBarrier together = new CyclicBarrier(2);
      for (long round = 0; round < 20; round++) {
        Optional<RegistryVersion> expected =
            round == 0 ? Optional.empty() : Optional.of(new RegistryVersion(round));
        List<Future<String>> outcomes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          RegistryStore mine = stores.get(i);
          String who = "operator-" + i;
          Callable<String> publish =
              () -> {
                together.await();
                try {
                  return mine.publish(registry, expected, who).publishedBy();
                } catch (PublishConflictException e) {
                  return "refused, " + e.current().orElseThrow().publishedBy() + " was first";
                }
              };
          outcomes.add(operators.submit(publish));
        }
        List<String> said = List.of(outcomes.get(0).get(), outcomes.get(1).get());
        String winner = store.current().orElseThrow().publishedBy();
        assertThat(said).containsExactlyInAnyOrder(winner, "refused, " + winner + " was first");
        assertThat(store.current().orElseThrow().version().value()).isEqualTo(round + 1);
      }
    } finally {
      operators.shutdownNow();
    }
  }

  @Test
  void aWatcherLearnsOfTheCurrentAndEveryLaterVersionAlsoAfterARestartOfZooKeeper()
      throws Exception {
    List<Long> seen = new CopyOnWriteArrayList<>();
    store.publish(registry, Optional.empty(), "ann");
    try (AutoCloseable watch = store.watch(p -> seen.add(p.version().value()))) {
      await().untilAsserted(() -> assertThat(seen).containsExactly(1L));
      store.publish(registry, Optional.of(new RegistryVersion(1)), "ann");
      await().untilAsserted(() -> assertThat(seen).containsExactly(1L, 2L));
      server.restart();
      store.publish(registry, Optional.of(new RegistryVersion(2)), "ann");
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(seen).containsExactly(1L, 2L, 3L));
    }
  }
}
