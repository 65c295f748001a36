package io.tributary.ingest.source;

import java.util.Optional;

/** Whether a subtask may go on reading; shared by its fetching, reading and probing threads. */
final class ReadingHealth {
  private volatile String fault;

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
}
