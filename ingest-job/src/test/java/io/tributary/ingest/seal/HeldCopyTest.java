package io.tributary.ingest.seal;

import static io.tributary.ingest.seal.SealerFixtures.FILES;
import static io.tributary.ingest.seal.SealerFixtures.GROUP;
import static io.tributary.ingest.seal.SealerFixtures.LAYOUT;
import static io.tributary.ingest.seal.SealerFixtures.NOW;
import static io.tributary.ingest.seal.SealerFixtures.SERVER;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_1;
import static io.tributary.ingest.seal.SealerFixtures.SHARD_2;
import static io.tributary.ingest.seal.SealerFixtures.SOURCE;
import static io.tributary.ingest.seal.SealerFixtures.TABLE;
import static io.tributary.ingest.seal.SealerFixtures.UUID_OF_TABLE;
import static io.tributary.ingest.seal.SealerFixtures.contents;
import static io.tributary.ingest.seal.SealerFixtures.mark;
import static io.tributary.ingest.seal.SealerFixtures.reached;
import static io.tributary.ingest.seal.SealerFixtures.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.source.Emptied;
import io.tributary.ingest.source.SourceMark;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
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
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Shard 1 flows and shard 2 is copied anew by a reader of its own, unless a test says else. */
class HeldCopyTest {
  private static final Instant T1 = Instant.parse("2026-11-30T11:00:00Z");
  private static final Instant T2 = Instant.parse("2026-11-30T11:00:05Z");
  private static final SourceId ADDED = new SourceId("source-db1-added");
  private static final ChainHash CHAIN = ChainHash.first(UUID_OF_TABLE, GROUP);

  private static Submission submission(long incarnation, long resyncOfShard2) {
    return submission(
        incarnation,
        Map.of(SHARD_2, resyncOfShard2),
        new SourcePlan(SOURCE, SERVER, List.of(SHARD_1)),
        new SourcePlan(ADDED, SERVER, List.of(SHARD_2)));
  }

  private static Submission submission(
      long incarnation, Map<ShardId, Long> resyncs, SourcePlan... sources) {
    return new Submission(
        TABLE,
        GROUP,
        new Incarnation(incarnation),
        new SubmissionId(new UUID(7, incarnation)),
        List.of(sources),
        new TreeMap<>(),
        new TreeMap<>(resyncs),
        3);
  }

  private static ShardState state(ShardPhase phase, long resync) {
    return new ShardState(
            GROUP,
            SERVER,
            phase,
            phase == ShardPhase.ACTIVE ? Optional.of(new Watermark(T1)) : Optional.empty(),
            true,
            phase == ShardPhase.ACTIVE,
            500,
            480,
            Optional.empty())
        .withResync(resync);
  }

  private static TableState answered(Submission submission, ShardState... states) {
    TreeMap<ShardId, ShardState> shards = new TreeMap<>();
    for (int i = 0; i < states.length; i++) {
      shards.put(new ShardId(i + 1), states[i]);
    }
    return table(
        submission,
        HelloAnswer.START_FROM_TABLE,
        new Epoch(0),
        new Epoch(0),
        CHAIN,
        shards,
        Optional.of(SourcePosition.of("binlog.000001", 40)));
  }

  private static EpochSealer started(Submission submission, ShardState... states) {
    EpochSealer sealer = new EpochSealer(submission, FILES);
    sealer.open(answered(submission, states), LAYOUT);
    return sealer;
  }

  /** Shard 2's number was raised to 3; the table has rows of 2. */
  private static EpochSealer resyncing() {
    return started(submission(1, 3), state(ShardPhase.ACTIVE, 0), state(ShardPhase.ACTIVE, 2));
  }

  private static WriterResult copied(long checkpointId, int subtask, int... shards) {
    return copied(LAYOUT, checkpointId, subtask, shards);
  }

  private static WriterResult copied(
      TableLayout layout, long checkpointId, int subtask, int... shards) {
    TreeMap<ShardId, Long> rows = new TreeMap<>();
    Arrays.stream(shards).forEach(shard -> rows.put(new ShardId(shard), 10L));
    return new WriterResult(
        checkpointId,
        subtask,
        layout,
        Optional.of(TextFiles.of("copied/" + checkpointId + "/" + subtask, 10, 0, shards)),
        Optional.empty(),
        rows);
  }

  private static WriterResult changed(long checkpointId, int subtask, int... shards) {
    return new WriterResult(
        checkpointId,
        subtask,
        LAYOUT,
        Optional.empty(),
        Optional.of(TextFiles.of("changed/" + checkpointId + "/" + subtask, 3, 2, shards)),
        new TreeMap<>());
  }

  private static Committable sealed(EpochSealer sealer, long checkpointId) {
    return sealer.seal(checkpointId, NOW).orElseThrow();
  }

  private static ShardProgress progress(Committable epoch, ShardId shard) {
    return epoch.shards().stream().filter(s -> s.shard().equals(shard)).findFirst().orElseThrow();
  }

  private static List<String> texts(Committable epoch) {
    return epoch.slices().stream()
        .map(slice -> slice.emptyShards() + " " + contents(slice))
        .toList();
  }

  private static EpochSealer restored(EpochSealer sealer, Submission submission)
      throws IOException {
    return new EpochSealer(
        submission, SealerStateCodec.decode(SealerStateCodec.encode(sealer.state())), FILES);
  }

  @Test
  void aCopyOverRowsIsHandedOverWholeWhileItsSiblingsGoOn() {
    EpochSealer sealer = resyncing();
    sealer.mark(SOURCE, reached(50, T1));
    sealer.add(copied(1, 0, 2));
    sealer.add(changed(1, 1, 1));
    Committable first = sealed(sealer, 1);
    sealer.mark(SOURCE, reached(60, T2));
    sealer.add(copied(2, 1, 2));
    Committable second = sealed(sealer, 2);
    sealer.mark(ADDED, reached(55, T1));
    sealer.add(copied(3, 0, 2));
    sealer.add(changed(3, 0, 1, 2));
    Committable third = sealed(sealer, 3);

    assertThat(texts(first)).containsExactly("[] [changed/1/1@1]");
    assertThat(progress(first, SHARD_2).phase()).isEqualTo(ShardPhase.SNAPSHOT);
    assertThat(progress(first, SHARD_2).copiedRows()).isEqualTo(10);
    assertThat(progress(first, SHARD_2).resync()).isEqualTo(2);
    assertThat(progress(first, SHARD_1).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(second.slices()).isEmpty();
    assertThat(progress(second, SHARD_2).copiedRows()).isEqualTo(20);
    assertThat(texts(third))
        .containsExactly(
            "[] [changed/3/0@1]",
            "[2] [copied/1/0@2, copied/2/1@2, copied/3/0@2]",
            "[] [changed/3/0@2]");
    assertThat(third.slices().get(1).counts().dataRecords()).isEqualTo(30);
    assertThat(progress(third, SHARD_2).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(progress(third, SHARD_2).resync()).isEqualTo(3);
    assertThat(sealer.state().copies()).isEmpty();
  }

  @Test
  void afterItItsChangesFlowAsEver() {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealer.mark(ADDED, reached(50, T1));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 1, 2));

    Committable next = sealed(sealer, 2);

    assertThat(texts(next)).containsExactly("[] [changed/2/0@1,2]");
    assertThat(progress(next, SHARD_2).resync()).isEqualTo(3);
  }

  @Test
  void changesBeforeTheCopyIsKnownToBeWholeAreHeldInOrder() {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 2));
    sealer.add(changed(2, 1, 2));
    // The barrier of the next two never reached the sealer.
    sealer.add(changed(3, 0, 2));
    assertThat(sealed(sealer, 2).slices()).isEmpty();
    sealer.mark(ADDED, reached(50, T1));
    sealer.add(changed(4, 0, 2));

    assertThat(texts(sealed(sealer, 4)))
        .containsExactly(
            "[2] [copied/1/0@2]",
            "[] [changed/2/0@2, changed/2/1@2]",
            "[] [changed/3/0@2]",
            "[] [changed/4/0@2]");
  }

  @Test
  void severalShardsOfOneReaderAreReplacedInOneSlice() {
    Submission submission =
        submission(
            1,
            Map.of(SHARD_1, 1L, SHARD_2, 1L),
            new SourcePlan(SOURCE, SERVER, List.of(SHARD_1, SHARD_2)));
    EpochSealer sealer =
        started(submission, state(ShardPhase.HALTED, 0), state(ShardPhase.ACTIVE, 0));
    sealer.add(copied(1, 0, 1, 2));
    sealed(sealer, 1);
    sealer.mark(SOURCE, reached(50, T1));
    sealer.add(changed(2, 0, 1, 2));
    sealer.add(changed(2, 1, 2));

    assertThat(texts(sealed(sealer, 2)))
        .containsExactly(
            "[1, 2] [copied/1/0@1, copied/1/0@2]",
            "[] [changed/2/0@1, changed/2/0@2, changed/2/1@2]");
  }

  @Test
  void theFirstCopyOfAShardWithoutRowsIsShownAsItGrows() {
    Submission submission = submission(1, 1);
    EpochSealer sealer =
        started(submission, state(ShardPhase.ACTIVE, 0), ShardState.registered(GROUP, SERVER));
    sealer.add(copied(1, 0, 2));

    Committable first = sealed(sealer, 1);

    assertThat(texts(first)).containsExactly("[2] [copied/1/0@2]");
    assertThat(progress(first, SHARD_2).resync()).isEqualTo(1);
  }

  @Test
  void aResumedShardAndOneWhoseCopyWasInterruptedAreHeldToo() {
    EpochSealer sealer =
        started(submission(1, 0), state(ShardPhase.ACTIVE, 0), state(ShardPhase.SNAPSHOT, 4));
    sealer.add(copied(1, 0, 2));
    assertThat(sealed(sealer, 1).slices()).isEmpty();
    sealer.mark(ADDED, reached(50, T1));

    Committable whole = sealed(sealer, 2);

    assertThat(texts(whole)).containsExactly("[2] [copied/1/0@2]");
    // A registry of before has a lower number; what the table has had stays.
    assertThat(progress(whole, SHARD_2).resync()).isEqualTo(4);
  }

  @Test
  void aShardWithoutRowsAtItsSourceIsEmptied() {
    EpochSealer sealer = resyncing();
    assertThat(sealed(sealer, 1).slices()).isEmpty();
    sealer.mark(ADDED, reached(50, T1));

    assertThat(texts(sealed(sealer, 2))).containsExactly("[2] []");
  }

  @Test
  void changesWithoutACopyDoNotShareTheSliceThatEmpties() {
    EpochSealer sealer = resyncing();
    sealer.mark(ADDED, reached(50, T1));
    sealer.add(changed(1, 0, 2));

    assertThat(texts(sealed(sealer, 1))).containsExactly("[2] []", "[] [changed/1/0@2]");
  }

  @Test
  void aNumberThatIsReachedAsksForNothing() {
    EpochSealer sealer =
        started(submission(1, 2), state(ShardPhase.ACTIVE, 0), state(ShardPhase.ACTIVE, 2));
    sealer.add(changed(1, 0, 2));

    Committable first = sealed(sealer, 1);

    assertThat(texts(first)).containsExactly("[] [changed/1/0@2]");
    assertThat(progress(first, SHARD_2).phase()).isEqualTo(ShardPhase.ACTIVE);
    assertThat(progress(first, SHARD_2).resync()).isEqualTo(2);
  }

  @Test
  void aStatementThatEmptiesTheShardTakesWhatIsHeldAndLeavesTheOldRows() {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 2));
    SourceMark emptied =
        mark(Optional.empty(), Optional.empty())
            .withEmptied(new Emptied(2, new TreeSet<>(List.of(SHARD_2))));
    sealer.mark(ADDED, emptied);

    assertThat(sealed(sealer, 2).slices()).isEmpty();
    sealer.add(changed(3, 0, 2));
    sealer.mark(ADDED, reached(70, T1));
    assertThat(texts(sealed(sealer, 3))).containsExactly("[2] []", "[] [changed/3/0@2]");
  }

  @Test
  void aHaltedCopyIsNeverShown() {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealed(sealer, 1);
    sealer.mark(
        ADDED,
        new SourceMark(SERVER, Optional.empty(), Optional.empty(), Map.of(SHARD_2, "XA PREPARE")));
    sealer.add(copied(2, 0, 2));

    Committable halted = sealed(sealer, 2);

    assertThat(halted.slices()).isEmpty();
    assertThat(progress(halted, SHARD_2).phase()).isEqualTo(ShardPhase.HALTED);
    assertThat(progress(halted, SHARD_2).resync()).isEqualTo(2);
    assertThat(sealer.state().copies()).isEmpty();
  }

  @Test
  void whatIsHeldComesBackWithFlinksState() throws IOException {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealed(sealer, 1);
    sealer.add(changed(2, 0, 2));
    sealed(sealer, 2);
    assertThat(SealerStateCodec.decode(SealerStateCodec.encode(sealer.state())))
        .isEqualTo(sealer.state());

    EpochSealer again = restored(sealer, submission(1, 3));
    again.add(copied(3, 0, 2));
    again.mark(ADDED, reached(50, T1));

    assertThat(texts(sealed(again, 3)))
        .containsExactly("[2] [copied/1/0@2]", "[] [changed/2/0@2]", "[] [copied/3/0@2]");
  }

  @Test
  void anotherSubmissionGoesOnWithItButNotForANewerCopy() throws IOException {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    Committable first = sealed(sealer, 1);
    EpochSealer next = restored(sealer, submission(2, 3));
    EpochSealer newer = restored(sealer, submission(2, 4));
    TableState continued =
        table(
            submission(2, 3),
            HelloAnswer.CONTINUE,
            first.epoch(),
            first.epoch(),
            first.chain(),
            Map.of(SHARD_1, state(ShardPhase.ACTIVE, 0), SHARD_2, state(ShardPhase.SNAPSHOT, 2)),
            Optional.empty());
    next.open(continued, LAYOUT);
    next.mark(ADDED, reached(50, T1));

    assertThat(texts(sealed(next, 2))).containsExactly("[2] [copied/1/0@2]");
    assertThatThrownBy(() -> newer.open(continued, LAYOUT))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("found a raised 'resync' of shards [2]")
        .hasMessageContaining("submit the job without Flink state");
  }

  @Test
  void whatWasHeldOfAShardThatIsReadNoMoreIsForgotten() throws IOException {
    EpochSealer sealer = resyncing();
    sealer.add(copied(1, 0, 2));
    sealed(sealer, 1);

    EpochSealer without =
        restored(sealer, submission(2, Map.of(), new SourcePlan(SOURCE, SERVER, List.of(SHARD_1))));

    assertThat(without.state().copies()).isEmpty();
  }

  @Test
  void manyManifestsBecomeFewAndThoseOfOtherSchemasStayApart() {
    EpochSealer sealer = resyncing();
    TableLayout evolved = new TableLayout(UUID_OF_TABLE, 1, 0, 2);
    int barriers = 200;
    for (int checkpoint = 1; checkpoint <= barriers; checkpoint++) {
      sealer.add(copied(checkpoint <= 100 ? LAYOUT : evolved, checkpoint, 0, 2));
      assertThat(sealed(sealer, checkpoint).slices()).isEmpty();
      assertThat(sealer.state().copies().get(0).steps().get(0).parts())
          .hasSizeLessThanOrEqualTo(HeldCopy.MANY);
    }
    sealer.mark(ADDED, reached(50, T1));

    Committable whole = sealed(sealer, barriers + 1);

    assertThat(whole.slices()).hasSize(1);
    Slice slice = whole.slices().get(0);
    assertThat(slice.manifests()).hasSizeLessThanOrEqualTo(HeldCopy.MANY);
    assertThat(slice.counts().dataFiles()).isEqualTo(barriers);
    assertThat(slice.counts().dataRecords()).isEqualTo(10L * barriers);
    String all = String.join("+", contents(slice));
    assertThat(all.split("\\+")).hasSize(barriers).doesNotHaveDuplicates();
    assertThat(slice.manifests())
        .allSatisfy(
            manifest -> {
              String text = new String(((CommittableManifest.Inline) manifest).bytes());
              assertThat(
                      Arrays.stream(text.split("\\+"))
                          .map(part -> Integer.parseInt(part.split("/")[1]) <= 100)
                          .distinct())
                  .hasSize(1);
            });
  }

  @Test
  void withoutTheRuleReadersSeeAPartOfIt() {
    Set<SealerProtection> others =
        EnumSet.complementOf(EnumSet.of(SealerProtection.HOLD_UNTIL_WHOLE));
    Submission submission = submission(1, 3);
    EpochSealer sealer = new EpochSealer(submission, Optional.empty(), others, FILES);
    sealer.open(
        answered(submission, state(ShardPhase.ACTIVE, 0), state(ShardPhase.ACTIVE, 2)), LAYOUT);
    sealer.add(copied(1, 0, 2));

    assertThat(texts(sealed(sealer, 1))).containsExactly("[2] [copied/1/0@2]");
  }
}
