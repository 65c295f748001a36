package io.tributary.loadtests.watermark;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one message promised.
 *
 * @param round the table's
 * @param validThrough the table's watermark
 * @param shards each shard's own
 * @param received our clock when it was there
 */
record Announcement(
    long round,
    Optional<Watermark> validThrough,
    Map<ShardId, Watermark> shards,
    Instant received) {
  Announcement {
    shards = Map.copyOf(shards);
  }

  static Announcement of(CommitStatus status, Instant received) {
    Map<ShardId, Watermark> shards = new TreeMap<>();
    status
        .shards()
        .forEach(shard -> shard.watermark().ifPresent(w -> shards.put(shard.shard(), w)));
    return new Announcement(status.round().value(), status.validThrough(), shards, received);
  }
}
