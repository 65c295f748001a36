package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.tributary.coordinator.core.Action;
import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.LedgerHooks;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.localstack.proxy.Fault;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.proxy.Trap;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.apache.iceberg.TableMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A network between a coordinator and the Hive metastore that loses the answer to a round, or keeps
 * its request for 20 seconds, while others commit so often that the table's log of former metadata
 * no longer knows the round.
 */
class LateAnswersITCase {
  private static final String SWAP = "alter_table";
  private static final int LOG_LENGTH = 10;
  private static final int FOREIGN_COMMITS = 12;
  private static final Duration LATE = Duration.ofSeconds(20);

  private final AtomicBoolean armed = new AtomicBoolean();
  private final CompletableFuture<Trap> caught = new CompletableFuture<>();
  private final List<SwapOutcome> outcomes = new CopyOnWriteArrayList<>();
  private LoopBench bench;
  private FaultProxy proxy;

  @BeforeEach
  void open() {
    bench = new LoopBench();
    proxy = Servers.get().openProxy("metastore");
  }

  @AfterEach
  void close() {
    proxy.heal();
    bench.close();
    proxy.close();
  }

  private LoopSetup behindTheProxy(Duration socketTimeout, Fault fault, Runnable onAnswer) {
    return bench
        .setup()
        .withMetastore("thrift://" + proxy.address())
        .withSocketTimeout(socketTimeout)
        .withHooks(
            new LedgerHooks() {
              @Override
              public void beforeSwap(TableMetadata base, TableMetadata next) {
                boolean data = base.currentSnapshot() != next.currentSnapshot();
                if (data && armed.compareAndSet(true, false)) {
                  caught.complete(proxy.trap(fault, SWAP));
                }
              }
            })
        .withSteps(
            new Steps() {
              @Override
              public void after(Action action, Event answer) {
                if (caught.isDone() && answer instanceof Event.SwapAnswered swap) {
                  outcomes.add(swap.outcome());
                  onAnswer.run();
                }
              }
            });
  }

  private TestGroup groupWithOneRow() {
    TestGroup a = bench.group("a", 1);
    a.upsert(bench.table(), 1, "one");
    bench.awaitCommitted(a, 1);
    commitAsOthers("write.metadata.previous-versions-max", Integer.toString(LOG_LENGTH));
    return a;
  }

  private void commitAsOthers(String property, String value) {
    bench.commitAsOthers(table -> table.updateProperties().set(property, value).commit());
  }

  private void rotateTheLog() {
    for (int i = 0; i < FOREIGN_COMMITS; i++) {
      commitAsOthers("foreign", "commit-" + i);
    }
  }

  private Trap awaitCaught() throws Exception {
    Trap trap = caught.get(LoopBench.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    trap.awaitHit(LoopBench.PATIENCE);
    return trap;
  }

  /** Each epoch is in one snapshot, and nothing that a snapshot needs was deleted. */
  private void assertOneRoundEach(int epochs) {
    for (int epoch = 1; epoch <= epochs; epoch++) {
      String which = "a:" + epoch;
      assertThat(
              StreamSupport.stream(bench.table().snapshots().spliterator(), false)
                  .filter(snapshot -> which.equals(snapshot.summary().get("tributary.epochs"))))
          .as("snapshots of epoch %d", epoch)
          .hasSize(1);
    }
    bench.assertEveryManifestExists();
    bench.assertEachRoundOnceInOrder();
  }

  @Test
  void aRoundWhoseAnswerIsLostIsThereOnceAlsoWhenTheMetadataLogHasForgottenIt() throws Exception {
    CompletableFuture<Trap> again = new CompletableFuture<>();
    LoopBench.Running running =
        bench.start(
            behindTheProxy(
                Duration.ofMinutes(3), Fault.HOLD_REPLY, () -> again.thenAccept(Trap::lift)));
    TestGroup a = groupWithOneRow();
    armed.set(true);
    a.upsert(bench.table(), 2, "two");
    Trap trap = awaitCaught();
    bench.awaitCommitted(a, 2);
    rotateTheLog();

    // What the client sends again does not get through either.
    again.complete(proxy.trap(Fault.CUT_REQUEST, SWAP));
    trap.lift();
    proxy.cut();

    a.upsert(bench.table(), 3, "three");
    bench.awaitCommitted(a, 3);
    System.out.println("The answer was lost: " + outcomes.get(0));
    assertThat(outcomes.get(0)).isNotInstanceOf(SwapOutcome.Conflict.class);
    assertThat(running.end()).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "one"), entry("1/2", "two"), entry("1/3", "three"));
    assertOneRoundEach(3);
  }

  @Test
  void aRoundWhoseRequestIsSentTwiceBecauseItsAnswerWasCutIsThereOnce() throws Exception {
    LoopBench.Running running =
        bench.start(
            behindTheProxy(
                Duration.ofMinutes(3), Fault.CUT_REPLY, () -> caught.thenAccept(Trap::lift)));
    TestGroup a = groupWithOneRow();
    armed.set(true);
    a.upsert(bench.table(), 2, "two");
    awaitCaught();

    a.upsert(bench.table(), 3, "three");
    bench.awaitCommitted(a, 3);
    assertThat(running.end()).isEmpty();
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "one"), entry("1/2", "two"), entry("1/3", "three"));
    assertOneRoundEach(3);
  }

  @Test
  void aRequestThatArrivesTwentySecondsLateBehindATakeoverAndForeignCommitsIsRefused()
      throws Exception {
    LoopBench.Running first =
        bench.start(behindTheProxy(Duration.ofSeconds(5), Fault.HOLD_REQUEST, () -> {}));
    TestGroup a = groupWithOneRow();
    armed.set(true);
    a.upsert(bench.table(), 2, "two");
    Trap trap = awaitCaught();
    long sent = System.nanoTime();

    bench.start();
    bench.awaitState(state -> state.term().compareTo(new Term(2)) >= 0);
    bench.awaitCommitted(a, 2);
    rotateTheLog();
    long late = LATE.toNanos() - (System.nanoTime() - sent);
    TimeUnit.NANOSECONDS.sleep(late);
    trap.release();
    await().atMost(LoopBench.PATIENCE).until(() -> trap.answered() == trap.hits());

    first.awaitEnd();
    assertThat(first.fault()).isEmpty();
    assertThat(first.end()).contains(CoordinatorLoop.End.DEPOSED);
    a.upsert(bench.table(), 3, "three");
    bench.awaitCommitted(a, 3);
    TableState state = TableStateCodec.decode(bench.table().properties()).orElseThrow();
    assertThat(state.term()).isEqualTo(new Term(2));
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "one"), entry("1/2", "two"), entry("1/3", "three"));
    assertOneRoundEach(3);
  }
}
