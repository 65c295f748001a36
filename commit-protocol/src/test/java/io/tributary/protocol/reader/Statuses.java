package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.NotCoveredReason;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A commit status with only the parts that reading looks at. */
record Statuses(
    TableName table,
    TableUuid uuid,
    long round,
    long term,
    Optional<Instant> validThrough,
    Optional<Instant> promisedThrough,
    List<CommitStatus.NotCovered> notCovered) {
  static final TableName TABLE = new TableName("shop.products");
  static final Instant T0 = Instant.parse("2026-11-30T02:00:00Z");
  private static final TableUuid UUID = TableUuid.parse("0d9f4c1e-6a57-4f0e-9a5b-3b1f5d2c7e10");

  /** A round whose watermark is T0 plus as many seconds. */
  static Statuses round(long round) {
    return new Statuses(
        TABLE, UUID, round, 1, Optional.of(T0.plusSeconds(round)), Optional.empty(), List.of());
  }

  Statuses of(TableName other) {
    return new Statuses(other, uuid, round, term, validThrough, promisedThrough, notCovered);
  }

  Statuses uuid(String other) {
    return new Statuses(
        table, TableUuid.parse(other), round, term, validThrough, promisedThrough, notCovered);
  }

  Statuses term(long other) {
    return new Statuses(table, uuid, round, other, validThrough, promisedThrough, notCovered);
  }

  Statuses validThrough(Instant other) {
    return new Statuses(
        table, uuid, round, term, Optional.ofNullable(other), promisedThrough, notCovered);
  }

  /** No watermark, because a state was accepted that is not as complete as was announced. */
  Statuses promised(Instant before) {
    return new Statuses(
        table, uuid, round, term, Optional.empty(), Optional.of(before), notCovered);
  }

  Statuses without(int shard, NotCoveredReason reason) {
    List<CommitStatus.NotCovered> more = new ArrayList<>(notCovered);
    more.add(new CommitStatus.NotCovered(new ShardId(shard), reason, Optional.empty()));
    return new Statuses(table, uuid, round, term, validThrough, promisedThrough, more);
  }

  CommitStatus status() {
    return new CommitStatus(
        table,
        uuid,
        new RoundNumber(round),
        new Term(term),
        Optional.of(new IcebergSnapshot(1_000 + round, OptionalLong.empty(), round)),
        true,
        validThrough.map(Watermark::new),
        promisedThrough.map(Watermark::new),
        notCovered,
        List.of(),
        List.of(),
        1,
        FileCounts.NONE,
        FileCounts.NONE,
        T0.plusSeconds(round + 1));
  }
}
