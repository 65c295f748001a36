package io.tributary.coordinator.core;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What all shards of a table agree on. A shard speaks through its committed epochs only, so that
 * none of its files, and no position that a job may begin with, is from before what it agrees to.
 */
public final class ColumnAgreement {
  private ColumnAgreement() {}

  /**
   * Columns that every shard has under the same name, which is not the table's.
   *
   * @return the new names by field id
   */
  public static SortedMap<Integer, String> renames(Map<ShardId, ShardState> shards) {
    TreeMap<Integer, String> agreed = null;
    for (ShardState shard : shards.values()) {
      if (shard.phase() == ShardPhase.RETIRED) {
        continue;
      }
      TreeMap<Integer, String> renamed =
          speaks(shard) ? new TreeMap<>(shard.columns().renamed()) : new TreeMap<>();
      if (agreed == null) {
        agreed = renamed;
      } else {
        agreed.entrySet().retainAll(renamed.entrySet());
      }
    }
    return agreed == null ? new TreeMap<>() : agreed;
  }

  /**
   * Whether a shard's columns are known. Those of one that is being copied are not: its rows may
   * come from before or behind a statement.
   */
  private static boolean speaks(ShardState shard) {
    return shard.started() && shard.phase() != ShardPhase.SNAPSHOT;
  }
}
