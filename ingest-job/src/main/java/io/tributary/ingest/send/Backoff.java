package io.tributary.ingest.send;

import java.time.Duration;

/**
 * How long to wait between two tries, and which failures to log: all, but the same one only every
 * now and then.
 */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(200);
  private static final Duration MOST = Duration.ofSeconds(10);
  private static final int LOGGED_EVERY = 6;

  private Duration next = FIRST;
  private int failures;

  /** The wait after one more failure. */
  Duration afterFailure() {
    failures++;
    Duration wait = next;
    next = next.multipliedBy(2).compareTo(MOST) > 0 ? MOST : next.multipliedBy(2);
    return wait;
  }

  int failures() {
    return failures;
  }

  boolean worthLogging() {
    return failures == 1 || failures % LOGGED_EVERY == 0;
  }

  void reset() {
    next = FIRST;
    failures = 0;
  }
}
