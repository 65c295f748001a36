package io.tributary.coordinator.core;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardMove;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Who owns which shard: the last registry that could be accepted on top of what the table says.
 *
 * <p>A registry is accepted whole or not at all. Accepted in place: new shards, pausing, resuming,
 * retiring, another group of a shard, and another server of one that is copied anew. Refused:
 * another server of a shard whose rows go on from a position, which means nothing there; a started
 * shard that is missing; an older version.
 *
 * <p>A shard moves in one round: what the table has of it then is all that its old owner ever gets
 * in. Nobody is waited for. What the old owner's job goes on to send of it is left out of its
 * epochs, and the new owner begins where the table's rows end.
 */
final class Membership {
  private final Members members;

  /**
   * Of each shard that is elsewhere in the table: the last submission that may not speak for it.
   */
  private final SortedMap<ShardId, Incarnation> arrivals;

  private Membership(Members members, SortedMap<ShardId, Incarnation> arrivals) {
    this.members = members;
    this.arrivals = arrivals;
  }

  /** What a registry says, before there is a table. */
  static Membership of(Members members) {
    return new Membership(members, new TreeMap<>());
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
    return of(new Members(ledger.registryVersion(), shards));
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
              } else if (started
                  && !member.server().equals(shard.server())
                  && !isCopiedAnew(shard)) {
                problems.add(
                    new MembershipForecast.Problem(
                        Optional.of(id),
                        "Cannot read shard %s of table %s from server %s: expected server %s, to which the position belongs where its rows in the table end; cure: restore the server in the registry, or pause the shard and start group %s anew without it, and name the other server then: it is copied anew when it is resumed"
                            .formatted(id, table, member.server(), shard.server(), shard.group())));
              }
            });
    return problems;
  }

  /** Whether nothing but a copy from emptied partitions brings the shard on. */
  private static boolean isCopiedAnew(ShardState shard) {
    return shard.phase() == ShardPhase.HALTED
        || shard.phase() == ShardPhase.RETIRED
        || shard.watermark().isEmpty();
  }

  /**
   * The registry, accepted: shards that only the table knows stay as they are.
   *
   * @param newest each group's newest submission that said hello; absent when none did
   */
  Membership accept(
      TableState ledger, Members wanted, Function<GroupName, Optional<Incarnation>> newest) {
    SortedMap<ShardId, Members.Member> shards = new TreeMap<>(ofTable(ledger).members.shards());
    // An unstarted shard that the registry no longer names has no rows and no history.
    shards
        .keySet()
        .removeIf(id -> !wanted.shards().containsKey(id) && !ledger.shards().get(id).started());
    shards.putAll(wanted.shards());
    SortedMap<ShardId, Incarnation> coming = new TreeMap<>();
    shards.forEach(
        (id, member) -> {
          if (ledger.shard(id).filter(known -> !isAt(known, member)).isPresent()) {
            // Hellos of the new owner since it was first said do speak for the shard.
            Optional<Incarnation> said =
                isSame(members.shards().get(id), member)
                    ? Optional.ofNullable(arrivals.get(id))
                    : Optional.empty();
            said.or(() -> newest.apply(member.group())).ifPresent(last -> coming.put(id, last));
          }
        });
    return new Membership(new Members(wanted.registryVersion(), shards), coming);
  }

  private static boolean isAt(ShardState shard, Members.Member member) {
    return shard.group().equals(member.group()) && shard.server().equals(member.server());
  }

  private static boolean isSame(Members.Member one, Members.Member other) {
    return one != null && one.group().equals(other.group()) && one.server().equals(other.server());
  }

  boolean knows(ShardId shard) {
    return members.shards().containsKey(shard);
  }

  /**
   * The last submission of the shard's owner that may not speak for it, since the shard came later;
   * absent when all may.
   */
  Optional<Incarnation> arrivedAfter(ShardId shard, Optional<ShardState> known) {
    Members.Member member = members.shards().get(shard);
    if (member == null || known.isEmpty()) {
      return Optional.empty();
    }
    return isAt(known.get(), member)
        ? known.get().move().flatMap(ShardMove::after)
        : Optional.ofNullable(arrivals.get(shard));
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
  SortedMap<ShardId, ShardState> applyTo(TableState ledger) {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    members
        .shards()
        .forEach(
            (id, member) -> {
              ShardState known = ledger.shards().get(id);
              ShardState base =
                  known == null
                      ? ShardState.registered(member.group(), member.server())
                      : isAt(known, member) ? known : moved(id, known, member, ledger);
              shards.put(id, withDesired(base, member.desired()));
            });
    return shards;
  }

  /** With its new owner, that goes on where its committed rows end, or copies it anew. */
  private ShardState moved(ShardId id, ShardState shard, Members.Member member, TableState ledger) {
    Optional<Incarnation> after = Optional.ofNullable(arrivals.get(id));
    if (!shard.started()) {
      return ShardState.registered(member.group(), member.server())
          .with(after.map(last -> new ShardMove(after, Optional.empty())));
    }
    Optional<SourcePosition> position =
        shard.phase() == ShardPhase.ACTIVE
                && shard.server().equals(member.server())
                && member.desired() == Members.Desired.ACTIVE
            ? shard.ownPosition().or(() -> ledger.source(shard.group(), shard.server()))
            : Optional.empty();
    boolean away = shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED;
    return new ShardState(
        member.group(),
        member.server(),
        position.isPresent() || away ? shard.phase() : ShardPhase.SNAPSHOT,
        position.isPresent() ? shard.watermark() : Optional.empty(),
        true,
        false,
        shard.copiedRows(),
        shard.estimatedRows(),
        Optional.empty(),
        shard.columns(),
        Optional.of(new ShardMove(after, position)));
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
    // Behind a fault the source's position went on without the shard: it is copied anew. So is one
    // that was on its way: its own position may be what it is paused for.
    boolean whole = shard.phase() != ShardPhase.HALTED && shard.ownPosition().isEmpty();
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
        shard.columns(),
        shard.move().map(move -> new ShardMove(move.after(), Optional.empty())));
  }
}
