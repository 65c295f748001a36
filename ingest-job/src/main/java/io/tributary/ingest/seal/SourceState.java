package io.tributary.ingest.seal;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.SourcePosition;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the sealer knows of one source.
 *
 * @param position where it stands; absent while the initial snapshot runs
 * @param shards its shards
 */
public record SourceState(
    ServerName server,
    Optional<SourcePosition> position,
    SortedMap<ShardId, ShardProgress> shards) {
  public SourceState {
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(position, "position");
    shards = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, ShardProgress>) shards));
  }
}
