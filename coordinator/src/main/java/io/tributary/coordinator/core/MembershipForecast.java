package io.tributary.coordinator.core;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the coordinator will do with a registry, by the very rules that it follows. What it admits
 * between the look at the table and the registry's coming is not foreseen: a shard may be started
 * by then.
 *
 * @param problems why it will refuse the registry; it is accepted whole or not at all
 * @param shards how the table's shards will stand before any new epoch, once a registry that says
 *     this is accepted
 */
public record MembershipForecast(List<Problem> problems, SortedMap<ShardId, ShardState> shards) {
  /**
   * One reason to refuse a registry.
   *
   * @param shard whose entry it is; absent when it is the registry as a whole
   * @param text what was expected and found, and the cure
   */
  public record Problem(Optional<ShardId> shard, String text) {
    public Problem {
      Objects.requireNonNull(shard, "shard");
      Objects.requireNonNull(text, "text");
    }
  }

  public MembershipForecast {
    problems = List.copyOf(problems);
    shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
  }

  /**
   * @param ledger what the table remembers
   * @param wanted what the registry says
   */
  public static MembershipForecast of(TableName table, TableState ledger, Members wanted) {
    return new MembershipForecast(
        Membership.problems(table, ledger, wanted, shard -> false),
        Membership.accept(ledger, wanted).applyTo(ledger.shards()));
  }
}
