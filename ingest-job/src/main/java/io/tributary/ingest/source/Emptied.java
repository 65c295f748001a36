package io.tributary.ingest.source;

import io.tributary.protocol.ShardId;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Shards that a statement emptied at the server: said at each barrier behind it until a checkpoint
 * is complete. All rows that were passed on for them before that barrier are gone; none was passed
 * on between the statement and the barrier.
 *
 * @param checkpointId the barrier's checkpoint
 * @param shards at least one
 */
public record Emptied(long checkpointId, SortedSet<ShardId> shards) {
  /**
   * @throws IllegalArgumentException when there is no shard
   */
  public Emptied {
    shards = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<ShardId>) shards));
    if (shards.isEmpty()) {
      throw new IllegalArgumentException("Cannot empty nothing: expected shards");
    }
  }
}
