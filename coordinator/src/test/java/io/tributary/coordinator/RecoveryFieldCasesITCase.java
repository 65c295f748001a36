package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.SelfSignallingCoordinator.Moment;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.ShowLocksRequest;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Field cases in which a coordinator's process is killed: the next one makes good what it left. */
class RecoveryFieldCasesITCase {
  private LoopBench bench;
  private TestGroup a;

  @BeforeEach
  void makeTable() {
    bench = new LoopBench();
    LoopBench.Running first = bench.start();
    a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);
    first.close();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  /** Starts a coordinator, waits until all is announced, and says how long that took. */
  private void recover(String what, long epochs) {
    long start = System.nanoTime();
    bench.start();
    bench.awaitCommitted(a, epochs);
    bench.assertEachRoundOnceInOrder();
    System.out.printf(
        "%s: all committed and announced %.1f s after the restart%n",
        what, (System.nanoTime() - start) / 1e9);
    assertNoOpenTransaction();
    a.upsert(bench.table(), 1, "after");
    bench.awaitCommitted(a, epochs + 1);
    bench.assertEachRoundOnceInOrder();
    bench.assertEveryManifestExists();
  }

  private void assertNoOpenTransaction() {
    try (Admin admin =
        Admin.create(
            Map.of("bootstrap.servers", Servers.get().endpoints().kafkaBootstrapServers()))) {
      await()
          .atMost(LoopBench.PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(admin.listTransactions().all().get())
                      .filteredOn(one -> one.transactionalId().endsWith(bench.name.value()))
                      .isNotEmpty()
                      .extracting(TransactionListing::state)
                      .doesNotContain(TransactionState.ONGOING));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_MESSAGE", "IN_MESSAGE"})
  void e6_aCoordinatorKilledBetweenItsRoundAndItsMessage(Moment moment) {
    try (ChildCoordinator killed = ChildCoordinator.start(bench.setup(), moment, "KILL")) {
      a.upsert(bench.table(), 1, "two");
      killed.awaitKilled();
    }

    recover("E6, killed " + moment, 2);
  }

  @Test
  void e7_aTransactionThatExpiredWhileNobodyRan() throws Exception {
    expire(Duration.ofSeconds(5), Duration.ZERO);
  }

  @Tag("long")
  @Test
  void e7_aTransactionThatExpiredLongAgo() throws Exception {
    expire(Duration.ofSeconds(20), Duration.ofSeconds(60));
  }

  private void expire(Duration timeout, Duration wait) throws Exception {
    try (ChildCoordinator killed =
        ChildCoordinator.start(bench.setup(), timeout, Moment.IN_MESSAGE, "KILL")) {
      a.upsert(bench.table(), 1, "two");
      killed.awaitKilled();
    }
    TimeUnit.SECONDS.sleep(wait.toSeconds());
    // Nobody but the broker can have ended it.
    assertNoOpenTransaction();

    recover("E7", 2);
  }

  @Test
  void e7_aTransactionTimeoutAboveTheBrokersMaximumIsRefusedAtStart() {
    List<String> reasons = new CopyOnWriteArrayList<>();
    TableState before = bench.state().orElseThrow();
    LoopBench.Running running =
        bench.start(
            bench
                .setup()
                .withKafka(
                    Map.of(
                        "bootstrap.servers",
                        Servers.get().endpoints().kafkaBootstrapServers(),
                        "transaction.timeout.ms",
                        "3600000"))
                .withSteps(LoopBench.telling(action -> reasons.add(action.toString()))));

    running.awaitEnd();

    assertThat(running.fault()).isEmpty();
    assertThat(running.end()).contains(CoordinatorLoop.End.STOPPED);
    // It has touched nothing: no claim, no message.
    assertThat(reasons).isEmpty();
    assertThat(bench.state()).contains(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"HOLD_REPLY", "HOLD_REQUEST"})
  void f5_aCoordinatorKilledWhileTheMetastoresAnswerIsOnItsWay(Fault fault) throws Exception {
    try (FaultProxy proxy = Servers.get().openProxy("metastore");
        ChildCoordinator killed =
            ChildCoordinator.start(
                bench.setup().withMetastore("thrift://" + proxy.address()),
                Moment.BEFORE_DATA_ROUND,
                "STOP")) {
      a.upsert(bench.table(), 1, "two");
      killed.awaitStopped();
      Trap trap = proxy.trap(fault, "alter_table");
      killed.resume();
      trap.awaitHit(LoopBench.PATIENCE);
      if (fault == Fault.HOLD_REPLY) {
        bench.awaitCommitted(a, 2);
      }
      killed.kill();

      recover("F5, killed while " + fault, 2);

      // What was on its way arrives behind the new coordinator's claim.
      trap.release();
      if (fault == Fault.HOLD_REQUEST) {
        await().atMost(LoopBench.PATIENCE).until(() -> trap.answered() == trap.hits());
      }
      a.upsert(bench.table(), 2, "last");
      bench.awaitCommitted(a, 4);
    }
    assertThat(bench.state().orElseThrow().term()).isEqualTo(new Term(3));
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "after"), entry("1/2", "last"));
    bench.assertEachRoundOnceInOrder();
    HiveConf conf = new HiveConf();
    conf.set("hive.metastore.uris", Servers.get().endpoints().metastoreUri());
    HiveMetaStoreClient metastore = new HiveMetaStoreClient(conf);
    try {
      assertThat(metastore.showLocks(new ShowLocksRequest()).getLocks()).isEmpty();
    } finally {
      metastore.close();
    }
  }
}
