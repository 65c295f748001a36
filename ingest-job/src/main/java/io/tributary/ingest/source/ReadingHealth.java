package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.util.Optional;

/**
 * How a subtask's reading fares: whether it may go on, and how far it is. Shared by its fetching,
 * reading and probing threads.
 */
final class ReadingHealth {
  private volatile String fault;
  private volatile SourcePosition position;
  private volatile EventWatch watch;

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
}
