package io.tributary.coordinator;

import static io.tributary.coordinator.SelfSignallingCoordinator.Moment.BEFORE_CLAIM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.tributary.coordinator.SelfSignallingCoordinator.Moment;
import io.tributary.coordinator.iceberg.TableFiles;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

  /**
   * One that is only starting is not deposed: its late claim fails, and with a new look at the
   * table it takes over in order.
   */
  @Test
  void theTableRefusesAClaimThatComesLate() {
    LoopBench.Running other = bench.start();
    bench.awaitState(state -> state.term().equals(new Term(2)));
    try (ChildCoordinator frozen = ChildCoordinator.start(bench.setup(), BEFORE_CLAIM, "STOP")) {
      frozen.awaitStopped();
      a.upsert(bench.table(), 1, "two");
      bench.awaitCommitted(a, 2);
      TableState theirs = bench.state().orElseThrow();

      frozen.resume();
      bench.awaitState(state -> state.term().equals(new Term(3)));
      // The other one finds out with its next round.
      a.upsert(bench.table(), 2, "three");
      other.awaitEnd();

      assertThat(frozen.answerAfterTheMoment("Claim"))
          .contains("Conflict")
          .contains(theirs.owner().toString());
      assertThat(other.end()).contains(CoordinatorLoop.End.DEPOSED);
      bench.awaitCommitted(a, 3);
      assertThat(bench.state().orElseThrow().term()).isEqualTo(new Term(3));
      assertThat(new TableFiles(bench.table()).visibleRows())
          .containsExactly(entry("1/1", "two"), entry("1/2", "three"));
      bench.assertEveryManifestExists();
      bench.assertEachRoundOnceInOrder();
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
