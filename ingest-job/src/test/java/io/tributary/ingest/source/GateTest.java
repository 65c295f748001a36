package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.seal.EpochSealer;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GateTest {
  private static final List<ShardId> SHARDS = List.of(new ShardId(1), new ShardId(2));
  private static final SourcePosition POSITION = SourcePosition.of("binlog.000003", 77);

  private final Gate gate = TestServer.gate(5);

  @Test
  void waitsWhileTheTableDoesNotExistOrAnOlderSubmissionStandsThere() {
    assertThat(gate.decide(Optional.empty())).isInstanceOf(Gate.Wait.class);
    assertThat(gate.decide(Optional.of(answered(TestServer.gate(4), HelloAnswer.CONTINUE))))
        .isInstanceOf(Gate.Wait.class);
  }

  /**
   * A predecessor's last epochs, which complete its copy, wait in the control topic. A source that
   * starts from what the table shows now copies all again, and when the hello is answered behind
   * those epochs, nobody empties the partitions any more: each row is there twice.
   */
  @Test
  void withoutTheGateACopyIsMadeTwiceOver() {
    Gate ungated =
        new Gate(
            gate.group(),
            gate.incarnation(),
            gate.submission(),
            EnumSet.complementOf(EnumSet.of(SealerProtection.GATE)));
    TableState predecessors =
        TestServer.answered(
            TestServer.gate(4),
            HelloAnswer.START_FROM_TABLE,
            SHARDS,
            ShardPhase.SNAPSHOT,
            Optional.empty());
    TableState answered =
        TestServer.answered(
            gate, HelloAnswer.START_FROM_TABLE, SHARDS, ShardPhase.ACTIVE, Optional.of(POSITION));

    assertThat(gate.decide(Optional.of(predecessors))).isInstanceOf(Gate.Wait.class);
    assertThat(ungated.decide(Optional.of(predecessors)))
        .isEqualTo(new Gate.Open(HelloAnswer.START_FROM_TABLE));
    assertThat(ungated.start(predecessors, TestServer.SERVER, SHARDS))
        .isInstanceOf(Gate.InitialSnapshot.class);

    assertThat(emptied(answered)).isEmpty();
    // With the gate the source would have gone on from the position of the very same state.
    assertThat(gate.start(answered, TestServer.SERVER, SHARDS))
        .isEqualTo(new Gate.FromPosition(POSITION));
    // And where it copies, it is told to empty first.
    assertThat(
            emptied(
                TestServer.answered(
                    gate,
                    HelloAnswer.START_FROM_TABLE,
                    SHARDS,
                    ShardPhase.SNAPSHOT,
                    Optional.empty())))
        .containsExactlyElementsOf(SHARDS);
  }

  /** Shards that the first epoch behind this answer empties. */
  private List<ShardId> emptied(TableState answered) {
    EpochSealer sealer =
        new EpochSealer(
            new Submission(
                new TableName("a.b"),
                gate.group(),
                gate.incarnation(),
                gate.submission(),
                List.of(new SourcePlan(new SourceId("s"), TestServer.SERVER, SHARDS)),
                new TreeMap<>(),
                0));
    sealer.open(answered, new TableLayout(answered.tableUuid(), 0, 0, 2));
    sealer.seal(1, Instant.EPOCH);
    return sealer.complete(1).stream()
        .flatMap(committable -> committable.slices().stream())
        .flatMap(slice -> slice.emptyShards().stream())
        .toList();
  }

  @Test
  void opensForItsOwnAnswer() {
    assertThat(gate.decide(Optional.of(answered(gate, HelloAnswer.START_FROM_TABLE))))
        .isEqualTo(new Gate.Open(HelloAnswer.START_FROM_TABLE));
    assertThat(gate.decide(Optional.of(answered(gate, HelloAnswer.CONTINUE))))
        .isEqualTo(new Gate.Open(HelloAnswer.CONTINUE));
  }

  @Test
  void closesForAHigherIncarnationAndForAnotherSubmissionOfTheSame() {
    assertThat(closed(answered(TestServer.gate(6), HelloAnswer.START_FROM_TABLE)))
        .contains("superseded")
        .contains("group-a")
        .contains("found incarnation 6");
    assertThat(closed(answered(TestServer.gate(5), HelloAnswer.START_FROM_TABLE)))
        .contains("superseded");
  }

  @Test
  void closesWhenRefused() {
    assertThat(closed(answered(gate, HelloAnswer.REFUSED))).contains("refused by the coordinator");
  }

  @Test
  void startsFromThePositionWhenAllShardsAreActive() {
    assertThat(gate.start(table(ShardPhase.ACTIVE, ShardPhase.ACTIVE), TestServer.SERVER, SHARDS))
        .isEqualTo(new Gate.FromPosition(POSITION));
  }

  @Test
  void startsWithACopyWhenNoShardIsActive() {
    assertThat(
            gate.start(table(ShardPhase.SNAPSHOT, ShardPhase.SNAPSHOT), TestServer.SERVER, SHARDS))
        .isInstanceOf(Gate.InitialSnapshot.class);
  }

  @Test
  void refusesAMixtureAndSaysWhich() {
    assertThat(impossible(table(ShardPhase.ACTIVE, ShardPhase.SNAPSHOT)))
        .contains("found [1] active and [2] not yet copied")
        .contains("a source of their own");
  }

  @Test
  void refusesAShardThatStandsStill() {
    assertThat(impossible(table(ShardPhase.ACTIVE, ShardPhase.PAUSED)))
        .contains("Cannot read shard 2 of server mariadb-1")
        .contains("found paused");
  }

  private String closed(TableState table) {
    return ((Gate.Closed) gate.decide(Optional.of(table))).reason();
  }

  private String impossible(TableState table) {
    return ((Gate.Impossible) gate.start(table, TestServer.SERVER, SHARDS)).reason();
  }

  private static TableState answered(Gate by, HelloAnswer answer) {
    return TestServer.answered(by, answer, SHARDS, ShardPhase.SNAPSHOT, Optional.empty());
  }

  private TableState table(ShardPhase one, ShardPhase two) {
    TableState base =
        TestServer.answered(
            gate, HelloAnswer.START_FROM_TABLE, SHARDS, ShardPhase.ACTIVE, Optional.of(POSITION));
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(SHARDS.get(0), TestServer.shard(one));
    shards.put(SHARDS.get(1), TestServer.shard(two));
    return new TableState(
        base.tableUuid(),
        base.round(),
        base.term(),
        base.owner(),
        base.plan(),
        base.registryVersion(),
        base.controlOffset(),
        base.validThrough(),
        base.snapshot(),
        base.dataRound(),
        base.added(),
        base.removed(),
        base.committedAt(),
        base.groups(),
        shards,
        base.sources());
  }
}
