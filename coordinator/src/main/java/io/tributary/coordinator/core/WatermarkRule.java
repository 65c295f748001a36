package io.tributary.coordinator.core;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * From the shards' watermarks to the table's.
 *
 * <ul>
 *   <li>Before the first: every shard that is to be read (not paused, not retired) must be active.
 *       A shard that joins before that belongs to the first ones. A halted shard keeps the table
 *       without a watermark. The same holds after an operator accepted an older state, and then
 *       there is none below what was announced.
 *   <li>Then it is the minimum over the covered shards, and never falls. Without any it stays.
 *   <li>A covered shard that is halted holds it: its rows end at its own watermark, and going on
 *       without it would promise them. Pausing or retiring it lets go; that is the operator's word.
 *   <li>A shard that is copied, paused or retired is not covered. It is covered again once it is
 *       active and its watermark has reached the table's. One that is active and just behind (less
 *       than the join window) holds the table's, or a constant lag would keep it out for ever.
 * </ul>
 */
final class WatermarkRule {
  /** The table's watermark and the shards with their cover. */
  record Result(Optional<Watermark> validThrough, SortedMap<ShardId, ShardState> shards) {}

  private final Duration joinWindow;
  private final Protections protections;

  WatermarkRule(Duration joinWindow, Protections protections) {
    this.joinWindow = joinWindow;
    this.protections = protections;
  }

  /**
   * @param promised what was announced before, while there is no watermark
   */
  Result apply(
      Optional<Watermark> current,
      Optional<Watermark> promised,
      SortedMap<ShardId, ShardState> shards) {
    return current.map(t -> next(t, shards)).orElseGet(() -> first(promised, shards));
  }

  private Result first(Optional<Watermark> promised, SortedMap<ShardId, ShardState> shards) {
    List<ShardState> wanted =
        shards.values().stream()
            .filter(s -> s.phase() != ShardPhase.PAUSED && s.phase() != ShardPhase.RETIRED)
            .toList();
    boolean complete = wanted.stream().allMatch(s -> s.phase() == ShardPhase.ACTIVE);
    if (!complete && protections.holds(Protection.NULL_WATERMARK_DURING_SNAPSHOT)) {
      return new Result(Optional.empty(), shards);
    }
    Predicate<ShardState> covered = s -> s.phase() == ShardPhase.ACTIVE;
    return new Result(
        minimum(wanted.stream().filter(covered).toList())
            .filter(t -> promised.isEmpty() || t.compareTo(promised.get()) >= 0),
        cover(shards, shard -> shard.covered() || covered.test(shard)));
  }

  private Result next(Watermark current, SortedMap<ShardId, ShardState> shards) {
    SortedMap<ShardId, ShardState> covered =
        cover(shards, s -> s.covered() || (isActive(s) && reached(s, current)));
    Optional<Watermark> bound =
        minimum(covered.values().stream().filter(ShardState::covered).toList());
    boolean joining =
        covered.values().stream().anyMatch(s -> !s.covered() && isActive(s) && near(s, current));
    if (!protections.holds(Protection.MONOTONE_WATERMARK)) {
      return new Result(bound, covered);
    }
    return new Result(
        Optional.of(bound.filter(t -> !joining && t.compareTo(current) > 0).orElse(current)),
        covered);
  }

  private static boolean isActive(ShardState shard) {
    return shard.phase() == ShardPhase.ACTIVE;
  }

  private static boolean reached(ShardState shard, Watermark table) {
    return shard.watermark().filter(w -> w.compareTo(table) >= 0).isPresent();
  }

  private boolean near(ShardState shard, Watermark table) {
    return shard
        .watermark()
        .filter(w -> w.instant().plus(joinWindow).isAfter(table.instant()))
        .isPresent();
  }

  private static Optional<Watermark> minimum(Collection<ShardState> shards) {
    return shards.stream().flatMap(shard -> shard.watermark().stream()).min(Watermark::compareTo);
  }

  private static SortedMap<ShardId, ShardState> cover(
      SortedMap<ShardId, ShardState> shards, Predicate<ShardState> covered) {
    SortedMap<ShardId, ShardState> result = new TreeMap<>(shards);
    result.replaceAll((id, shard) -> withCover(shard, covered.test(shard)));
    return result;
  }

  private static ShardState withCover(ShardState shard, boolean covered) {
    return shard.covered() == covered
        ? shard
        : new ShardState(
            shard.group(),
            shard.server(),
            shard.phase(),
            shard.watermark(),
            shard.started(),
            covered,
            shard.copiedRows(),
            shard.estimatedRows(),
            shard.haltReason(),
            shard.columns());
  }
}
