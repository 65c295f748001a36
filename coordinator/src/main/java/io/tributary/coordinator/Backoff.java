package io.tributary.coordinator;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When to try again what did not answer: soon at first, later less often. */
final class Backoff {
  private final Duration first;
  private final Duration most;
  private Duration next;
  private Optional<Instant> due = Optional.empty();

  Backoff(Duration first, Duration most) {
    this.first = first;
    this.most = most;
    this.next = first;
  }

  /** It did not answer at this time. */
  void failed(Instant now) {
    due = Optional.of(now.plus(next));
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(most) > 0 ? most : doubled;
  }

  void succeeded() {
    next = first;
    due = Optional.empty();
  }

  /** Whether something failed and its time has come; true once for each failure. */
  boolean isDue(Instant now) {
    boolean isDue = due.filter(time -> !now.isBefore(time)).isPresent();
    if (isDue) {
      due = Optional.empty();
    }
    return isDue;
  }

  /** Whether something failed and its time has not come yet. */
  boolean isWaiting(Instant now) {
    return due.filter(now::isBefore).isPresent();
  }
}
