package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.LatePolicy;
import io.tributary.coordinator.core.Members;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Term;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The registry: who reads what, and the counters of terms and incarnations. */
final class RegistryModel {
  private Members members;
  private final Map<GroupName, Long> incarnations = new HashMap<>();
  private final TreeMap<ShardId, Long> resyncs = new TreeMap<>();
  private long terms;
  private boolean down;

  /** The shortest time after which a coordinator was ever allowed to leave a shard out. */
  private Optional<Duration> leastAfter = Optional.empty();

  RegistryModel(Map<ShardId, Members.Member> shards, LatePolicy late) {
    this.members = new Members(1, new TreeMap<>(shards), late);
    note(late);
  }

  void late(LatePolicy late) {
    members = new Members(members.registryVersion() + 1, members.shards(), late);
    note(late);
  }

  private void note(LatePolicy late) {
    if (!late.waits() && leastAfter.filter(known -> known.compareTo(late.after()) <= 0).isEmpty()) {
      leastAfter = Optional.of(late.after());
    }
  }

  Optional<Duration> leastAfter() {
    return leastAfter;
  }

  Members members() {
    return members;
  }

  boolean isDown() {
    return down;
  }

  void setDown(boolean now) {
    down = now;
  }

  void put(ShardId shard, Members.Member member) {
    TreeMap<ShardId, Members.Member> next = new TreeMap<>(members.shards());
    next.put(shard, member);
    members = new Members(members.registryVersion() + 1, next, members.late());
  }

  void desire(ShardId shard, Members.Desired desired) {
    Members.Member member = members.shards().get(shard);
    put(shard, new Members.Member(member.group(), member.server(), desired));
  }

  /** The number of each shard's copy that is wanted; 0 where missing. */
  TreeMap<ShardId, Long> resyncs() {
    return new TreeMap<>(resyncs);
  }

  long resync(ShardId shard) {
    return resyncs.getOrDefault(shard, 0L);
  }

  /** The shard's rows are wanted anew. */
  void resyncAnew(ShardId shard) {
    resyncs.merge(shard, 1L, Long::sum);
    put(shard, members.shards().get(shard));
  }

  /** What a coordinator learns at its start; 0 when the registry does not answer. */
  Term countTerm(Term ofTable) {
    if (down) {
      return new Term(0);
    }
    terms = Math.max(terms, ofTable.value()) + 1;
    return new Term(terms - 1);
  }

  /** 1 + max(the registry's, the table's); without the registry the table's alone. */
  Incarnation countIncarnation(GroupName group, long ofTable) {
    if (down) {
      return new Incarnation(ofTable + 1);
    }
    long next = Math.max(incarnations.getOrDefault(group, 0L), ofTable) + 1;
    incarnations.put(group, next);
    return new Incarnation(next);
  }
}
