package io.tributary.protocol.reader;

import java.time.Duration;
import org.apache.kafka.common.errors.TimeoutException;

/** A point on the machine's monotonic clock. */
final class Deadline {
  private final long end;

  private Deadline(long end) {
    this.end = end;
  }

  /**
   * @param timeout at most some 100 years
   */
  static Deadline in(Duration timeout) {
    return new Deadline(System.nanoTime() + timeout.toNanos());
  }

  boolean isOver() {
    return System.nanoTime() - end >= 0;
  }

  /** What is left, not below 0. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  /** What is left, but not more than this. */
  Duration leftAtMost(Duration most) {
    Duration left = left();
    return left.compareTo(most) < 0 ? left : most;
  }

  /**
   * @throws TimeoutException when it is over
   */
  void check(String doing) {
    if (isOver()) {
      throw new TimeoutException("Timeout while " + doing);
    }
  }
}
