package io.tributary.coordinator.core;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which shards are late, for people. Only what the sources' own clocks say, a shard compared with
 * the others, changes the table's watermark ({@link WatermarkRule}). A clock that is asked here may
 * only tell: when all shards are late together there is nothing to compare them with.
 *
 * @param byGroup the late shards of each group that has some
 */
public record LateShards(SortedMap<GroupName, Late> byGroup) {
  /**
   * Late shards of one group.
   *
   * @param text "Cannot X: expected Y, found Z", with what follows and the cure
   */
  public record Late(SortedSet<ShardId> shards, String text) {
    public Late {
      shards = Collections.unmodifiableSortedSet(new TreeSet<>(shards));
      Objects.requireNonNull(text, "text");
    }
  }

  public LateShards {
    byGroup = Collections.unmodifiableSortedMap(new TreeMap<>(byGroup));
  }

  /**
   * @param now by the clock of whoever asks
   */
  public static LateShards of(TableName table, TableState state, LatePolicy policy, Instant now) {
    Optional<Watermark> newest = newest(state.shards().values());
    SortedMap<GroupName, SortedSet<ShardId>> late = new TreeMap<>();
    state
        .shards()
        .forEach(
            (id, shard) -> {
              if (isRead(shard)
                  && (shard.late()
                      || isBehind(shard, newest, policy)
                      || isBehind(shard, now, policy))) {
                late.computeIfAbsent(shard.group(), group -> new TreeSet<>()).add(id);
              }
            });
    SortedMap<GroupName, Late> byGroup = new TreeMap<>();
    late.forEach(
        (group, shards) ->
            byGroup.put(group, new Late(shards, text(table, group, shards, state, policy, now))));
    return new LateShards(byGroup);
  }

  /** The newest watermark among the active shards; a halted one goes nowhere. */
  static Optional<Watermark> newest(Collection<ShardState> shards) {
    return shards.stream()
        .filter(shard -> shard.phase() == ShardPhase.ACTIVE)
        .flatMap(shard -> shard.watermark().stream())
        .max(Watermark::compareTo);
  }

  /** Whether the shard is too far behind the newest of them, by the sources' clocks. */
  static boolean isBehind(ShardState shard, Optional<Watermark> newest, LatePolicy policy) {
    return isRead(shard)
        && newest.filter(found -> isBehind(shard, found.instant(), policy)).isPresent();
  }

  private static boolean isBehind(ShardState shard, Instant other, LatePolicy policy) {
    return shard
        .watermark()
        .filter(own -> own.instant().plus(policy.after()).isBefore(other))
        .isPresent();
  }

  private static boolean isRead(ShardState shard) {
    return shard.phase() == ShardPhase.ACTIVE || shard.phase() == ShardPhase.HALTED;
  }

  private static String text(
      TableName table,
      GroupName group,
      SortedSet<ShardId> shards,
      TableState state,
      LatePolicy policy,
      Instant now) {
    Optional<Watermark> newest = newest(state.shards().values());
    boolean compared =
        shards.stream().anyMatch(id -> isBehind(state.shards().get(id), newest, policy));
    boolean left = shards.stream().allMatch(id -> state.shards().get(id).late());
    return "Cannot keep shards %s of group %s in table %s up to date: expected watermarks within %s of %s, found the oldest at %s; %s; cure: see in tributary status whether the job of group %s runs, whether a shard is halted and what its last error is, and whether the servers answer"
        .formatted(
            shards,
            group,
            table,
            policy.after(),
            compared || left
                ? "the newest, " + newest.map(Object::toString).orElse("none")
                : "the clock, " + now,
            oldest(shards, state),
            left
                ? "the table's watermark goes on without them, and messages name them until they have caught up"
                : "the table's watermark waits for those that it covers",
            group);
  }

  private static String oldest(SortedSet<ShardId> shards, TableState state) {
    return shards.stream()
        .flatMap(id -> state.shards().get(id).watermark().stream())
        .min(Watermark::compareTo)
        .map(Object::toString)
        .orElse("none");
  }
}
