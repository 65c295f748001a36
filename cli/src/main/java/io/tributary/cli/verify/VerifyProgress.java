package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;

/** Told how far a comparison is. */
public interface VerifyProgress {
  /** Nobody listens. */
  VerifyProgress NONE = (shard, index, count, rows) -> {};

  /**
   * @param shard the shard being compared
   * @param index its place, from 1
   * @param count number of shards
   * @param rows rows of the shard read so far, of both sides together
   */
  void at(ShardId shard, int index, int count, long rows);
}
