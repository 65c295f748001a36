package io.tributary.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.tributary.coordinator.SelfSignallingCoordinator.Moment;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.protocol.TableState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A coordinator's process stands still between its look at the table and its request, or between a
 * round and its message, while another one takes over; then it goes on where it stood.
 */
class FrozenCoordinatorITCase {
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

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_DATA_ROUND", "BEFORE_IDLE_ROUND"})
  void theTableRefusesARoundThatComesLate(Moment moment) {
    try (ChildCoordinator frozen = ChildCoordinator.start(bench.setup(), moment, "STOP")) {
      if (moment == Moment.BEFORE_IDLE_ROUND) {
        // Moves the watermark and nothing else.
        a.epoch(bench.table());
      } else {
        a.upsert(bench.table(), 1, "two");
      }
      frozen.awaitStopped();
      TableState theirs = takeOver();

      frozen.resume();
      frozen.awaitEnd(CoordinatorLoop.End.DEPOSED);

      assertThat(frozen.answerAfterTheMoment("CommitRound"))
          .contains("Conflict")
          .contains(theirs.owner().toString());
      assertNothingCameLate(theirs);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_MESSAGE", "IN_MESSAGE"})
  void kafkaRefusesTheMessageThatComesLate(Moment moment) {
    try (ChildCoordinator frozen = ChildCoordinator.start(bench.setup(), moment, "STOP")) {
      a.upsert(bench.table(), 1, "two");
      frozen.awaitStopped();
      TableState theirs = takeOver();

      frozen.resume();
      frozen.awaitEnd(CoordinatorLoop.End.DEPOSED);

      assertThat(frozen.answerAfterTheMoment("Publish"))
          .contains("NotConfirmed")
          .containsAnyOf("ProducerFenced", "InvalidProducerEpoch");
      assertNothingCameLate(theirs);
    }
  }

  /** Another coordinator commits, and announces what the frozen one may have left. */
  private TableState takeOver() {
    bench.start();
    a.upsert(bench.table(), 2, "three");
    bench.awaitCommitted(a, 3);
    bench.assertEachRoundOnceInOrder();
    return bench.state().orElseThrow();
  }

  private void assertNothingCameLate(TableState theirs) {
    a.upsert(bench.table(), 1, "four");
    bench.awaitCommitted(a, 4);
    TableState now = bench.state().orElseThrow();
    assertThat(now.term()).isEqualTo(theirs.term());
    assertThat(now.owner()).isEqualTo(theirs.owner());
    assertThat(new TableFiles(bench.table()).visibleRows())
        .containsExactly(entry("1/1", "four"), entry("1/2", "three"));
    bench.assertEveryManifestExists();
    bench.assertEachRoundOnceInOrder();
  }
}
