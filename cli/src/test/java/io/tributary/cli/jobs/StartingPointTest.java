package io.tributary.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.plan.JobStep.Kind;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableUuid;
import io.tributary.registry.zookeeper.Savepoint;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A savepoint is used only where it is the newest thing that the group did. */
class StartingPointTest {
  private static final Optional<Savepoint> KEPT =
      Optional.of(new Savepoint("file:/s", new Incarnation(4), 2, Instant.EPOCH));

  private static Optional<GroupState> group(long incarnation, Optional<Halt> halt) {
    return Optional.of(
        new GroupState(
            new Incarnation(incarnation),
            new SubmissionId(new UUID(0, incarnation)),
            7,
            HelloAnswer.START_FROM_TABLE,
            new Epoch(1),
            new Epoch(9),
            ChainHash.first(new TableUuid(new UUID(0, 1)), new GroupName("a")),
            halt));
  }

  private static void fromTable(StartingPoint point, String why) {
    assertThat(point.savepoint()).isEmpty();
    assertThat(point.why()).startsWith("from the table: ").contains(why);
  }

  @Test
  void theNewestIsUsedAlsoWithOtherSettings() {
    for (Kind kind : new Kind[] {Kind.NONE, Kind.RESUBMIT}) {
      StartingPoint point =
          StartingPoint.of(KEPT, 4, group(4, Optional.empty()), Optional.of(kind));
      assertThat(point.savepoint()).isEqualTo(KEPT);
      assertThat(point.why()).contains("from savepoint file:/s");
    }
  }

  @Test
  void withoutOneItIsTheTable() {
    fromTable(
        StartingPoint.of(Optional.empty(), 4, group(4, Optional.empty()), Optional.of(Kind.NONE)),
        "no savepoint of it is kept");
  }

  @Test
  void aSubmissionThatCameAfterItIsNewer() {
    fromTable(
        StartingPoint.of(KEPT, 5, group(4, Optional.empty()), Optional.of(Kind.NONE)),
        "incarnation 5 came after it");
  }

  @Test
  void theTableMustHaveSeenTheSameSubmission() {
    fromTable(
        StartingPoint.of(KEPT, 4, group(3, Optional.empty()), Optional.of(Kind.NONE)),
        "the table has incarnation 3");
    fromTable(
        StartingPoint.of(KEPT, 4, Optional.empty(), Optional.of(Kind.NONE)), "the table has none");
  }

  @Test
  void aHaltedGroupStartsFromTheTable() {
    Halt halt = new Halt(HaltCode.GAP, "found a gap", Instant.EPOCH);
    fromTable(
        StartingPoint.of(KEPT, 4, group(4, Optional.of(halt)), Optional.of(Kind.NONE)), "gap");
  }

  @Test
  void otherShardsStartFromTheTable() {
    for (Kind kind : new Kind[] {Kind.RESUBMIT_FROM_TABLE, Kind.START, Kind.CANCEL}) {
      fromTable(
          StartingPoint.of(KEPT, 4, group(4, Optional.empty()), Optional.of(kind)),
          "other shards or columns");
    }
    fromTable(
        StartingPoint.of(KEPT, 4, group(4, Optional.empty()), Optional.empty()),
        "other shards or columns");
  }
}
