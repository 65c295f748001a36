package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Term;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The registry: who reads what, and the counters of terms and incarnations. */
final class RegistryModel {
  private Members members;
  private final Map<GroupName, Long> incarnations = new HashMap<>();
  private long terms;
  private boolean down;

  RegistryModel(Map<ShardId, Members.Member> shards) {
    this.members = Members.of(1, shards);
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
    members = Members.of(members.registryVersion() + 1, next);
  }

  void desire(ShardId shard, Members.Desired desired) {
    Members.Member member = members.shards().get(shard);
    put(shard, new Members.Member(member.group(), member.server(), desired));
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
