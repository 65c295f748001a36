package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
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
