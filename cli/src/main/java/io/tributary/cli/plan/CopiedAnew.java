package io.tributary.cli.plan;

import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;

/** Which shards come back by nothing but a copy from emptied partitions, whatever is read then. */
public final class CopiedAnew {
  private CopiedAnew() {}

  /** Whether the shard is halted, or was and is paused or retired now. */
  public static boolean holds(ShardState shard) {
    return shard.phase() == ShardPhase.HALTED
        || (shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED)
            && shard.watermark().isEmpty();
  }
}
