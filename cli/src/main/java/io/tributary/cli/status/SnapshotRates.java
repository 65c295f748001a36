package io.tributary.cli.status;

import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;

/**
 * How fast shards are being copied, from an earlier version of the table's metadata: each holds the
 * state of its time, so no second look and no store of our own is needed.
 */
final class SnapshotRates {
  private static final Duration LOOK_BACK = Duration.ofSeconds(60);

  private final TableState now;
  private final Optional<TableState> then;

  private SnapshotRates(TableState now, Optional<TableState> then) {
    this.now = now;
    this.then = then;
  }

  static SnapshotRates of(Table table, TableState now) {
    return new SnapshotRates(now, earlier(table, now));
  }

  private static Optional<TableState> earlier(Table table, TableState now) {
    if (!(table instanceof HasTableOperations operations)) {
      return Optional.empty();
    }
    Instant wanted = now.committedAt().minus(LOOK_BACK);
    List<TableMetadata.MetadataLogEntry> log = operations.operations().current().previousFiles();
    Optional<String> file = Optional.empty();
    for (int i = log.size() - 1; i >= 0; i--) {
      file = Optional.of(log.get(i).file());
      if (Instant.ofEpochMilli(log.get(i).timestampMillis()).isBefore(wanted)) {
        break;
      }
    }
    try {
      return file.flatMap(
          path -> TableStateCodec.decode(TableMetadataParser.read(table.io(), path).properties()));
    } catch (RuntimeException e) {
      // Old metadata may be gone at any moment; then there is no rate to tell.
      return Optional.empty();
    }
  }

  /** How long the shard's initial snapshot still takes; empty when that cannot be told. */
  Optional<Duration> eta(ShardId shard) {
    Optional<ShardState> before = then.flatMap(state -> state.shard(shard));
    Optional<ShardState> current = now.shard(shard);
    if (before.isEmpty() || current.isEmpty()) {
      return Optional.empty();
    }
    return eta(
        before.get().copiedRows(),
        current.get().copiedRows(),
        current.get().estimatedRows(),
        Duration.between(then.get().committedAt(), now.committedAt()));
  }

  static Optional<Duration> eta(long before, long current, long all, Duration passed) {
    if (passed.isNegative() || passed.isZero() || current <= before || all <= current) {
      return Optional.empty();
    }
    double perMilli = (double) (current - before) / passed.toMillis();
    return Optional.of(Duration.ofMillis((long) ((all - current) / perMilli)));
  }
}
