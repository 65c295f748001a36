package io.tributary.ingest.source;

import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.util.List;
import java.util.Objects;

/**
 * What a source waits for: columns that the table must get before it can read on.
 *
 * @param shard whose rows need them
 * @param columns at least one
 * @param position where the source stands
 */
public record SchemaWish(ShardId shard, List<RequestedColumn> columns, SourcePosition position) {
  public SchemaWish {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(position, "position");
    columns = List.copyOf(columns);
  }
}
