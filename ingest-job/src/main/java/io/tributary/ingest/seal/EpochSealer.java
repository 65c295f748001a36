package io.tributary.ingest.seal;

import io.tributary.ingest.source.Emptied;
import io.tributary.ingest.source.SourceMark;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Continuation;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Seals a group's epochs and says what may be sent when.
 *
 * <pre>
 *   gate closed --open(answer)--> gate open
 *   result ----seal(n)----> sealed (unsent) --complete(m &gt;= n)--> released --acknowledge--> gone
 * </pre>
 *
 * <ul>
 *   <li>A barrier seals an epoch when the gate is open, also one without rows; else the results are
 *       held for the first epoch after it opens.
 *   <li>Results whose own barrier never arrived (its checkpoint was aborted on the way) become the
 *       first slices of the next epoch. Files of two barriers never share a slice, since an
 *       equality delete of the second must reach the rows of the first.
 *   <li>What a writer closed early, since the table got columns, is a slice before what it closed
 *       at the barrier.
 *   <li>Within a barrier the copied rows come first and the changes after them, for the same
 *       reason.
 *   <li>A shard that a statement emptied is emptied by a slice of its own behind the files of the
 *       barriers after it that name it. Rows from behind the statement come after the last of them.
 *   <li>A completed checkpoint releases all epochs sealed at or before it. One that was sealed but
 *       whose checkpoint failed is not lost: the later checkpoint's state stands on it.
 * </ul>
 *
 * <p>Assumes that all results and marks of a barrier arrive before it (aligned checkpoints), and
 * that a partition has one writer. Not thread-safe.
 */
public final class EpochSealer {
  private final Submission submission;
  private final Set<SealerProtection> protections;

  private boolean open;
  private Optional<ChainState> chain;
  private final List<SealedEpoch> unsent;
  private final TreeMap<Long, List<WriterResult>> held = new TreeMap<>();

  /** What statements emptied before a barrier whose results belong to no epoch yet. */
  private final TreeMap<Long, SortedSet<ShardId>> emptied = new TreeMap<>();

  private final TreeMap<SourceId, SourceState> sources;
  private final TreeMap<SourceId, SourceMark> earlyMarks = new TreeMap<>();
  private final List<Epoch> released = new ArrayList<>();

  /** A sealer without state: what to go on from is the table's to say. */
  public EpochSealer(Submission submission) {
    this(submission, Optional.empty(), EnumSet.allOf(SealerProtection.class));
  }

  /**
   * A sealer that goes on from Flink state.
   *
   * @throws StartRefusedException when the state is another submission's that never sealed an
   *     epoch, or holds files while sources are left out
   */
  public EpochSealer(Submission submission, SealerState state) {
    this(submission, Optional.of(state), EnumSet.allOf(SealerProtection.class));
  }

  /** For tests and simulations: leaves protections out. */
  public EpochSealer(
      Submission submission, Optional<SealerState> state, Set<SealerProtection> protections) {
    this.submission = Objects.requireNonNull(submission, "submission");
    this.protections = Set.copyOf(protections);
    this.chain = state.flatMap(SealerState::chain);
    this.unsent = new ArrayList<>(state.map(SealerState::unsent).orElse(List.of()));
    this.sources =
        new TreeMap<>(state.map(SealerState::sources).orElse(Collections.emptySortedMap()));
    state.map(SealerState::held).orElse(List.of()).forEach(this::add);
    state.map(SealerState::emptied).orElse(List.of()).forEach(this::add);
    if (state.isPresent() && chain.isEmpty() && !state.get().submission().equals(submission.id())) {
      // Its sources may have read on from where the table stood then; the table has moved since.
      throw new StartRefusedException(
          "Cannot start group %s from this Flink state: expected a state with a sealed epoch, found one of submission %s that had sealed none; submit the job without Flink state"
              .formatted(submission.group(), state.get().submission()));
    }
    forgetSourcesWithoutReader();
    this.open = chain.filter(c -> c.answered().equals(submission.id())).isPresent();
    // A restored state belongs to a completed checkpoint: everything in it may be sent.
    unsent.forEach(entry -> released.add(entry.committable().epoch()));
  }

  /**
   * The state of a reader that is not part of this submission is gone with this submission's first
   * checkpoint. Were its source still known then, a later submission would take its new copy for
   * the rest of the old one, and not empty the shards first.
   */
  private void forgetSourcesWithoutReader() {
    Set<SourceId> planned = new HashSet<>();
    submission.sources().forEach(plan -> planned.add(plan.source()));
    Set<Long> waiting = new TreeSet<>(held.keySet());
    waiting.addAll(emptied.keySet());
    if (sources.keySet().retainAll(planned) && !waiting.isEmpty()) {
      throw new StartRefusedException(
          "Cannot start group %s from this Flink state: expected no files that wait for an epoch when sources are left out, found files of checkpoints %s; submit the job without Flink state"
              .formatted(submission.group(), waiting));
    }
  }

  /** Whether the table has answered this submission's hello. */
  public boolean isOpen() {
    return open;
  }

  /** The table that the epochs are for; absent until a hello was answered. */
  public Optional<TableUuid> table() {
    return chain.map(ChainState::tableUuid);
  }

  /** What a hello says the job goes on from; absent without Flink state. */
  public Optional<Continuation> continuation() {
    return chain.map(c -> new Continuation(c.epoch(), c.chain()));
  }

  /** Epochs that a completed checkpoint released and nobody acknowledged, in order. */
  public List<Committable> toSend() {
    return unsent.stream()
        .map(SealedEpoch::committable)
        .filter(committable -> released.contains(committable.epoch()))
        .toList();
  }

  /** How many sealed epochs are not known to be on the control topic. */
  public int unsentEpochs() {
    return unsent.size();
  }

  /** The last sealed epoch, 0 before the first. */
  public Epoch epoch() {
    return chain.map(ChainState::epoch).orElse(new Epoch(0));
  }

  /** All shards as they stand, by number. */
  public SortedMap<ShardId, ShardProgress> shards() {
    TreeMap<ShardId, ShardProgress> all = new TreeMap<>();
    sources.values().forEach(source -> all.putAll(source.shards()));
    return all;
  }

  /**
   * Takes the table's answer to this submission's hello.
   *
   * @param table a state of the table in which the group has this submission
   * @param layout the table's layout now
   * @throws StartRefusedException when the job may not go on
   */
  public void open(TableState table, TableLayout layout) {
    if (open) {
      return;
    }
    if (!layout.tableUuid().equals(table.tableUuid())) {
      throw new IllegalArgumentException(
          "Cannot open group %s: expected the layout of table %s, found %s"
              .formatted(submission.group(), table.tableUuid(), layout));
    }
    GroupState group =
        table
            .group(submission.group())
            .filter(found -> found.submission().equals(submission.id()))
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Cannot open group %s: expected an answer to submission %s"
                            .formatted(submission.group(), submission.id())));
    ChainState from =
        switch (group.answer()) {
          case REFUSED -> throw refused(group);
          case CONTINUE -> continued(table, group, layout);
          case START_FROM_TABLE -> fromTable(table, group, layout);
        };
    // Sources that the state knows go on from it; the others start now from what the table knows.
    TreeSet<ShardId> toEmpty = new TreeSet<>(from.toEmpty());
    TreeMap<SourceId, SourceState> planned = new TreeMap<>();
    for (SourcePlan plan : submission.sources()) {
      SourceState known = sources.get(plan.source());
      if (known == null) {
        planned.put(plan.source(), startFrom(table, plan, toEmpty));
      } else {
        planned.put(plan.source(), withPlannedShards(known, plan));
      }
    }
    toEmpty.retainAll(submission.shards());
    sources.clear();
    sources.putAll(planned);
    chain =
        Optional.of(
            new ChainState(
                submission.id(),
                layout,
                from.epoch(),
                from.chain(),
                protections.contains(SealerProtection.EMPTY_BEFORE_COPY)
                    ? toEmpty
                    : new TreeSet<>()));
    open = true;
    earlyMarks.forEach(this::stand);
    earlyMarks.clear();
  }

  private StartRefusedException refused(GroupState group) {
    return new StartRefusedException(
        "Cannot start incarnation %s of group %s on table %s: the coordinator refused it%s"
            .formatted(
                submission.incarnation(),
                submission.group(),
                submission.table(),
                group.halt().map(Halt::message).map(message -> ": " + message).orElse("")));
  }

  private ChainState continued(TableState table, GroupState group, TableLayout layout) {
    ChainState mine =
        chain.orElseThrow(
            () ->
                new StartRefusedException(
                    "Cannot start group %s: expected the answer %s to a hello without Flink state, found %s"
                        .formatted(
                            submission.group(),
                            HelloAnswer.START_FROM_TABLE,
                            HelloAnswer.CONTINUE)));
    if (!mine.tableUuid().equals(table.tableUuid())
        || !mine.epoch().equals(group.continuedFrom())) {
      throw new StartRefusedException(
          "Cannot continue group %s: expected table %s and epoch %s as in the Flink state, found table %s and epoch %s; submit the job without Flink state"
              .formatted(
                  submission.group(),
                  mine.tableUuid(),
                  mine.epoch(),
                  table.tableUuid(),
                  group.continuedFrom()));
    }
    return new ChainState(submission.id(), layout, mine.epoch(), mine.chain(), mine.toEmpty());
  }

  private ChainState fromTable(TableState table, GroupState group, TableLayout layout) {
    if (chain.isPresent()) {
      throw new StartRefusedException(
          "Cannot continue group %s from its Flink state: expected its epoch %s to be committed or pending on table %s, found epoch %s committed in another line; submit the job without Flink state"
              .formatted(
                  submission.group(), chain.get().epoch(), submission.table(), group.epoch()));
    }
    return new ChainState(submission.id(), layout, group.epoch(), group.chain(), new TreeSet<>());
  }

  /** A source that starts now: where its shards are active from the table, else by copying them. */
  private SourceState startFrom(TableState table, SourcePlan plan, SortedSet<ShardId> toEmpty) {
    TreeMap<ShardId, ShardProgress> shards = new TreeMap<>();
    for (ShardId shard : plan.shards()) {
      Optional<ShardState> active =
          table.shard(shard).filter(known -> known.phase() == ShardPhase.ACTIVE);
      if (active.isEmpty()) {
        toEmpty.add(shard);
      }
      shards.put(
          shard,
          active
              .map(
                  known ->
                      new ShardProgress(
                          shard,
                          plan.server(),
                          ShardPhase.ACTIVE,
                          known.watermark(),
                          known.copiedRows(),
                          known.estimatedRows(),
                          Optional.empty(),
                          known.columns()))
              .orElseGet(() -> toCopy(shard, plan.server())));
    }
    boolean copies = shards.values().stream().anyMatch(s -> s.phase() == ShardPhase.SNAPSHOT);
    return new SourceState(
        plan.server(),
        copies ? Optional.empty() : table.source(submission.group(), plan.server()),
        shards);
  }

  /**
   * A reader that goes on from Flink state reads the shards it knows, and no other.
   *
   * @throws StartRefusedException when another shard is planned for it
   */
  private SourceState withPlannedShards(SourceState known, SourcePlan plan) {
    List<ShardId> unknown =
        plan.shards().stream().filter(shard -> !known.shards().containsKey(shard)).toList();
    if (!unknown.isEmpty()) {
      throw new StartRefusedException(
          "Cannot continue source %s of group %s from its Flink state: expected it to have read shards %s, found only %s; submit the job without Flink state"
              .formatted(
                  plan.source(), submission.group(), plan.shards(), known.shards().keySet()));
    }
    TreeMap<ShardId, ShardProgress> shards = new TreeMap<>(known.shards());
    shards.keySet().retainAll(plan.shards());
    return new SourceState(plan.server(), known.position(), shards);
  }

  private ShardProgress toCopy(ShardId shard, ServerName server) {
    return new ShardProgress(
        shard,
        server,
        ShardPhase.SNAPSHOT,
        Optional.empty(),
        0,
        submission.estimatedRows().getOrDefault(shard, 0L),
        Optional.empty());
  }

  /** Takes a writer's result. */
  public void add(WriterResult result) {
    held.computeIfAbsent(result.checkpointId(), id -> new ArrayList<>()).add(result);
  }

  private void add(Emptied shards) {
    emptied.computeIfAbsent(shards.checkpointId(), id -> new TreeSet<>()).addAll(shards.shards());
  }

  /**
   * Takes where a source stands; the newest before a barrier is the one that counts. What was
   * emptied counts for good, and may be said at several barriers.
   *
   * @throws IllegalArgumentException when the submission has no such source
   */
  public void mark(SourceId id, SourceMark mark) {
    mark.emptied().ifPresent(this::add);
    stand(id, mark);
  }

  private void stand(SourceId id, SourceMark mark) {
    if (!open) {
      earlyMarks.merge(id, mark, EpochSealer::newer);
      return;
    }
    SourceState source = sources.get(id);
    if (source == null || !source.server().equals(mark.server())) {
      throw new IllegalArgumentException(
          "Cannot take a mark of source %s: expected one of %s, found server %s"
              .formatted(id, sources.keySet(), mark.server()));
    }
    TreeMap<ShardId, ShardProgress> shards = new TreeMap<>(source.shards());
    shards.replaceAll((shard, progress) -> progressed(progress, mark));
    sources.put(id, new SourceState(source.server(), mark.position().or(source::position), shards));
  }

  /** A reader that has no binlog to read says nothing; that must not hide what another said. */
  private static SourceMark newer(SourceMark before, SourceMark after) {
    TreeMap<ShardId, String> faults = new TreeMap<>(before.faults());
    faults.putAll(after.faults());
    TreeMap<ShardId, ColumnDifferences> columns = new TreeMap<>(before.columns());
    columns.putAll(after.columns());
    return new SourceMark(
        after.server(),
        after.position().or(before::position),
        after.watermark().or(before::watermark),
        faults,
        List.of(),
        columns);
  }

  private static ShardProgress progressed(ShardProgress shard, SourceMark mark) {
    if (shard.phase() == ShardPhase.HALTED) {
      return shard;
    }
    // A reader that has only copied says at each barrier what it saw then.
    boolean stale = shard.phase() == ShardPhase.ACTIVE && mark.position().isEmpty();
    ColumnDifferences columns =
        stale ? shard.columns() : mark.columns().getOrDefault(shard.shard(), shard.columns());
    String fault = mark.faults().get(shard.shard());
    if (fault != null) {
      return new ShardProgress(
          shard.shard(),
          shard.server(),
          ShardPhase.HALTED,
          shard.watermark(),
          shard.copiedRows(),
          shard.estimatedRows(),
          Optional.of(fault),
          columns);
    }
    if (mark.watermark().isEmpty()) {
      return shard.with(columns);
    }
    Watermark reached = mark.watermark().get();
    return new ShardProgress(
        shard.shard(),
        shard.server(),
        ShardPhase.ACTIVE,
        // A reader that went back to the table's position also goes back in its clock; what the
        // table has promised stays true.
        shard.watermark().filter(before -> before.compareTo(reached) > 0).or(mark::watermark),
        shard.copiedRows(),
        shard.estimatedRows(),
        Optional.empty(),
        columns);
  }

  /**
   * A checkpoint barrier has reached the sealer.
   *
   * @return the epoch it seals; empty while the gate is closed
   * @throws IllegalStateException when files were written for different layouts of the table
   */
  public Optional<Committable> seal(long checkpointId, Instant now) {
    if (!open) {
      return Optional.empty();
    }
    ChainState from = chain.orElseThrow();
    TableLayout layout = layoutOf(held.values(), from.layout());
    List<Slice> slices = slices(from.toEmpty());
    if (slices.isEmpty() && !protections.contains(SealerProtection.EPOCH_CONTIGUITY)) {
      chain =
          Optional.of(
              new ChainState(
                  from.answered(), layout, from.epoch().next(), from.chain(), from.toEmpty()));
      return Optional.empty();
    }
    countCopiedRows();
    held.clear();
    emptied.clear();
    List<ShardProgress> shards = List.copyOf(shards().values());
    List<SourceProgress> positions = positions();
    Epoch epoch = from.epoch().next();
    ChainHash hash =
        ChainHash.of(
            from.tableUuid(), submission.group(), epoch, from.chain(), slices, shards, positions);
    Committable committable =
        new Committable(
            submission.table(),
            from.tableUuid(),
            submission.group(),
            submission.incarnation(),
            submission.id(),
            epoch,
            from.chain(),
            hash,
            layout.schemaId(),
            layout.specId(),
            layout.formatVersion(),
            submission.registryVersion(),
            checkpointId,
            now,
            slices,
            shards,
            positions);
    unsent.add(new SealedEpoch(checkpointId, committable));
    chain = Optional.of(new ChainState(from.answered(), layout, epoch, hash, new TreeSet<>()));
    return Optional.of(committable);
  }

  private TableLayout layoutOf(Collection<List<WriterResult>> results, TableLayout before) {
    TableLayout layout = before;
    for (WriterResult result : results.stream().flatMap(List::stream).toList()) {
      TableLayout found = result.layout();
      if (!found.sharesEpochsWith(layout)) {
        throw new IllegalStateException(
            "Cannot seal an epoch of group %s: expected files for %s, found %s; someone changed the table's layout"
                .formatted(submission.group(), layout, found));
      }
      layout = found.schemaId() > layout.schemaId() ? found : layout;
    }
    return layout;
  }

  private List<Slice> slices(SortedSet<ShardId> toEmpty) {
    List<Slice> slices = new ArrayList<>();
    SortedSet<Long> checkpoints = new TreeSet<>(held.keySet());
    checkpoints.addAll(emptied.keySet());
    for (Long checkpoint : checkpoints) {
      List<WriterResult> results = held.getOrDefault(checkpoint, List.of());
      List<List<WriterResult>> parts =
          protections.contains(SealerProtection.EARLY_SLICES) ? parts(results) : List.of(results);
      for (List<WriterResult> part : parts) {
        List<WrittenFiles> appended =
            part.stream().flatMap(result -> result.appended().stream()).toList();
        List<WrittenFiles> changed =
            part.stream().flatMap(result -> result.changed().stream()).toList();
        if (!appended.isEmpty()) {
          slices.add(slice(appended));
        }
        if (!changed.isEmpty()) {
          slices.add(slice(changed));
        }
      }
      if (emptied.containsKey(checkpoint)
          && protections.contains(SealerProtection.EMPTY_BEHIND_STATEMENT)
          && protections.contains(SealerProtection.EMPTY_IN_ORDER)) {
        slices.add(new Slice(emptied.get(checkpoint), List.of(), FileCounts.NONE));
      }
    }
    if (!emptied.isEmpty()
        && protections.contains(SealerProtection.EMPTY_BEHIND_STATEMENT)
        && !protections.contains(SealerProtection.EMPTY_IN_ORDER)) {
      TreeSet<ShardId> all = new TreeSet<>();
      emptied.values().forEach(all::addAll);
      slices.add(new Slice(all, List.of(), FileCounts.NONE));
    }
    if (!protections.contains(SealerProtection.SLICES) && slices.size() > 1) {
      List<CommittableManifest> all =
          slices.stream().flatMap(slice -> slice.manifests().stream()).toList();
      FileCounts counts =
          slices.stream().map(Slice::counts).reduce(FileCounts.NONE, FileCounts::plus);
      TreeSet<ShardId> empty = new TreeSet<>();
      slices.forEach(slice -> empty.addAll(slice.emptyShards()));
      slices = new ArrayList<>(List.of(new Slice(empty, all, counts)));
    }
    if (!toEmpty.isEmpty()) {
      // Emptying and deleting by key do not share a slice: one removes files, the other covers
      // them.
      if (slices.isEmpty() || slices.get(0).counts().hasDeletes()) {
        slices.add(0, new Slice(toEmpty, List.of(), FileCounts.NONE));
      } else {
        Slice first = slices.get(0);
        TreeSet<ShardId> all = new TreeSet<>(toEmpty);
        all.addAll(first.emptyShards());
        slices.set(0, new Slice(all, first.manifests(), first.counts()));
      }
    }
    return slices;
  }

  /**
   * The results of one barrier in the order in which they must be applied: each writer's first,
   * each writer's second, and so on. A writer has more than one when the table got columns since
   * the barrier before.
   */
  private static List<List<WriterResult>> parts(List<WriterResult> results) {
    List<List<WriterResult>> parts = new ArrayList<>();
    Map<Integer, Integer> seen = new HashMap<>();
    for (WriterResult result :
        results.stream().sorted(Comparator.comparing(WriterResult::subtask)).toList()) {
      int part = seen.merge(result.subtask(), 1, Integer::sum);
      if (parts.size() < part) {
        parts.add(new ArrayList<>());
      }
      parts.get(part - 1).add(result);
    }
    return parts;
  }

  private static Slice slice(List<WrittenFiles> files) {
    return Slice.of(
        files.stream().flatMap(written -> written.manifests().stream()).toList(),
        files.stream().map(WrittenFiles::counts).reduce(FileCounts.NONE, FileCounts::plus));
  }

  private void countCopiedRows() {
    TreeMap<ShardId, Long> copied = new TreeMap<>();
    held.values().stream()
        .flatMap(List::stream)
        .forEach(
            result ->
                result.copiedRows().forEach((shard, rows) -> copied.merge(shard, rows, Long::sum)));
    sources.replaceAll(
        (id, source) -> {
          TreeMap<ShardId, ShardProgress> shards = new TreeMap<>(source.shards());
          shards.replaceAll(
              (shard, progress) ->
                  new ShardProgress(
                      shard,
                      progress.server(),
                      progress.phase(),
                      progress.watermark(),
                      progress.copiedRows() + copied.getOrDefault(shard, 0L),
                      progress.estimatedRows(),
                      progress.haltReason(),
                      progress.columns()));
          return new SourceState(source.server(), source.position(), shards);
        });
  }

  /**
   * Where a start from the table goes on: what the slowest reader of a server has reached. One that
   * is halted with all its shards does not count beside others: it reads no more, and its shards
   * are copied anew.
   */
  private List<SourceProgress> positions() {
    TreeMap<ServerName, Optional<SourcePosition>> byServer = new TreeMap<>();
    Set<ServerName> read =
        sources.values().stream()
            .filter(source -> !isHalted(source))
            .map(SourceState::server)
            .collect(Collectors.toSet());
    sources.values().stream()
        .filter(source -> !isHalted(source) || !read.contains(source.server()))
        .forEach(
            source ->
                byServer.merge(
                    source.server(),
                    source.position(),
                    (a, b) ->
                        a.isPresent() && b.isPresent()
                            ? Optional.of(
                                BinlogOrder.INSTANCE.compare(a.get(), b.get()) <= 0
                                    ? a.get()
                                    : b.get())
                            : a.or(() -> b)));
    return byServer.entrySet().stream()
        .map(entry -> new SourceProgress(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static boolean isHalted(SourceState source) {
    return source.shards().values().stream().allMatch(shard -> shard.phase() == ShardPhase.HALTED);
  }

  /**
   * A checkpoint is complete.
   *
   * @return the epochs it releases, in order
   */
  public List<Committable> complete(long checkpointId) {
    List<Committable> now = new ArrayList<>();
    for (Iterator<SealedEpoch> each = unsent.iterator(); each.hasNext(); ) {
      SealedEpoch entry = each.next();
      if (entry.checkpointId() > checkpointId || released.contains(entry.committable().epoch())) {
        continue;
      }
      if (entry.checkpointId() < checkpointId
          && !protections.contains(SealerProtection.SEND_ABORTED_EPOCHS)) {
        each.remove();
        continue;
      }
      released.add(entry.committable().epoch());
      now.add(entry.committable());
    }
    return now;
  }

  /** The epoch is on the control topic: it leaves the state. */
  public void acknowledge(Epoch epoch) {
    unsent.removeIf(entry -> entry.committable().epoch().equals(epoch));
    released.remove(epoch);
  }

  /** What to keep in Flink state. */
  public SealerState state() {
    return new SealerState(
        submission.id(),
        chain,
        unsent,
        held.values().stream().flatMap(List::stream).toList(),
        emptied.entrySet().stream()
            .map(entry -> new Emptied(entry.getKey(), entry.getValue()))
            .toList(),
        sources);
  }
}
