package io.tributary.cli.demo.workload;

import io.tributary.protocol.ShardId;
import java.time.Instant;
import java.util.Objects;

/**
 * One committed transaction, with what its server's clock said around it: it became durable between
 * the two times.
 *
 * @param shard the shard it changed
 * @param key a key that the transaction wrote last
 * @param before read on the same connection before COMMIT was sent; microseconds
 * @param after read on it after COMMIT had returned; microseconds
 */
public record Commit(ShardId shard, long key, Instant before, Instant after) {
  public Commit {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }
}
