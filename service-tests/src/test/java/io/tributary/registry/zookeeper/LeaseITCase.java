package io.tributary.registry.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.tributary.protocol.GroupName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseITCase {
  private static final LeaseName GROUP = LeaseName.group(new GroupName("orders-a"));
  private static final String NODE = "/leases/group-orders-a";
  private static final Duration SESSION = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofSeconds(30);

  private TestingServer server;
  private ZooKeeperConnection connection;

  @BeforeEach
  void start() throws Exception {
    // A short tick allows a short session timeout.
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 200, -1), true);
    connection = open();
  }

  @AfterEach
  void stop() throws Exception {
    connection.close();
    server.close();
  }

  private ZooKeeperConnection open() {
    return ZooKeeperConnection.open(
        ZooKeeperAddress.parse(server.getConnectString() + "/tributary"), SESSION, PATIENCE);
  }

  private static LeaseOwner owner(String id) {
    return new LeaseOwner(
        id, "host-1", Instant.parse("2026-11-30T02:00:00Z"), "ingest job of group orders-a");
  }

  /** Writes down what it is told. */
  private static final class Told implements LeaseListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void lost(LeaseName lease) {
      events.add("lost " + lease);
    }

    @Override
    public void regained(LeaseName lease) {
      events.add("regained " + lease);
    }

    @Override
    public void taken(LeaseName lease, LeaseOwner by) {
      events.add("taken by " + by.id());
    }
  }

  @Test
  void aSecondOwnerIsRefusedAndToldWhoHoldsTheLease() {
    try (Lease held = Lease.take(connection, GROUP, owner("job-1"), LeaseListener.NONE);
        ZooKeeperConnection other = open()) {
      assertThat(held.state()).isEqualTo(Lease.State.HELD);
      assertThat(Lease.holder(other, GROUP)).contains(owner("job-1"));

      LeaseHeldException refused =
          catchThrowableOfType(
              LeaseHeldException.class,
              () -> Lease.take(other, GROUP, owner("job-2"), LeaseListener.NONE));

      assertThat(refused.holder()).isEqualTo(owner("job-1"));
      assertThat(refused)
          .hasMessageStartingWith(
              "Cannot take the lease of group 'orders-a': expected no other holder, found ingest job"
                  + " of group orders-a (job-1) on host-1 since 2026-11-30T02:00:00Z, still there"
                  + " after ")
          .hasMessageEndingWith(
              " ms. Stop it first; the lease of a process that died ends by itself");
      assertThat(held.state()).isEqualTo(Lease.State.HELD);
    }
  }

  @Test
  void aClosedLeaseIsFreeAtOnce() {
    Lease.take(connection, GROUP, owner("job-1"), LeaseListener.NONE).close();
    assertThat(Lease.holder(connection, GROUP)).isEmpty();
    Lease.take(connection, GROUP, owner("job-2"), LeaseListener.NONE, Duration.ZERO).close();
  }

  @Test
  void theSameOwnerTakesItsLeaseAgainAtOnceAndTheFormerTakingGivesWay() {
    Told first = new Told();
    try (Lease before = Lease.take(connection, GROUP, owner("job-1"), first);
        ZooKeeperConnection restarted = open();
        Lease again =
            Lease.take(restarted, GROUP, owner("job-1"), LeaseListener.NONE, Duration.ZERO)) {
      assertThat(again.state()).isEqualTo(Lease.State.HELD);
      await().untilAsserted(() -> assertThat(before.state()).isEqualTo(Lease.State.TAKEN));
      assertThat(first.events).containsExactly("taken by job-1");
      before.close();
      assertThat(Lease.holder(connection, GROUP)).contains(owner("job-1"));
    }
  }

  @Test
  void theLeaseOfAKilledProcessIsTakenWithinItsSessionTimeout() throws Exception {
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LeaseHolderMain.class.getName(),
                server.getConnectString() + "/tributary")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      waitUntilItHolds(holder);
      assertThatThrownBy(
              () ->
                  Lease.take(
                      connection,
                      GROUP,
                      owner("job-2"),
                      LeaseListener.NONE,
                      Duration.ofMillis(300)))
          .isInstanceOf(LeaseHeldException.class);

      holder.destroyForcibly().waitFor();
      long killed = System.nanoTime();
      try (Lease taken = Lease.take(connection, GROUP, owner("job-2"), LeaseListener.NONE)) {
        assertThat(taken.state()).isEqualTo(Lease.State.HELD);
        assertThat(Duration.ofNanos(System.nanoTime() - killed))
            .isLessThan(SESSION.plusSeconds(10));
      }
    } finally {
      holder.destroyForcibly();
    }
  }

  private static void waitUntilItHolds(Process holder) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.equals("held")) {
        return;
      }
    }
    throw new AssertionError("the holding process ended before it held the lease");
  }

  @Test
  void anExpiredSessionIsReportedAndTheLeaseIsTakenAgain() throws Exception {
    Told told = new Told();
    try (Lease lease = Lease.take(connection, GROUP, owner("job-1"), told)) {
      expireSession(connection.client());
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(told.events)
                      .containsExactly("lost group 'orders-a'", "regained group 'orders-a'"));
      assertThat(lease.state()).isEqualTo(Lease.State.HELD);
      assertThat(Lease.holder(connection, GROUP)).contains(owner("job-1"));
    }
  }

  /** Ends the session at the server, as ZooKeeper does with a client it has not heard from. */
  private void expireSession(CuratorFramework client) throws Exception {
    ZooKeeper mine = client.getZookeeperClient().getZooKeeper();
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper twin =
        new ZooKeeper(
            server.getConnectString(),
            (int) SESSION.toMillis(),
            event -> {
              if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            },
            mine.getSessionId(),
            mine.getSessionPasswd());
    connected.await();
    twin.close();
  }

  @Test
  void anotherOwnerThatHasTakenALostLeaseKeepsIt() throws Exception {
    Told told = new Told();
    try (Lease lease = Lease.take(connection, GROUP, owner("job-1"), told);
        ZooKeeperConnection other = open()) {
      CuratorFramework client = other.client();
      byte[] theirs = new LeaseNode(owner("job-2"), "token", SESSION).toBytes();
      client
          .transaction()
          .forOperations(
              client.transactionOp().delete().forPath(NODE),
              client.transactionOp().create().withMode(CreateMode.EPHEMERAL).forPath(NODE, theirs));
      await().untilAsserted(() -> assertThat(told.events).containsExactly("taken by job-2"));
      assertThat(lease.state()).isEqualTo(Lease.State.TAKEN);
      lease.close();
      assertThat(Lease.holder(connection, GROUP)).contains(owner("job-2"));
    }
  }

  @Test
  void aLeaseWhoseNodeWasRemovedByHandIsTakenAgain() throws Exception {
    Told told = new Told();
    try (Lease lease = Lease.take(connection, GROUP, owner("job-1"), told)) {
      connection.client().delete().forPath(NODE);
      await()
          .untilAsserted(
              () -> assertThat(Lease.holder(connection, GROUP)).contains(owner("job-1")));
      assertThat(lease.state()).isEqualTo(Lease.State.HELD);
      assertThat(told.events).isEmpty();
    }
  }

  @Test
  void aLongLossOfZooKeeperIsOutlived() throws Exception {
    Told told = new Told();
    try (Lease lease = Lease.take(connection, GROUP, owner("job-1"), told)) {
      server.stop();
      await()
          .atMost(LONG)
          .untilAsserted(() -> assertThat(told.events).containsExactly("lost group 'orders-a'"));
      assertThat(lease.state()).isEqualTo(Lease.State.LOST);
      server.restart();
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(told.events)
                      .containsExactly("lost group 'orders-a'", "regained group 'orders-a'"));
      await()
          .untilAsserted(
              () -> assertThat(Lease.holder(connection, GROUP)).contains(owner("job-1")));
    }
  }

  @Test
  void withoutZooKeeperTakingALeaseFailsSayingSo() throws Exception {
    server.stop();
    assertThatThrownBy(
            () -> Lease.take(connection, GROUP, owner("job-1"), LeaseListener.NONE, Duration.ZERO))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageStartingWith(
            "Cannot take the lease of group 'orders-a': expected ZooKeeper to answer");
  }
}
