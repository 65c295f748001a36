package io.tributary.loadtests.watermark;

import io.tributary.protocol.ShardId;
import java.util.List;
import java.util.Objects;

/**
 * A transaction that its source has confirmed.
 *
 * @param server number of the source, from 1
 * @param rows what it inserted, at least one row
 * @param confirmedMicros the source's own clock, read after COMMIT had returned; microseconds since
 *     1970
 * @param nanos our monotonic clock, read after that
 */
record SourceCommit(int server, List<RowId> rows, long confirmedMicros, long nanos) {
  /** A row that is inserted once and never changed. */
  record RowId(ShardId shard, long id) {
    RowId {
      Objects.requireNonNull(shard, "shard");
    }
  }

  SourceCommit {
    rows = List.copyOf(rows);
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("Cannot use a transaction: expected rows, found none");
    }
  }
}
