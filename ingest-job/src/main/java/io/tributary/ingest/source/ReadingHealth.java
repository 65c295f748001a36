package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How a subtask's reading fares: whether it may go on, how far it is, and what it waits for. Shared
 * by its fetching, reading and probing threads.
 */
final class ReadingHealth {
  private static final long NO_BARRIER = -1;

  private volatile String fault;
  private volatile SourcePosition position;
  private volatile EventWatch watch;
  private volatile List<SchemaWish> wishes = List.of();
  private volatile boolean untilCheckpoint;
  private volatile long firstBarrier = NO_BARRIER;
  private final AtomicReference<Reopening> reopening = new AtomicReference<>();

  /** Stops reading for good. The first reason is kept. */
  synchronized void stop(String reason) {
    if (fault == null) {
      fault = reason;
    }
  }

  boolean stopped() {
    return fault != null;
  }

  Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  void reached(SourcePosition now) {
    position = now;
  }

  /** The last position that rows were passed on for; empty before the changes are read. */
  Optional<SourcePosition> position() {
    return Optional.ofNullable(position);
  }

  void watchedBy(EventWatch now) {
    watch = now;
  }

  /** What sees the events before the reader does; empty while no changes are read. */
  Optional<EventWatch> watch() {
    return Optional.ofNullable(watch);
  }

  /** The reader's thread is told to begin anew behind a statement. */
  void reopen(Reopening behind) {
    reopening.set(behind);
  }

  Optional<Reopening> takeReopening() {
    return Optional.ofNullable(reopening.getAndSet(null));
  }

  /**
   * Nothing is read on before a checkpoint is complete whose barrier comes from now on. Its barrier
   * alone is not enough: a writer that it never reaches, since the checkpoint was aborted on the
   * way, would put rows of before and behind into one file.
   */
  void holdUntilCheckpoint() {
    firstBarrier = NO_BARRIER;
    untilCheckpoint = true;
  }

  /** A barrier goes out, behind all that was passed on. */
  void barrier(long checkpoint) {
    if (untilCheckpoint && firstBarrier == NO_BARRIER) {
      firstBarrier = checkpoint;
    }
  }

  /** A checkpoint is complete. */
  void completed(long checkpoint) {
    if (untilCheckpoint && firstBarrier != NO_BARRIER && checkpoint >= firstBarrier) {
      untilCheckpoint = false;
    }
  }

  /** Whether a checkpoint is waited for. */
  boolean isHeldUntilCheckpoint() {
    return untilCheckpoint;
  }

  void waitFor(List<SchemaWish> now) {
    wishes = List.copyOf(now);
  }

  /** What the table must get before the reader can go on. */
  List<SchemaWish> wishes() {
    return wishes;
  }
}
