package io.tributary.ingest.seal;

import static io.tributary.ingest.seal.SealerFixtures.GROUP;
import static io.tributary.ingest.seal.SealerFixtures.LAYOUT;
import static io.tributary.ingest.seal.SealerFixtures.NOW;
import static io.tributary.ingest.seal.SealerFixtures.SERVER;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_1;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_2;
import static io.tributary.ingest.seal.SealerFixtures.SOURCE;
import static io.tributary.ingest.seal.SealerFixtures.UUID_OF_TABLE;
import static io.tributary.ingest.seal.SealerFixtures.changed;
import static io.tributary.ingest.seal.SealerFixtures.contents;
import static io.tributary.ingest.seal.SealerFixtures.copied;
import static io.tributary.ingest.seal.SealerFixtures.copiedAndChanged;
import static io.tributary.ingest.seal.SealerFixtures.newTable;
import static io.tributary.ingest.seal.SealerFixtures.reached;
import static io.tributary.ingest.seal.SealerFixtures.submission;
import static io.tributary.ingest.seal.SealerFixtures.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.source.Emptied;
import io.tributary.ingest.source.SourceMark;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class EpochSealerTest {
  private static final Instant T1 = Instant.parse("2026-11-30T11:00:00Z");
  private static final Instant T2 = Instant.parse("2026-11-30T11:00:05Z");

  private static EpochSealer started() {
    return started(EnumSet.allOf(SealerProtection.class));
  }

  private static EpochSealer started(Set<SealerProtection> protections) {
    EpochSealer sealer = new EpochSealer(submission(1), Optional.empty(), protections);
    sealer.open(newTable(submission(1)), LAYOUT);
    return sealer;
  }

  private static Committable sealed(EpochSealer sealer, long checkpointId) {
    return sealer.seal(checkpointId, NOW).orElseThrow();
  }

  private static EpochSealer restored(EpochSealer sealer, Submission submission)
      throws IOException {
    return new EpochSealer(
        submission, SealerStateCodec.decode(SealerStateCodec.encode(sealer.state())));
  }

  private static ShardState active(Instant watermark) {
    return new ShardState(
        GROUP,
        SERVER,
        ShardPhase.ACTIVE,
        Optional.of(new Watermark(watermark)),
        true,
        true,
        500,
        480,
        Optional.empty());
  }

  @Test
  void sealsNothingBeforeTheTableHasAnswered() {
    EpochSealer sealer = new EpochSealer(submission(1));
    sealer.add(copied(1, 0, 10));
    sealer.mark(SOURCE, SealerFixtures.mark(Optional.empty(), Optional.empty()));

    assertThat(sealer.seal(1, NOW)).isEmpty();
    assertThat(sealer.complete(1)).isEmpty();
    assertThat(sealer.continuation()).isEmpty();
  }

  @Test
  void keepsResultsOfBarriersBeforeTheAnswerForTheFirstEpoch() throws IOException {
    EpochSealer sealer = new EpochSealer(submission(1));
    sealer.add(copied(1, 0, 10));
    sealer.seal(1, NOW);
    sealer = restored(sealer, submission(1));
    sealer.mark(SOURCE, reached(4, T1));
    sealer.add(copied(2, 0, 5));
    sealer.open(newTable(submission(1)), LAYOUT);

    Committable first = sealed(sealer, 2);

    assertThat(first.slices()).hasSize(2);
    assertThat(contents(first.slices().get(0))).containsExactly("copied/1/0");
    assertThat(contents(first.slices().get(1))).containsExactly("copied/2/0");
    assertThat(first.shards().get(0).copiedRows()).isEqualTo(15);
    assertThat(first.shards().get(0).phase()).isEqualTo(ShardPhase.ACTIVE);
  }

  @Test
  void epochsAreContiguousAndFormAChainAlsoWithoutRows() {
    EpochSealer sealer = started();
    Committable first = sealed(sealer, 1);
    sealer.add(changed(2, 0, 3));
    Committable second = sealed(sealer, 2);
    Committable third = sealed(sealer, 3);

    assertThat(List.of(first.epoch(), second.epoch(), third.epoch()))
        .containsExactly(new Epoch(1), new Epoch(2), new Epoch(3));
    assertThat(first.previous()).isEqualTo(ChainHash.first(UUID_OF_TABLE, GROUP));
    assertThat(second.previous()).isEqualTo(first.chain());
    assertThat(third.previous()).isEqualTo(second.chain());
    assertThat(third.slices()).isEmpty();
  }

  @Test
  void copiedRowsComeBeforeTheChangesOfTheSameBarrierInASliceOfTheirOwn() {
    EpochSealer sealer = started();
    sealed(sealer, 1);
    sealer.add(copiedAndChanged(2, 1, 7, 2));
    sealer.add(copiedAndChanged(2, 0, 5, 1));

    Committable epoch = sealed(sealer, 2);

    assertThat(epoch.slices()).hasSize(2);
    assertThat(contents(epoch.slices().get(0))).containsExactly("copied/2/0", "copied/2/1");
    assertThat(contents(epoch.slices().get(1))).containsExactly("changed/2/0", "changed/2/1");
    assertThat(epoch.slices().get(0).counts().dataRecords()).isEqualTo(12);
    assertThat(epoch.slices().get(1).counts().equalityDeleteRecords()).isEqualTo(3);
  }

  @Test
  void filesOfAnAbortedBarrierBecomeEarlierSlicesAndAreNeverMerged() {
    EpochSealer sealer = started();
    sealed(sealer, 1);
    // Barrier 2 reached writer 0 only, then its checkpoint was aborted.
    sealer.add(changed(2, 0, 1));
    sealer.add(changed(3, 0, 1));
    sealer.add(changed(3, 1, 1));

    Committable epoch = sealed(sealer, 3);

    assertThat(epoch.epoch()).isEqualTo(new Epoch(2));
    assertThat(epoch.slices()).hasSize(2);
    assertThat(contents(epoch.slices().get(0))).containsExactly("changed/2/0");
    assertThat(contents(epoch.slices().get(1))).containsExactly("changed/3/0", "changed/3/1");
  }

  @Test
  void whatAWriterClosedEarlyForNewColumnsIsASliceBeforeWhatItClosedAtTheBarrier() {
    EpochSealer sealer = started();
    sealed(sealer, 1);
    TableLayout evolved = new TableLayout(LAYOUT.tableUuid(), 9, LAYOUT.specId(), 2);
    sealer.add(changed(2, 1, 3));
    sealer.add(copiedAndChanged(2, 0, 5, 1));
    WriterResult later = changed(3, 0, 1).at(2);
    sealer.add(
        new WriterResult(2, 0, evolved, later.appended(), later.changed(), later.copiedRows()));
    SealerState state = sealer.state();
    EpochSealer restored = new EpochSealer(submission(1), state);

    for (EpochSealer each : List.of(sealer, restored)) {
      Committable epoch = sealed(each, 2);
      assertThat(epoch.slices()).hasSize(3);
      assertThat(contents(epoch.slices().get(0))).containsExactly("copied/2/0");
      assertThat(contents(epoch.slices().get(1))).containsExactly("changed/2/0", "changed/2/1");
      assertThat(contents(epoch.slices().get(2))).containsExactly("changed/3/0");
      assertThat(epoch.schemaId()).isEqualTo(9);
    }
  }

  @Test
  void aCompletedCheckpointAlsoReleasesSealedEpochsOfAbortedOnesAndOfSavepointsNeverReported() {
    EpochSealer sealer = started();
    Committable first = sealed(sealer, 1);
    Committable second = sealed(sealer, 2);
    Committable savepoint = sealed(sealer, 3);
    Committable fourth = sealed(sealer, 4);
    Committable notYet = sealed(sealer, 5);

    assertThat(sealer.complete(1)).containsExactly(first);
    assertThat(sealer.complete(4)).containsExactly(second, savepoint, fourth);
    assertThat(sealer.complete(4)).isEmpty();
    assertThat(sealer.toSend()).containsExactly(first, second, savepoint, fourth);
    assertThat(sealer.unsentEpochs()).isEqualTo(5);
    assertThat(sealer.complete(5)).containsExactly(notYet);
  }

  @Test
  void acknowledgedEpochsLeaveTheStateAndTheOthersAreSentAgainAfterARestart() throws IOException {
    EpochSealer sealer = started();
    Committable first = sealed(sealer, 1);
    sealer.add(changed(2, 0, 1));
    Committable second = sealed(sealer, 2);
    sealer.complete(1);
    sealer.acknowledge(first.epoch());

    EpochSealer again = restored(sealer, submission(1));

    assertThat(again.isOpen()).isTrue();
    assertThat(again.toSend()).containsExactly(second);
    assertThat(again.continuation().orElseThrow().epoch()).isEqualTo(second.epoch());
    assertThat(sealed(again, 3).previous()).isEqualTo(second.chain());
  }

  @Test
  void aNewSubmissionContinuesTheChainOfItsStateWhenTheTableAgrees() throws IOException {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, reached(100, T1));
    sealed(sealer, 1);
    Committable second = sealed(sealer, 2);

    EpochSealer next = restored(sealer, submission(2));

    assertThat(next.isOpen()).isFalse();
    assertThat(next.seal(9, NOW)).isEmpty();
    assertThat(next.toSend()).hasSize(2);
    next.open(
        table(
            submission(2),
            HelloAnswer.CONTINUE,
            second.epoch(),
            new Epoch(1),
            second.previous(),
            Map.of(),
            Optional.empty()),
        LAYOUT);
    Committable third = sealed(next, 10);
    assertThat(third.previous()).isEqualTo(second.chain());
    assertThat(third.epoch()).isEqualTo(new Epoch(3));
    assertThat(third.slices()).isEmpty();
    assertThat(third.shards()).allMatch(shard -> shard.phase() == ShardPhase.ACTIVE);
  }

  @Test
  void refusesAStateWhoseReaderDoesNotKnowAShardThatItIsToRead() throws IOException {
    Submission one = submission(1, List.of(new SourcePlan(SOURCE, SERVER, List.of(SHARD_1))));
    EpochSealer sealer = new EpochSealer(one);
    sealer.open(newTable(one), LAYOUT);
    Committable first = sealed(sealer, 1);
    Submission both = submission(2);
    EpochSealer next = restored(sealer, both);

    assertThatThrownBy(
            () ->
                next.open(
                    table(
                        both,
                        HelloAnswer.CONTINUE,
                        first.epoch(),
                        first.epoch(),
                        first.chain(),
                        Map.of(),
                        Optional.empty()),
                    LAYOUT))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("expected it to have read shards [1, 2], found only [1]")
        .hasMessageContaining("submit the job without Flink state");
  }

  @Test
  void refusesToContinueFromAStateThatTheTableDoesNotKnow() throws IOException {
    EpochSealer sealer = started();
    sealed(sealer, 1);
    EpochSealer next = restored(sealer, submission(2));

    assertThatThrownBy(() -> next.open(newTable(submission(2)), LAYOUT))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("Cannot continue group g from its Flink state")
        .hasMessageContaining("submit the job without Flink state");
  }

  @Test
  void saysWhyTheCoordinatorRefused() {
    EpochSealer sealer = new EpochSealer(submission(1));

    assertThatThrownBy(
            () ->
                sealer.open(
                    table(
                        submission(1),
                        HelloAnswer.REFUSED,
                        new Epoch(0),
                        new Epoch(0),
                        ChainHash.first(UUID_OF_TABLE, GROUP),
                        Map.of(),
                        Optional.empty()),
                    LAYOUT))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("incarnation 1 of group g")
        .hasMessageContaining("it was rewound");
  }

  @Test
  void refusesTheStateOfASubmissionThatNeverSealed() throws IOException {
    EpochSealer sealer = new EpochSealer(submission(1));
    SealerState state = SealerStateCodec.decode(SealerStateCodec.encode(sealer.state()));

    assertThatThrownBy(() -> new EpochSealer(submission(2), state))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("submit the job without Flink state");
    assertThat(new EpochSealer(submission(1), state).isOpen()).isFalse();
  }

  @Test
  void aCopyFromTheTableEmptiesThePartitionsOfShardsThatAreNotActiveOnce() {
    EpochSealer sealer = started();
    sealer.add(copied(1, 0, 10));

    Committable first = sealed(sealer, 1);
    sealer.add(copied(2, 0, 10));
    Committable second = sealed(sealer, 2);

    assertThat(first.slices()).hasSize(1);
    assertThat(first.slices().get(0).emptyShards()).containsExactly(SHARD_1, SHARD_2);
    assertThat(second.slices().get(0).emptyShards()).isEmpty();
  }

  @Test
  void aSourceThatWasLeftOutForOneSubmissionIsCopiedAnewFromEmptiedPartitions() throws IOException {
    SourcePlan one = new SourcePlan(SOURCE, SERVER, List.of(SHARD_1));
    SourcePlan two =
        new SourcePlan(new SourceId("source-db2"), new ServerName("db2"), List.of(SHARD_2));
    EpochSealer both = new EpochSealer(submission(1, List.of(one, two)));
    both.open(newTable(submission(1)), LAYOUT);
    Committable first = sealed(both, 1);
    // Ends before it is answered; its state is the next one's.
    EpochSealer alone = restored(both, submission(2, List.of(one)));
    Submission third = submission(3, List.of(one, two));
    EpochSealer again = restored(alone, third);
    again.open(
        table(
            third,
            HelloAnswer.CONTINUE,
            first.epoch(),
            first.epoch(),
            first.chain(),
            Map.of(),
            Optional.empty()),
        LAYOUT);

    assertThat(sealed(again, 3).slices().get(0).emptyShards()).containsExactly(SHARD_2);
  }

  @Test
  void filesThatWaitForAnEpochAreNotMixedWithANewCopyOfTheirShards() throws IOException {
    EpochSealer sealer = started();
    sealed(sealer, 1);
    EpochSealer waiting = restored(sealer, submission(2));
    waiting.add(copied(2, 0, 10));
    SealerState state = SealerStateCodec.decode(SealerStateCodec.encode(waiting.state()));
    Submission other =
        submission(
            3,
            List.of(
                new SourcePlan(
                    new SourceId("source-db2"), new ServerName("db2"), List.of(SHARD_2))));

    assertThatThrownBy(() -> new EpochSealer(other, state))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("Cannot start group g from this Flink state")
        .hasMessageContaining("found files of checkpoints [2]");
  }

  @Test
  void emptyingTakesASliceOfItsOwnWhenThereAreNoCopiedRows() {
    EpochSealer sealer = started();
    sealer.add(changed(1, 0, 1));

    List<Slice> slices = sealed(sealer, 1).slices();

    assertThat(slices).hasSize(2);
    assertThat(slices.get(0).emptyShards()).containsExactly(SHARD_1, SHARD_2);
    assertThat(slices.get(0).manifests()).isEmpty();
    assertThat(slices.get(1).emptyShards()).isEmpty();
  }

  @Test
  void activeShardsGoOnFromTheTableWithoutEmptying() {
    SourcePosition position = SourcePosition.of("binlog.000007", 4);
    EpochSealer sealer = new EpochSealer(submission(3));
    sealer.open(
        table(
            submission(3),
            HelloAnswer.START_FROM_TABLE,
            new Epoch(41),
            new Epoch(41),
            ChainHash.first(UUID_OF_TABLE, GROUP),
            Map.of(SHARD_1, active(T1), SHARD_2, active(T1)),
            Optional.of(position)),
        LAYOUT);

    Committable epoch = sealed(sealer, 1);

    assertThat(epoch.epoch()).isEqualTo(new Epoch(42));
    assertThat(epoch.slices()).isEmpty();
    assertThat(epoch.sources().get(0).position()).contains(position);
    assertThat(epoch.shards().get(0).watermark()).contains(new Watermark(T1));
    assertThat(epoch.shards().get(0).copiedRows()).isEqualTo(500);
  }

  @Test
  void newShardsBesideActiveOnesAreCopiedByASourceOfTheirOwn() {
    SourcePosition position = SourcePosition.of("binlog.000007", 4);
    SourceId added = new SourceId("source-db1-added");
    Submission both =
        submission(
            3,
            List.of(
                new SourcePlan(SOURCE, SERVER, List.of(SHARD_1)),
                new SourcePlan(added, SERVER, List.of(SHARD_2))));
    EpochSealer sealer = new EpochSealer(both);
    sealer.open(
        table(
            both,
            HelloAnswer.START_FROM_TABLE,
            new Epoch(41),
            new Epoch(41),
            ChainHash.first(UUID_OF_TABLE, GROUP),
            Map.of(SHARD_1, active(T1)),
            Optional.of(position)),
        LAYOUT);

    Committable first = sealed(sealer, 1);
    assertThat(first.slices().get(0).emptyShards()).containsExactly(SHARD_2);
    assertThat(first.sources()).hasSize(1);
    assertThat(first.sources().get(0).position()).contains(position);

    // Both flow now; a start from the table must not skip what the slower one has not read.
    sealer.mark(added, reached(9_000, T2));
    sealer.mark(
        SOURCE,
        SealerFixtures.mark(
            Optional.of(SourcePosition.of("binlog.000002", 7)), Optional.of(new Watermark(T2))));
    Committable second = sealed(sealer, 2);
    assertThat(second.sources().get(0).position())
        .contains(SourcePosition.of("binlog.000001", 9_000));
    assertThat(second.shards()).allMatch(shard -> shard.phase() == ShardPhase.ACTIVE);

    // One that reads no more must not hold the position until the server has purged it.
    sealer.mark(
        added,
        new SourceMark(
            SERVER,
            Optional.of(SourcePosition.of("binlog.000001", 9_100)),
            Optional.empty(),
            Map.of(SHARD_2, "XA PREPARE at binlog.000001:9100")));
    assertThat(sealed(sealer, 3).sources().get(0).position())
        .contains(SourcePosition.of("binlog.000002", 7));

    // With all of them halted the position stays that of the slowest.
    sealer.mark(
        SOURCE,
        new SourceMark(
            SERVER,
            Optional.of(SourcePosition.of("binlog.000002", 8)),
            Optional.empty(),
            Map.of(SHARD_1, "XA PREPARE at binlog.000002:8")));
    assertThat(sealed(sealer, 4).sources().get(0).position())
        .contains(SourcePosition.of("binlog.000001", 9_100));
  }

  @Test
  void aShardIsInItsSnapshotUntilTheSourcesFirstWatermark() {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, SealerFixtures.mark(Optional.empty(), Optional.empty()));
    sealer.add(copied(1, 0, 10));
    ShardProgress copying = sealed(sealer, 1).shards().get(0);
    sealer.mark(SOURCE, reached(4, T1));
    ShardProgress flowing = sealed(sealer, 2).shards().get(0);

    assertThat(copying.phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(copying.watermark()).isEmpty();
    assertThat(copying.copiedRows()).isEqualTo(10);
    assertThat(copying.estimatedRows()).isEqualTo(100);
    assertThat(flowing.phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(flowing.watermark()).contains(new Watermark(T1));
    assertThat(flowing.copiedRows()).isEqualTo(10);
  }

  @Test
  void watermarksNeverFallAndAReaderWithoutBinlogHidesNothing() {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, reached(50, T2));
    sealer.mark(SOURCE, SealerFixtures.mark(Optional.empty(), Optional.empty()));
    sealer.mark(SOURCE, reached(20, T1));

    Committable epoch = sealed(sealer, 1);

    assertThat(epoch.shards().get(0).watermark()).contains(new Watermark(T2));
    assertThat(epoch.sources().get(0).position()).contains(SourcePosition.of("binlog.000001", 20));
  }

  @Test
  void aFaultHaltsItsShardForGoodAndKeepsItsWatermark() {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, reached(50, T1));
    sealer.mark(
        SOURCE,
        new SourceMark(
            SERVER,
            Optional.of(SourcePosition.of("binlog.000001", 60)),
            Optional.of(new Watermark(T2)),
            Map.of(SHARD_1, "XA PREPARE at binlog.000001:60")));
    sealer.mark(SOURCE, reached(70, T2));

    List<ShardProgress> shards = sealed(sealer, 1).shards();

    assertThat(shards.get(0).phase()).isEqualTo(ShardPhase.HALTED);
    assertThat(shards.get(0).haltReason()).contains("XA PREPARE at binlog.000001:60");
    assertThat(shards.get(0).watermark()).contains(new Watermark(T1));
    assertThat(shards.get(1).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(shards.get(1).watermark()).contains(new Watermark(T2));
  }

  @Test
  void refusesFilesOfAnotherLayoutAndTakesTheNewestSchema() {
    EpochSealer sealer = started();
    WriterResult result = changed(1, 0, 1);
    sealer.add(
        new WriterResult(
            1,
            0,
            new TableLayout(UUID_OF_TABLE, 4, 0, 2),
            result.appended(),
            result.changed(),
            result.copiedRows()));
    assertThat(sealed(sealer, 1).schemaId()).isEqualTo(4);

    sealer.add(
        new WriterResult(
            2,
            0,
            new TableLayout(UUID_OF_TABLE, 4, 1, 2),
            result.appended(),
            result.changed(),
            result.copiedRows()));
    assertThatThrownBy(() -> sealer.seal(2, NOW))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Cannot seal an epoch of group g");
  }

  @Test
  void theStateSurvivesItsCodec() throws IOException {
    EpochSealer sealer = started();
    sealer.add(copiedAndChanged(1, 0, 5, 2));
    sealer.mark(
        SOURCE,
        SealerFixtures.mark(
            Optional.of(new SourcePosition("binlog.000009", 7, Optional.of("a:1-5,b:1-9"), 3, 1)),
            Optional.of(new Watermark(T1))));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 1));
    sealer.mark(SOURCE, emptied(2, SHARD_1, SHARD_2));

    SealerState state = sealer.state();

    assertThat(SealerStateCodec.decode(SealerStateCodec.encode(state))).isEqualTo(state);
    byte[] later = SealerStateCodec.encode(state);
    later[0] = 4;
    assertThatThrownBy(() -> SealerStateCodec.decode(later))
        .isInstanceOf(IOException.class)
        .hasMessage("Cannot read the sealer's state: expected version 2 or 3, found 4");
  }

  @Test
  void theStateOfBeforeShardsWereEmptiedAndColumnsDifferedIsReadToo() throws IOException {
    SealerState state = started().state();
    assertThat(state.emptied()).isEmpty();
    byte[] now = SealerStateCodec.encode(state);
    // Without the number of what was emptied, and three empty lists behind each of the two shards.
    int shard = Integer.BYTES + 2 + "snapshot".length() + 3 * Long.BYTES + 1;
    int lists = 3 * Integer.BYTES;
    int end = now.length - Integer.BYTES;
    byte[] before = Arrays.copyOf(now, end - 2 * lists);
    System.arraycopy(now, end - shard - lists, before, before.length - shard, shard);
    before[0] = 2;

    assertThat(SealerStateCodec.decode(before)).isEqualTo(state);
  }

  private static SourceMark emptied(long checkpointId, ShardId... shards) {
    return reached(60, T1).withEmptied(new Emptied(checkpointId, new TreeSet<>(List.of(shards))));
  }

  @Test
  void whatAStatementEmptiedIsEmptiedBehindTheFilesOfItsBarrier() {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, reached(50, T1));
    sealer.add(copiedAndChanged(1, 0, 5, 2));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 1));
    sealer.mark(SOURCE, emptied(2, SHARD_1));
    sealer.mark(SOURCE, reached(60, T2));

    List<Slice> slices = sealed(sealer, 2).slices();
    sealer.add(changed(3, 0, 4));

    assertThat(slices).hasSize(2);
    assertThat(slices.get(0).emptyShards()).isEmpty();
    assertThat(slices.get(0).counts().hasDeletes()).isTrue();
    assertThat(slices.get(1))
        .isEqualTo(new Slice(new TreeSet<>(List.of(SHARD_1)), List.of(), FileCounts.NONE));
    assertThat(sealed(sealer, 3).slices()).allMatch(slice -> slice.emptyShards().isEmpty());
  }

  @Test
  void whatWasEmptiedBeforeABarrierThatNeverCameIsEmptiedBeforeTheFilesOfTheNext() {
    EpochSealer sealer = started();
    sealer.mark(SOURCE, reached(50, T1));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 1));
    sealer.mark(SOURCE, emptied(2, SHARD_1));
    sealer.mark(SOURCE, emptied(3, SHARD_2));
    sealer.add(changed(3, 0, 1));
    sealer.add(changed(4, 0, 1));

    assertThat(sealed(sealer, 4).slices())
        .extracting(slice -> slice.emptyShards() + " " + slice.manifests().size())
        .containsExactly("[] 1", "[1] 0", "[] 1", "[2] 0", "[] 1");
  }

  @Test
  void whatWasEmptiedBeforeTheTableAnsweredIsNotForgotten() throws IOException {
    Submission submission = submission(1);
    EpochSealer waiting = new EpochSealer(submission);
    waiting.mark(SOURCE, emptied(1, SHARD_2));
    assertThat(waiting.seal(1, NOW)).isEmpty();
    EpochSealer sealer =
        new EpochSealer(
            submission, SealerStateCodec.decode(SealerStateCodec.encode(waiting.state())));
    sealer.open(newTable(submission), SealerFixtures.LAYOUT);

    // Both shards are to be copied, and emptied before that too.
    assertThat(sealed(sealer, 2).slices())
        .extracting(Slice::emptyShards)
        .containsExactly(new TreeSet<>(List.of(SHARD_1, SHARD_2)));
  }

  @Test
  void whatAShardsColumnsDifferInIsSealedAndKeptUntilItsReaderSaysOtherwise() throws IOException {
    ColumnDifferences columns =
        new ColumnDifferences(
            new TreeMap<>(Map.of(3, "title")),
            new TreeSet<>(List.of(4)),
            new TreeSet<>(List.of(5)));
    EpochSealer sealer = started();
    ShardId shard = sealer.shards().firstKey();
    SourceMark mark = SealerFixtures.reached(100, T1);
    sealer.mark(
        SOURCE,
        new SourceMark(
            mark.server(),
            mark.position(),
            mark.watermark(),
            Map.of(),
            List.of(),
            Map.of(shard, columns)));
    assertThat(sealed(sealer, 1).shards())
        .filteredOn(progress -> progress.shard().equals(shard))
        .extracting(ShardProgress::columns)
        .containsExactly(columns);
    sealer.mark(SOURCE, SealerFixtures.reached(200, T1.plusSeconds(1)));
    sealer.add(changed(2, 0, 1));
    assertThat(sealed(sealer, 2).shards().get(0).columns()).isEqualTo(columns);
    SealerState state = sealer.state();
    assertThat(SealerStateCodec.decode(SealerStateCodec.encode(state))).isEqualTo(state);
    sealer.mark(
        SOURCE,
        new SourceMark(
            mark.server(),
            mark.position(),
            mark.watermark(),
            Map.of(),
            List.of(),
            Map.of(shard, ColumnDifferences.NONE)));
    assertThat(sealed(sealer, 3).shards().get(0).columns()).isEqualTo(ColumnDifferences.NONE);
  }

  @Test
  void protectionsCanBeLeftOutToShowWhatTheyKeepRight() {
    EpochSealer unsliced = started(EnumSet.complementOf(EnumSet.of(SealerProtection.SLICES)));
    unsliced.add(copiedAndChanged(1, 0, 5, 2));
    assertThat(unsliced.seal(1, NOW).orElseThrow().slices())
        .filteredOn(slice -> !slice.manifests().isEmpty())
        .hasSize(1);

    EpochSealer hasty = started(EnumSet.complementOf(EnumSet.of(SealerProtection.EARLY_SLICES)));
    sealed(hasty, 1);
    hasty.add(changed(2, 0, 3));
    hasty.add(changed(3, 0, 1).at(2));
    assertThat(sealed(hasty, 2).slices()).hasSize(1);

    EpochSealer forgetful =
        started(EnumSet.complementOf(EnumSet.of(SealerProtection.SEND_ABORTED_EPOCHS)));
    sealed(forgetful, 1);
    Committable second = sealed(forgetful, 2);
    assertThat(forgetful.complete(2)).containsExactly(second);

    EpochSealer gappy =
        started(
            EnumSet.complementOf(
                EnumSet.of(SealerProtection.EPOCH_CONTIGUITY, SealerProtection.EMPTY_BEFORE_COPY)));
    assertThat(gappy.seal(1, NOW)).isEmpty();
    gappy.add(changed(2, 0, 1));
    assertThat(sealed(gappy, 2).epoch()).isEqualTo(new Epoch(2));
  }
}
