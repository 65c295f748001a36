package io.tributary.localstack.proxy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fault that waits for requests with a certain text. It catches each of them until it is lifted,
 * so that a request that a client sends again does not slip through. For any thread.
 */
public final class Trap {
  private final Fault fault;
  private final byte[] marker;
  private final AtomicInteger hits = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final CountDownLatch firstHit = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile boolean set = true;

  Trap(Fault fault, String marker) {
    this.fault = fault;
    this.marker = marker.getBytes(StandardCharsets.UTF_8);
  }

  /** Number of requests that it has caught. */
  public int hits() {
    return hits.get();
  }

  /**
   * Waits until it has caught a request.
   *
   * @throws TimeoutException when none comes in time
   */
  public void awaitHit(Duration timeout) throws InterruptedException, TimeoutException {
    if (!firstHit.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new TimeoutException(
          "Cannot catch a request: expected one with '%s' within %d ms, found none"
              .formatted(new String(marker, StandardCharsets.UTF_8), timeout.toMillis()));
    }
  }

  /** Number of released requests that the server has answered: it is done with them. */
  public int answered() {
    return answered.get();
  }

  /** Catches nothing more; what it holds stays held. */
  public void lift() {
    set = false;
  }

  /** Catches nothing more, and lets go what it holds. */
  public void release() {
    lift();
    released.countDown();
  }

  void countAnswer() {
    answered.incrementAndGet();
  }

  Fault fault() {
    return fault;
  }

  boolean isReleased() {
    return released.getCount() == 0;
  }

  /** Whether it catches this request; counts it then. */
  boolean catches(byte[] bytes, int length) {
    if (!set || !contains(bytes, length)) {
      return false;
    }
    hits.incrementAndGet();
    firstHit.countDown();
    return true;
  }

  private boolean contains(byte[] bytes, int length) {
    for (int from = 0; from + marker.length <= length; from++) {
      int same = 0;
      while (same < marker.length && bytes[from + same] == marker[same]) {
        same++;
      }
      if (same == marker.length) {
        return true;
      }
    }
    return false;
  }
}
