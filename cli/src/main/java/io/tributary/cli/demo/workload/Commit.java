package io.tributary.cli.demo.workload;

import io.tributary.protocol.ShardId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * One transaction, with what its server's clock said around it, in microseconds.
 *
 * @param shard the shard it changed
 * @param changes what it left behind, one for each key it touched
 * @param since a time before its first statement and after every earlier transaction of the shard
 * @param before read on the same connection before COMMIT was sent
 * @param after a time at which it was durable, if it ever was
 * @param certain whether the server confirmed it; otherwise it is durable or it never was
 */
public record Commit(
    ShardId shard,
    List<RowChange> changes,
    Instant since,
    Instant before,
    Instant after,
    boolean certain) {

  /**
   * What a transaction did to one row.
   *
   * @param key the row's key
   * @param present whether the row is there afterwards; its {@code updated_at} lies then between
   *     {@code since} and {@code before}
   */
  public record RowChange(long key, boolean present) {}

  public Commit {
    Objects.requireNonNull(shard, "shard");
    changes = List.copyOf(changes);
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }
}
