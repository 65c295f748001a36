package io.tributary.ingest.source;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a source stands, said at a checkpoint barrier (exactly) and in between (for freshness of
 * the watermark only).
 *
 * @param server the source
 * @param position from where a job without Flink state would go on: after the last row passed on
 *     before this mark; absent while the initial snapshot runs
 * @param watermark the newest probe that the reader has passed; absent until the first, which
 *     proves that the initial snapshot is whole
 * @param faults shards that cannot be read on without loss, with reason and position
 * @param wishes what the source waits for
 * @param columns what the columns of shards differ in from the table's; of a shard that is not
 *     there nothing new is known
 * @param emptied what statements emptied before the position, said at each barrier until a
 *     checkpoint with it is complete
 */
public record SourceMark(
    ServerName server,
    Optional<SourcePosition> position,
    Optional<Watermark> watermark,
    Map<ShardId, String> faults,
    List<SchemaWish> wishes,
    Map<ShardId, ColumnDifferences> columns,
    Optional<Emptied> emptied) {
  public SourceMark {
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(watermark, "watermark");
    faults = Map.copyOf(faults);
    wishes = List.copyOf(wishes);
    columns = Map.copyOf(columns);
    Objects.requireNonNull(emptied, "emptied");
  }

  /** Of a source whose shards were not emptied. */
  public SourceMark(
      ServerName server,
      Optional<SourcePosition> position,
      Optional<Watermark> watermark,
      Map<ShardId, String> faults,
      List<SchemaWish> wishes,
      Map<ShardId, ColumnDifferences> columns) {
    this(server, position, watermark, faults, wishes, columns, Optional.empty());
  }

  /** Of a source that waits for nothing. */
  public SourceMark(
      ServerName server,
      Optional<SourcePosition> position,
      Optional<Watermark> watermark,
      Map<ShardId, String> faults) {
    this(server, position, watermark, faults, List.of(), Map.of());
  }

  /** Of shards of whose columns nothing new is known. */
  public SourceMark(
      ServerName server,
      Optional<SourcePosition> position,
      Optional<Watermark> watermark,
      Map<ShardId, String> faults,
      List<SchemaWish> wishes) {
    this(server, position, watermark, faults, wishes, Map.of());
  }

  /** The same standing with other faults. */
  SourceMark withFaults(Map<ShardId, String> others) {
    return new SourceMark(server, position, watermark, others, wishes, columns, emptied);
  }

  /** The same standing at the barrier that follows a statement. */
  public SourceMark withEmptied(Emptied shards) {
    return new SourceMark(
        server, position, watermark, faults, wishes, columns, Optional.of(shards));
  }
}
