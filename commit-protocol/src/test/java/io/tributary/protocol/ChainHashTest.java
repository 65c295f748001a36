package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChainHashTest {
  private static final ChainHash PREVIOUS = ChainHash.first(Samples.TABLE_UUID, Samples.GROUP);
  private static final Epoch EPOCH = new Epoch(42);
  private static final FileCounts COUNTS = new FileCounts(1, 2, 3, 4, 5, 6, 7);
  private static final SourcePosition POSITION = new SourcePosition("f", 1, Optional.of("g"), 2, 3);

  @Test
  void eachPartOfAnEpochChangesItsHash() {
    Map<ChainHash, String> seen = new HashMap<>();
    add(seen, "as it is", hash(slice("x"), shard(), source(POSITION)));
    add(seen, "table", of(TableUuid.parse("00000000-0000-4000-8000-000000000001"), Samples.GROUP));
    add(seen, "group", of(Samples.TABLE_UUID, new GroupName("group-b")));
    add(seen, "epoch", of(new Epoch(43), PREVIOUS));
    add(seen, "previous", of(EPOCH, new ChainHash("0".repeat(64))));

    add(seen, "manifest", hash(slice("y"), shard(), source(POSITION)));
    add(
        seen,
        "content of a manifest",
        hash(
            Slice.of(List.of(Samples.inline(ManifestContent.DELETES, "x")), COUNTS),
            shard(),
            source(POSITION)));
    add(
        seen,
        "shards to empty",
        hash(
            new Slice(
                new TreeSet<>(List.of(new ShardId(1))),
                List.of(Samples.inline(ManifestContent.DATA, "x")),
                COUNTS),
            shard(),
            source(POSITION)));
    for (int i = 0; i < 7; i++) {
      long[] c = {1, 2, 3, 4, 5, 6, 7};
      c[i] += 10;
      FileCounts counts = new FileCounts(c[0], c[1], c[2], c[3], c[4], c[5], c[6]);
      add(
          seen,
          "count " + i,
          hash(
              Slice.of(List.of(Samples.inline(ManifestContent.DATA, "x")), counts),
              shard(),
              source(POSITION)));
    }
    add(seen, "no slice", of(List.of(), List.of(shard()), List.of(source(POSITION))));
    add(
        seen,
        "two slices",
        of(List.of(slice("x"), slice("y")), List.of(shard()), List.of(source(POSITION))));
    add(
        seen,
        "slices in another order",
        of(List.of(slice("y"), slice("x")), List.of(shard()), List.of(source(POSITION))));
    add(
        seen,
        "one slice of two manifests",
        hash(
            Slice.of(
                List.of(
                    Samples.inline(ManifestContent.DATA, "x"),
                    Samples.inline(ManifestContent.DATA, "y")),
                COUNTS),
            shard(),
            source(POSITION)));

    Watermark later = Watermark.ofEpochMicros(Samples.WATERMARK.toEpochMicros() + 1);
    for (ShardProgress other :
        List.of(
            progress(4, Samples.SERVER, ShardPhase.ACTIVE, Samples.WATERMARK, 1, 2, null),
            progress(3, Samples.OTHER_SERVER, ShardPhase.ACTIVE, Samples.WATERMARK, 1, 2, null),
            progress(3, Samples.SERVER, ShardPhase.SNAPSHOT, Samples.WATERMARK, 1, 2, null),
            progress(3, Samples.SERVER, ShardPhase.SNAPSHOT, null, 1, 2, null),
            progress(3, Samples.SERVER, ShardPhase.ACTIVE, later, 1, 2, null),
            progress(3, Samples.SERVER, ShardPhase.ACTIVE, Samples.WATERMARK, 9, 2, null),
            progress(3, Samples.SERVER, ShardPhase.ACTIVE, Samples.WATERMARK, 1, 9, null),
            progress(3, Samples.SERVER, ShardPhase.HALTED, Samples.WATERMARK, 1, 2, "a"),
            progress(3, Samples.SERVER, ShardPhase.HALTED, Samples.WATERMARK, 1, 2, "b"))) {
      add(seen, other.toString(), hash(slice("x"), other, source(POSITION)));
    }
    for (SourcePosition other :
        List.of(
            new SourcePosition("F", 1, Optional.of("g"), 2, 3),
            new SourcePosition("f", 9, Optional.of("g"), 2, 3),
            new SourcePosition("f", 1, Optional.of("h"), 2, 3),
            new SourcePosition("f", 1, Optional.of(""), 2, 3),
            new SourcePosition("f", 1, Optional.empty(), 2, 3),
            new SourcePosition("f", 1, Optional.of("g"), 9, 3),
            new SourcePosition("f", 1, Optional.of("g"), 2, 9),
            POSITION.on(Optional.of("")),
            POSITION.on(Optional.of("server 1")))) {
      add(seen, other.toString(), hash(slice("x"), shard(), source(other)));
    }
    add(
        seen,
        "source without a position",
        hash(slice("x"), shard(), new SourceProgress(Samples.SERVER, Optional.empty())));
    add(
        seen,
        "other server",
        hash(slice("x"), shard(), new SourceProgress(Samples.OTHER_SERVER, Optional.of(POSITION))));
    assertThat(seen).hasSize(39);
  }

  @Test
  void theIncarnationAndTheRunOfTheJobAreNotPartOfIt() {
    Committable one = Samples.committable();
    // The constructor checks the hash, so that it accepts this is the proof.
    Committable other =
        new Committable(
            one.table(),
            one.tableUuid(),
            one.group(),
            new Incarnation(8),
            SubmissionId.parse("00000000-0000-4000-8000-000000000008"),
            one.epoch(),
            one.previous(),
            one.chain(),
            one.schemaId(),
            one.specId(),
            one.formatVersion(),
            4,
            1,
            one.sealedAt().plusSeconds(60),
            one.slices(),
            one.shards(),
            one.sources());
    assertThat(other.chain()).isEqualTo(one.chain());
  }

  @Test
  void theOrderOfShardsAndSourcesDoesNotMatter() {
    List<ShardProgress> shards = new ArrayList<>(Samples.shards());
    List<SourceProgress> sources = new ArrayList<>(Samples.sources());
    ChainHash before = of(Samples.slices(), shards, sources);
    Collections.reverse(shards);
    Collections.reverse(sources);
    assertThat(of(Samples.slices(), shards, sources)).isEqualTo(before);
  }

  @Test
  void whereAManifestTravelsDoesNotMatter() {
    CommittableManifest inline = Samples.inline(ManifestContent.DATA, "x");
    CommittableManifest stored =
        new CommittableManifest.Stored(
            ManifestContent.DATA, "file:/m.avro", inline.length(), inline.sha256());
    assertThat(hash(Slice.of(List.of(stored), COUNTS), shard(), source(POSITION)))
        .isEqualTo(hash(Slice.of(List.of(inline), COUNTS), shard(), source(POSITION)));
  }

  @Test
  void aGtidSetOfAMegabyteIsTakenIn() {
    SourcePosition long1 = new SourcePosition("f", 1, Optional.of("g".repeat(1_000_000)), 0, 0);
    SourcePosition long2 = new SourcePosition("f", 1, Optional.of("g".repeat(1_000_001)), 0, 0);
    assertThat(hash(slice("x"), shard(), source(long1)))
        .isNotEqualTo(hash(slice("x"), shard(), source(long2)));
  }

  @Test
  void theFirstHashBelongsToOneTableAndGroup() {
    assertThat(PREVIOUS)
        .isEqualTo(ChainHash.first(Samples.TABLE_UUID, Samples.GROUP))
        .isNotEqualTo(ChainHash.first(Samples.TABLE_UUID, new GroupName("group-b")))
        .isNotEqualTo(
            ChainHash.first(
                TableUuid.parse("00000000-0000-4000-8000-000000000001"), Samples.GROUP));
  }

  private static void add(Map<ChainHash, String> seen, String what, ChainHash hash) {
    String before = seen.put(hash, what);
    assertThat(before).as("%s has the hash of %s", what, before).isNull();
  }

  private static Slice slice(String bytes) {
    return Slice.of(List.of(Samples.inline(ManifestContent.DATA, bytes)), COUNTS);
  }

  private static ShardProgress shard() {
    return progress(3, Samples.SERVER, ShardPhase.ACTIVE, Samples.WATERMARK, 1, 2, null);
  }

  private static ShardProgress progress(
      int shard,
      ServerName server,
      ShardPhase phase,
      Watermark watermark,
      long copied,
      long estimated,
      String halt) {
    return new ShardProgress(
        new ShardId(shard),
        server,
        phase,
        Optional.ofNullable(watermark),
        copied,
        estimated,
        Optional.ofNullable(halt));
  }

  private static SourceProgress source(SourcePosition position) {
    return new SourceProgress(Samples.SERVER, Optional.of(position));
  }

  private static ChainHash hash(Slice slice, ShardProgress shard, SourceProgress source) {
    return of(List.of(slice), List.of(shard), List.of(source));
  }

  private static ChainHash of(TableUuid table, GroupName group) {
    return ChainHash.of(
        table,
        group,
        EPOCH,
        PREVIOUS,
        List.of(slice("x")),
        List.of(shard()),
        List.of(source(POSITION)));
  }

  private static ChainHash of(Epoch epoch, ChainHash previous) {
    return ChainHash.of(
        Samples.TABLE_UUID,
        Samples.GROUP,
        epoch,
        previous,
        List.of(slice("x")),
        List.of(shard()),
        List.of(source(POSITION)));
  }

  private static ChainHash of(
      List<Slice> slices, List<ShardProgress> shards, List<SourceProgress> sources) {
    return ChainHash.of(
        Samples.TABLE_UUID, Samples.GROUP, EPOCH, PREVIOUS, slices, shards, sources);
  }
}
