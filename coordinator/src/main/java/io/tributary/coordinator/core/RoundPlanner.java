package io.tributary.coordinator.core;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.Committable;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SourceProgress;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes a round out of what is admitted.
 *
 * <p>How much of a group: an epoch costs a layer, which is an Iceberg snapshot, unless it brings no
 * files or only files that may join the layer before. With one or two costly epochs pending, one is
 * taken: two arise when an epoch just missed the round before, and the one left keeps the group
 * from missing a round the other way, so at equal intervals a round with files has one snapshot.
 * When one was left in each of many rounds, nothing ever came late: both are taken, because what is
 * left is an interval older than it need be. With three or more the group is behind: all but one
 * are taken, up to the cap, which cuts only between epochs. Epochs that cost nothing come along
 * with the one before. While a hello waits for epochs to be committed, all of them are taken.
 */
final class RoundPlanner {
  /** A round, and what the operator must hear about it. */
  record Planned(RoundPlan plan, List<Alarm> alarms) {}

  /** Rounds; one in so many may have a second snapshot. */
  private static final int PATIENCE = 40;

  private final CoreSettings settings;
  private final Protections protections;
  private final WatermarkRule watermarks;

  RoundPlanner(CoreSettings settings, Protections protections) {
    this.settings = settings;
    this.protections = protections;
    this.watermarks = new WatermarkRule(settings.joinWindow(), protections);
  }

  /**
   * @param columns that jobs wait for
   * @param nextOffset the control topic is judged below it
   * @return empty when there is nothing to write, or nothing that cannot wait
   */
  Optional<Planned> plan(
      TableState ledger,
      Membership membership,
      Collection<GroupBook> books,
      List<RequestedColumn> columns,
      long nextOffset,
      Instant now,
      PlanId planId) {
    Draft draft = new Draft(ledger, membership.applyTo(ledger.shards()));
    boolean urgent =
        !columns.isEmpty()
            || !draft.shards.equals(ledger.shards())
            || membership.registryVersion() != ledger.registryVersion();
    boolean moves = false;
    List<LayerStack> stacks = new ArrayList<>();
    long controlOffset = nextOffset;
    for (GroupBook book : books) {
      LayerStack stack = new LayerStack(book.name(), protections);
      int taken = take(book, stack, draft);
      stacks.add(stack);
      moves |= taken > 0;
      Optional<GroupState> after = book.after(taken);
      Optional<GroupState> known = ledger.group(book.name());
      after.ifPresent(state -> draft.groups.put(book.name(), state));
      urgent |= saysMore(known, after);
      if (protections.holds(Protection.PINNED_OFFSETS)) {
        controlOffset = Math.min(controlOffset, book.neededAfter(taken).orElse(Long.MAX_VALUE));
      }
    }
    List<Layer> layers = LayerStack.merge(stacks);
    if (layers.isEmpty() && !urgent && (!moves || !isIdleRoundDue(ledger, now))) {
      return Optional.empty();
    }
    WatermarkRule.Result watermark =
        watermarks.apply(ledger.validThrough(), ledger.promisedThrough(), draft.shards);
    TableState next =
        new TableState(
            ledger.tableUuid(),
            ledger.round().next(),
            ledger.term(),
            ledger.owner(),
            planId,
            membership.registryVersion(),
            Math.max(ledger.controlOffset(), controlOffset),
            watermark.validThrough(),
            ledger.snapshot(),
            !layers.isEmpty(),
            layers.stream().map(Layer::counts).reduce(FileCounts.NONE, FileCounts::plus),
            FileCounts.NONE,
            now.isBefore(ledger.committedAt()) ? ledger.committedAt() : now,
            draft.groups,
            watermark.shards(),
            draft.sources,
            ledger.acceptance());
    return Optional.of(
        new Planned(
            new RoundPlan(ledger, columns, ColumnAgreement.renames(next.shards()), layers, next),
            draft.alarms));
  }

  /** An answer or a halt is written at the next tick. */
  private static boolean saysMore(Optional<GroupState> known, Optional<GroupState> after) {
    return after.isPresent()
        && (known.isEmpty()
            || known.get().helloOffset() != after.get().helloOffset()
            || !known
                .get()
                .halt()
                .map(Halt::message)
                .equals(after.get().halt().map(Halt::message)));
  }

  private boolean isIdleRoundDue(TableState ledger, Instant now) {
    // A clock that was set back must not stop the watermark.
    return now.isBefore(ledger.committedAt())
        || !now.isBefore(ledger.committedAt().plus(settings.idleRoundInterval()));
  }

  /** Lays the group's share of the round into the stack and the draft; how many epochs it is. */
  private int take(GroupBook book, LayerStack stack, Draft draft) {
    List<Integer> costs = costs(book, draft);
    int costly = (int) costs.stream().filter(cost -> cost > 0).count();
    int wanted = wanted(book, costly);
    int taken = 0;
    int takenCostly = 0;
    for (GroupBook.Entry entry : book.pending()) {
      int cost = costs.get(taken);
      if (cost > 0) {
        int layers = stack.drafts().size() + cost;
        if (takenCostly == wanted || (takenCostly > 0 && layers > settings.maxLayersPerRound())) {
          break;
        }
        takenCostly++;
      }
      stack.add(entry.epoch(), entry.committable().slices(), draft::isFilled);
      draft.apply(entry.committable());
      taken++;
    }
    return taken;
  }

  private static int wanted(GroupBook book, int costly) {
    if (book.owesAnswer() || costly <= 1) {
      return costly;
    }
    if (costly == 2) {
      return book.roundsWithRest() < PATIENCE ? 1 : 2;
    }
    return costly - 1;
  }

  /** How many layers each pending epoch opens on top of those before it. */
  private List<Integer> costs(GroupBook book, Draft draft) {
    LayerStack trial = new LayerStack(book.name(), protections);
    Set<ShardId> filled = new HashSet<>();
    List<Integer> costs = new ArrayList<>();
    for (GroupBook.Entry entry : book.pending()) {
      costs.add(
          trial.add(
              entry.epoch(),
              entry.committable().slices(),
              shard -> filled.contains(shard) || draft.isFilled(shard)));
      entry.committable().shards().forEach(progress -> filled.add(progress.shard()));
    }
    return costs;
  }

  /** The next state in the making. */
  private final class Draft {
    private final TableState ledger;
    private final SortedMap<GroupName, GroupState> groups;
    private final SortedMap<ShardId, ShardState> shards;
    private final SortedMap<SourceKey, SourcePosition> sources;
    private final List<Alarm> alarms = new ArrayList<>();

    Draft(TableState ledger, SortedMap<ShardId, ShardState> shards) {
      this.ledger = ledger;
      this.groups = new TreeMap<>(ledger.groups());
      this.shards = new TreeMap<>(shards);
      this.sources = new TreeMap<>(ledger.sources());
    }

    /** Whether the shard's partitions may hold rows. */
    boolean isFilled(ShardId shard) {
      ShardState state = shards.get(shard);
      return state != null && state.started();
    }

    void apply(Committable epoch) {
      for (ShardProgress progress : epoch.shards()) {
        shards.computeIfPresent(progress.shard(), (id, shard) -> moved(epoch, shard, progress));
      }
      for (SourceProgress source : epoch.sources()) {
        SourceKey key = new SourceKey(epoch.group(), source.server());
        // Without a position the source is being copied: an older one would skip the copy.
        source.position().ifPresentOrElse(p -> sources.put(key, p), () -> sources.remove(key));
      }
      leaveBehind(epoch);
    }

    /**
     * A shard that its group's job does not read while the server's position goes on has a hole in
     * its changes that no position leads back to: when it is read again, it is copied anew.
     */
    private void leaveBehind(Committable epoch) {
      Set<ShardId> read = new HashSet<>();
      epoch.shards().forEach(progress -> read.add(progress.shard()));
      Set<ServerName> moved = new HashSet<>();
      epoch.sources().forEach(source -> moved.add(source.server()));
      shards.replaceAll(
          (id, shard) ->
              shard.group().equals(epoch.group())
                      && moved.contains(shard.server())
                      && !read.contains(id)
                      && shard.watermark().isPresent()
                      && shard.phase() != ShardPhase.HALTED
                  ? leftBehind(shard)
                  : shard);
    }

    private static ShardState leftBehind(ShardState shard) {
      return new ShardState(
          shard.group(),
          shard.server(),
          shard.phase() == ShardPhase.ACTIVE ? ShardPhase.SNAPSHOT : shard.phase(),
          Optional.empty(),
          shard.started(),
          false,
          shard.copiedRows(),
          shard.estimatedRows(),
          shard.haltReason(),
          shard.columns());
    }

    private ShardState moved(Committable epoch, ShardState shard, ShardProgress progress) {
      boolean away = isAway(shard);
      ShardPhase phase = away ? shard.phase() : progress.phase();
      if (phase == ShardPhase.HALTED && shard.phase() != ShardPhase.HALTED) {
        alarms.add(
            alarm(
                Alarm.Code.SHARD_HALTED,
                epoch,
                "Cannot go on with shard %s of group %s in table %s: %s (epoch %s, term %s); its watermark stands and holds the table's; cure: remove the cause, pause the shard in the registry, start group %s anew, then resume the shard: it is copied anew"
                    .formatted(
                        progress.shard(),
                        epoch.group(),
                        settings.table(),
                        progress.haltReason().orElse("no reason given"),
                        epoch.epoch(),
                        ledger.term(),
                        epoch.group())));
      }
      TreeSet<Integer> unfilled = new TreeSet<>(progress.columns().unfilled());
      unfilled.removeAll(shard.columns().unfilled());
      if (!unfilled.isEmpty()) {
        alarms.add(
            alarm(
                Alarm.Code.COLUMN_UNFILLED,
                epoch,
                "Cannot show in table %s what old rows of shard %s of group %s hold in new columns (fields %s): expected columns without a value for rows that are there, found ones with a DEFAULT or NOT NULL, and no row event says so (epoch %s, term %s); they are NULL in the table until they are changed; cure: copy the shard anew where that matters"
                    .formatted(
                        settings.table(),
                        progress.shard(),
                        epoch.group(),
                        unfilled,
                        epoch.epoch(),
                        ledger.term())));
      }
      return new ShardState(
          shard.group(),
          shard.server(),
          phase,
          watermark(epoch, shard, progress),
          true,
          shard.covered() && (phase == ShardPhase.ACTIVE || phase == ShardPhase.HALTED),
          progress.copiedRows(),
          progress.estimatedRows(),
          away ? Optional.empty() : progress.haltReason(),
          columns(shard, progress));
    }

    /**
     * While a shard is copied its names are those that it had, until its reader has said others;
     * what it had dropped or not filled in is being made good.
     */
    private static ColumnDifferences columns(ShardState shard, ShardProgress progress) {
      return progress.phase() == ShardPhase.SNAPSHOT && progress.columns().isEmpty()
          ? ColumnDifferences.renamed(shard.columns().renamed())
          : progress.columns();
    }

    private static boolean isAway(ShardState shard) {
      return shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED;
    }

    private Optional<Watermark> watermark(
        Committable epoch, ShardState shard, ShardProgress progress) {
      if (isAway(shard) && progress.phase() == ShardPhase.HALTED) {
        // The source's position went on without it: when it comes back, it is copied anew.
        return Optional.empty();
      }
      if (progress.phase() == ShardPhase.SNAPSHOT) {
        // Its rows are being copied anew: no earlier promise holds for them.
        return protections.holds(Protection.NULL_WATERMARK_DURING_SNAPSHOT)
            ? Optional.empty()
            : progress.watermark();
      }
      if (shard.watermark().isEmpty() || progress.watermark().isEmpty()) {
        return progress.watermark().or(shard::watermark);
      }
      Watermark known = shard.watermark().get();
      Watermark found = progress.watermark().get();
      if (found.compareTo(known) >= 0) {
        return progress.watermark();
      }
      alarms.add(
          alarm(
              Alarm.Code.WATERMARK_FELL,
              epoch,
              "Cannot lower the watermark of shard %s of group %s in table %s: expected at least %s, found %s (epoch %s, term %s); the higher one is kept; cure: check the clock of server %s"
                  .formatted(
                      progress.shard(),
                      epoch.group(),
                      settings.table(),
                      known,
                      found,
                      epoch.epoch(),
                      ledger.term(),
                      progress.server())));
      return protections.holds(Protection.MONOTONE_WATERMARK)
          ? shard.watermark()
          : progress.watermark();
    }

    private Alarm alarm(Alarm.Code code, Committable epoch, String text) {
      return new Alarm(code, settings.table(), Optional.of(epoch.group()), text);
    }
  }
}
