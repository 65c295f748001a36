package io.tributary.registry.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CountersITCase {
  private static final TableName ORDERS = new TableName("shop.orders");
  private static final TableName PRODUCTS = new TableName("shop.products");
  private static final GroupName A = new GroupName("a");
  private static final GroupName B = new GroupName("b");

  private TestingServer server;
  private ZooKeeperConnection connection;
  private Counters counters;

  @BeforeEach
  void start() throws Exception {
    server = new TestingServer();
    connection =
        ZooKeeperConnection.open(
            ZooKeeperAddress.parse(server.getConnectString()),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5));
    counters = new Counters(connection);
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    server.close();
  }

  @Test
  void theLastSavepointIsKeptBesideTheLastIncarnation() {
    Savepoints savepoints = new Savepoints(connection);
    assertThat(savepoints.last(ORDERS, A)).isEmpty();
    assertThat(counters.lastIncarnation(ORDERS, A)).isZero();
    for (long incarnation : new long[] {4, 5}) {
      Savepoint taken =
          new Savepoint(
              "file:/savepoints/" + incarnation,
              new Incarnation(incarnation),
              3,
              Instant.parse("2030-01-01T00:00:00Z"));
      savepoints.keep(ORDERS, A, taken);
      assertThat(savepoints.last(ORDERS, A)).contains(taken);
    }
    assertThat(savepoints.last(ORDERS, B)).isEmpty();
    counters.nextIncarnation(ORDERS, A, 4);
    assertThat(counters.lastIncarnation(ORDERS, A)).isEqualTo(5);
  }

  @Test
  void theNextIsOneAboveWhatTheTableKnowsAndWhatIsStored() {
    assertThat(counters.nextIncarnation(ORDERS, A, 0)).isEqualTo(new Incarnation(1));
    assertThat(counters.nextIncarnation(ORDERS, A, 0)).isEqualTo(new Incarnation(2));
    assertThat(counters.nextIncarnation(ORDERS, A, 9)).isEqualTo(new Incarnation(10));
    assertThat(counters.nextIncarnation(ORDERS, A, 3)).isEqualTo(new Incarnation(11));
    assertThat(counters.nextTerm(ORDERS, new Term(0))).isEqualTo(new Term(1));
    assertThat(counters.nextTerm(ORDERS, new Term(41))).isEqualTo(new Term(42));
    assertThat(counters.nextTerm(ORDERS, new Term(0))).isEqualTo(new Term(43));
  }

  @Test
  void groupsAndTablesCountApart() {
    counters.nextIncarnation(ORDERS, A, 0);
    assertThat(counters.nextIncarnation(ORDERS, B, 0)).isEqualTo(new Incarnation(1));
    assertThat(counters.nextIncarnation(PRODUCTS, A, 0)).isEqualTo(new Incarnation(1));
    counters.nextTerm(ORDERS, new Term(0));
    assertThat(counters.nextTerm(PRODUCTS, new Term(0))).isEqualTo(new Term(1));
  }

  @Test
  void noNumberIsEverGivenTwice() throws Exception {
    ExecutorService jobs = Executors.newFixedThreadPool(4);
    try {
      Callable<Incarnation> next = () -> counters.nextIncarnation(ORDERS, A, 0);
      List<Future<Incarnation>> given = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        given.add(jobs.submit(next));
      }
      List<Incarnation> all = new ArrayList<>();
      for (Future<Incarnation> one : given) {
        all.add(one.get());
      }
      assertThat(all).doesNotHaveDuplicates().hasSize(32);
    } finally {
      jobs.shutdownNow();
    }
  }

  @Test
  void withoutZooKeeperItFailsSayingSo() throws Exception {
    server.stop();
    assertThatThrownBy(() -> counters.nextTerm(ORDERS, new Term(0)))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageStartingWith(
            "Cannot take the next number of /terms/shop.orders: expected ZooKeeper at ");
  }
}
