package io.tributary.cli.check;

import io.tributary.cli.LakeTable;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.registry.CatalogSpec;
import io.tributary.registry.SourceChange;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a shard's number may stand for another source. The table cannot tell one source's rows
 * from another's: the old rows would stay, and the new source's old rows would never be copied.
 *
 * <p>Let through is what the table says is copied anew from emptied partitions whenever it starts:
 * a shard that never started in a group that never did, and another database or table of a shard
 * that is halted, or was and is paused or retired now: nothing but a copy brings it back.
 */
public final class SourceRule {
  private final CatalogSpec catalog;
  private final Map<TableName, Look> looks = new HashMap<>();

  /** What the table says; without a state there is no table of ours. */
  private record Look(Optional<TableState> state, Optional<String> failure) {}

  /** Asks each table once. */
  public SourceRule(CatalogSpec catalog) {
    this.catalog = catalog;
  }

  /** Why the change must not be; also when the table does not say. Empty when it may be. */
  public Optional<String> refusal(SourceChange change) {
    TableName table = change.after().table();
    Look look = looks.computeIfAbsent(table, this::look);
    return look.failure().isPresent()
        ? Optional.of(
            "whether it has started is not known: table %s does not answer (%s)"
                .formatted(table, look.failure().get()))
        : refusal(change, look.state());
  }

  /**
   * The same of a table that was looked at.
   *
   * @param table what it remembers; absent when there is none of ours
   */
  public static Optional<String> refusal(SourceChange change, Optional<TableState> table) {
    if (table.isEmpty()) {
      return Optional.empty();
    }
    TableState state = table.get();
    Optional<ShardState> shard = state.shard(change.after().id());
    if (shard.filter(ShardState::started).isEmpty()) {
      // What a job that reads it has sent may be on its way.
      return state.group(change.before().group()).isEmpty()
          ? Optional.empty()
          : Optional.of(
              "a job of group %s has been started, and may have read it"
                  .formatted(change.before().group()));
    }
    return !change.ofServer() && shard.filter(SourceRule::isCopiedAnew).isPresent()
        ? Optional.empty()
        : Optional.of("the table has rows of it");
  }

  /** Whether the shard is halted, or was and is paused or retired now. */
  private static boolean isCopiedAnew(ShardState shard) {
    return shard.phase() == ShardPhase.HALTED
        || (shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED)
            && shard.watermark().isEmpty();
  }

  private Look look(TableName table) {
    try (LakeTable lake = LakeTable.open(catalog, table)) {
      return new Look(lake.state(), Optional.empty());
    } catch (RuntimeException e) {
      return new Look(Optional.empty(), Optional.of(Causes.of(e)));
    }
  }
}
