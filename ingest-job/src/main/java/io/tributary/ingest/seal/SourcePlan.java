package io.tributary.ingest.seal;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;

/**
 * One reader of the job and the shards it reads.
 *
 * @param source its name
 * @param server the server it reads
 * @param shards at least one
 */
public record SourcePlan(SourceId source, ServerName server, List<ShardId> shards)
    implements Serializable {
  /**
   * @throws IllegalArgumentException when there is no shard
   */
  public SourcePlan {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(server, "server");
    shards = shards.stream().sorted().toList();
    if (shards.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot plan source " + source + ": expected at least one shard, found none");
    }
  }
}
