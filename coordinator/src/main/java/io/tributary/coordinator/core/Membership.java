package io.tributary.coordinator.core;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Who owns which shard: the last registry that could be accepted on top of what the table says.
 *
 * <p>A registry is accepted whole or not at all. Accepted in place: new shards, pausing, resuming,
 * retiring, and another group or server of a shard of which nothing was ever committed or is
 * pending. Refused, because it needs the old owner's final epoch first: another group or server of
 * a started shard; a started shard that is missing; an older version.
 */
final class Membership {
  private final Members members;

  private Membership(Members members) {
    this.members = members;
  }

  /** What a registry says, before there is a table. */
  static Membership of(Members members) {
    return new Membership(members);
  }

  /** What the table itself says. */
  static Membership ofTable(TableState ledger) {
    SortedMap<ShardId, Members.Member> shards = new TreeMap<>();
    ledger
        .shards()
        .forEach(
            (id, shard) ->
                shards.put(
                    id,
                    new Members.Member(shard.group(), shard.server(), desiredBy(shard.phase()))));
    return new Membership(new Members(ledger.registryVersion(), shards));
  }

  private static Members.Desired desiredBy(ShardPhase phase) {
    return switch (phase) {
      case PAUSED -> Members.Desired.PAUSED;
      case RETIRED -> Members.Desired.RETIRED;
      case SNAPSHOT, ACTIVE, HALTED -> Members.Desired.ACTIVE;
    };
  }

  /**
   * Why the registry cannot be accepted; empty when it can.
   *
   * @param pending whether an admitted epoch that is not committed yet speaks for the shard
   */
  static List<MembershipForecast.Problem> problems(
      TableName table, TableState ledger, Members wanted, Predicate<ShardId> pending) {
    List<MembershipForecast.Problem> problems = new ArrayList<>();
    if (wanted.registryVersion() != 0 && wanted.registryVersion() < ledger.registryVersion()) {
      problems.add(
          new MembershipForecast.Problem(
              Optional.empty(),
              "Cannot apply registry version %d to table %s: expected at least version %d, which the table has"
                  .formatted(wanted.registryVersion(), table, ledger.registryVersion())));
    }
    ledger
        .shards()
        .forEach(
            (id, shard) -> {
              Members.Member member = wanted.shards().get(id);
              boolean started = shard.started() || pending.test(id);
              if (member == null) {
                if (started && shard.phase() != ShardPhase.RETIRED) {
                  problems.add(
                      new MembershipForecast.Problem(
                          Optional.of(id),
                          "Cannot drop shard %s of table %s: expected it in the registry, found none; cure: keep it with state retired"
                              .formatted(id, table)));
                }
              } else if (started && !member.group().equals(shard.group())) {
                problems.add(
                    new MembershipForecast.Problem(
                        Optional.of(id),
                        "Cannot move shard %s of table %s to group %s: expected group %s, which owns it and has committed epochs for it; cure: restore the group in the registry"
                            .formatted(id, table, member.group(), shard.group())));
              } else if (started && !member.server().equals(shard.server())) {
                problems.add(
                    new MembershipForecast.Problem(
                        Optional.of(id),
                        "Cannot read shard %s of table %s from server %s: expected server %s, whose position the table remembers; cure: restore the server in the registry"
                            .formatted(id, table, member.server(), shard.server())));
              }
            });
    return problems;
  }

  /** The registry, accepted: shards that only the table knows stay as they are. */
  static Membership accept(TableState ledger, Members wanted) {
    SortedMap<ShardId, Members.Member> shards = new TreeMap<>(ofTable(ledger).members.shards());
    // An unstarted shard that the registry no longer names has no rows and no history.
    shards
        .keySet()
        .removeIf(id -> !wanted.shards().containsKey(id) && !ledger.shards().get(id).started());
    shards.putAll(wanted.shards());
    return new Membership(new Members(wanted.registryVersion(), shards));
  }

  long registryVersion() {
    return members.registryVersion();
  }

  boolean owns(GroupName group, ShardId shard) {
    Members.Member member = members.shards().get(shard);
    return member != null && member.group().equals(group);
  }

  boolean reads(GroupName group, ShardId shard, ServerName server) {
    return owns(group, shard) && members.shards().get(shard).server().equals(server);
  }

  /** As messages name an owner. */
  String ownerText(ShardId shard) {
    return Optional.ofNullable(members.shards().get(shard))
        .map(
            member ->
                "shard %s of group %s on server %s"
                    .formatted(shard, member.group(), member.server()))
        .orElse("shard %s of no group".formatted(shard));
  }

  /** The table's shards as this registry wants them, before any new epoch. */
  SortedMap<ShardId, ShardState> applyTo(SortedMap<ShardId, ShardState> ledger) {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    members
        .shards()
        .forEach(
            (id, member) -> {
              ShardState known = ledger.get(id);
              ShardState base =
                  known == null || !known.started()
                      ? ShardState.registered(member.group(), member.server())
                      : known;
              shards.put(id, withDesired(base, member.desired()));
            });
    return shards;
  }

  private static ShardState withDesired(ShardState shard, Members.Desired desired) {
    return switch (desired) {
      case PAUSED -> withPhase(shard, ShardPhase.PAUSED);
      case RETIRED -> withPhase(shard, ShardPhase.RETIRED);
      case ACTIVE ->
          shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED
              ? withPhase(
                  shard, shard.watermark().isPresent() ? ShardPhase.ACTIVE : ShardPhase.SNAPSHOT)
              : shard;
    };
  }

  /** A shard that leaves or comes back must reach the table's watermark before it counts again. */
  private static ShardState withPhase(ShardState shard, ShardPhase phase) {
    if (shard.phase() == phase) {
      return shard;
    }
    // Behind a fault the source's position went on without the shard: it is copied anew.
    boolean whole = shard.phase() != ShardPhase.HALTED;
    return new ShardState(
        shard.group(),
        shard.server(),
        phase,
        whole ? shard.watermark() : Optional.empty(),
        shard.started(),
        false,
        shard.copiedRows(),
        shard.estimatedRows(),
        Optional.empty(),
        shard.columns());
  }
}
