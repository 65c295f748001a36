package io.tributary.coordinator.core;

import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Hello;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Watermark;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;

/** A group's job as the coordinator sees it: says hello and seals epochs that form a chain. */
final class TestGroup {
  static final TableName TABLE = new TableName("shop.orders");
  static final TableUuid UUID_OF_TABLE = new TableUuid(new UUID(7, 7));
  static final TableProposal PROPOSAL = new TableProposal("{}", "shard_id", "id", 5);

  final GroupName name;
  final ServerName server;
  final List<ShardId> shards;
  TableName table = TABLE;
  TableUuid uuid = UUID_OF_TABLE;
  Incarnation incarnation = new Incarnation(1);
  SubmissionId submission;
  Epoch epoch = new Epoch(0);
  ChainHash chain;
  int specId;
  int formatVersion = 2;
  long registryVersion = 1;
  ShardPhase phase = ShardPhase.ACTIVE;

  /** What the shards' columns differ in from the table's. */
  final Map<Integer, ColumnDifferences> columns = new HashMap<>();

  /** Seconds since 1970 of the shards' watermark; it advances by one with each epoch. */
  long time = 1_000;

  private final Epoch next() {
    return epoch.next();
  }

  TestGroup(String name, String server, int... shards) {
    this.name = new GroupName(name);
    this.server = new ServerName(server);
    this.shards = Arrays.stream(shards).mapToObj(ShardId::new).toList();
    this.chain = ChainHash.first(UUID_OF_TABLE, this.name);
    this.submission = submission(1);
  }

  private SubmissionId submission(long number) {
    return new SubmissionId(new UUID(name.value().hashCode(), number));
  }

  /** The job's Flink state: where its chain stands. */
  Continuation continuation() {
    return new Continuation(epoch, chain);
  }

  /** Another submission that goes on from this state. */
  TestGroup restoredFrom(Continuation state) {
    epoch = state.epoch();
    chain = state.chain();
    return resubmitted();
  }

  /** Another submission. */
  TestGroup resubmitted() {
    incarnation = incarnation.next();
    submission = submission(incarnation.value());
    return this;
  }

  /** Goes on from what the table says. */
  TestGroup startFrom(TableState state) {
    state
        .group(name)
        .ifPresent(
            group -> {
              epoch = group.epoch();
              chain = group.chain();
            });
    return this;
  }

  Hello hello() {
    return hello(Optional.empty());
  }

  Hello helloContinuing() {
    return hello(Optional.of(continuation()));
  }

  Hello hello(Optional<Continuation> from) {
    return new Hello(
        table,
        name,
        incarnation,
        submission,
        from,
        PROPOSAL,
        shards,
        registryVersion,
        Instant.EPOCH);
  }

  /** An epoch without files. */
  Committable idle() {
    return seal();
  }

  /** An epoch with one slice of changes. */
  Committable changes() {
    return seal(upserts());
  }

  /** An epoch of the initial snapshot. */
  Committable copied(int... emptied) {
    return seal(appends(emptied));
  }

  Committable seal(Slice... slices) {
    time++;
    List<ShardProgress> progress = new ArrayList<>();
    for (ShardId shard : shards) {
      progress.add(progress(shard));
    }
    return seal(List.of(slices), progress, Optional.of(SourcePosition.of("bin.1", time)));
  }

  ShardProgress progress(ShardId shard) {
    return new ShardProgress(
        shard,
        server,
        phase,
        phase == ShardPhase.SNAPSHOT
            ? Optional.empty()
            : Optional.of(new Watermark(Instant.ofEpochSecond(time))),
        time,
        5_000,
        phase == ShardPhase.HALTED ? Optional.of("XA PREPARE at bin.1:" + time) : Optional.empty(),
        columns.getOrDefault(shard.value(), ColumnDifferences.NONE));
  }

  Committable seal(
      List<Slice> slices, List<ShardProgress> progress, Optional<SourcePosition> position) {
    List<SourceProgress> sources =
        List.of(
            new SourceProgress(server, phase == ShardPhase.SNAPSHOT ? Optional.empty() : position));
    Epoch sealed = next();
    ChainHash hash = ChainHash.of(uuid, name, sealed, chain, slices, progress, sources);
    Committable committable =
        new Committable(
            table,
            uuid,
            name,
            incarnation,
            submission,
            sealed,
            chain,
            hash,
            0,
            specId,
            formatVersion,
            registryVersion,
            sealed.value(),
            Instant.EPOCH,
            slices,
            progress,
            sources);
    epoch = sealed;
    chain = hash;
    return committable;
  }

  /** Rows without deletes. */
  Slice appends(int... emptied) {
    TreeSet<ShardId> empty = new TreeSet<>();
    Arrays.stream(emptied).mapToObj(ShardId::new).forEach(empty::add);
    return new Slice(
        empty,
        List.of(manifest(ManifestContent.DATA, "copy")),
        new FileCounts(1, 10, 0, 0, 0, 0, 100));
  }

  /** What a statement does that takes all rows of shards. */
  Slice empties(int... shards) {
    TreeSet<ShardId> empty = new TreeSet<>();
    Arrays.stream(shards).mapToObj(ShardId::new).forEach(empty::add);
    return new Slice(empty, List.of(), FileCounts.NONE);
  }

  /** Rows with equality deletes. */
  Slice upserts() {
    return Slice.of(
        List.of(
            manifest(ManifestContent.DATA, "rows"), manifest(ManifestContent.DELETES, "deletes")),
        new FileCounts(1, 3, 1, 3, 0, 0, 100));
  }

  private CommittableManifest manifest(ManifestContent content, String what) {
    String text = what + " of " + name + " at " + time + " by " + submission;
    return CommittableManifest.Inline.of(content, text.getBytes(StandardCharsets.UTF_8));
  }
}
