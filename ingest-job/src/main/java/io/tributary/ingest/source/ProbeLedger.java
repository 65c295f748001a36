package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Keeps the probes that the reader has not reached yet, and says up to when its rows are complete.
 * Safe for a probing thread and a reading thread.
 */
final class ProbeLedger {
  /** More than an hour at the usual two a second; beyond it every second one is dropped. */
  private static final int MOST_OUTSTANDING = 8_192;

  private final Deque<Probe> outstanding = new ArrayDeque<>();
  private Probe newest;
  private String identity;
  private Watermark latestClock;
  private Watermark reached;
  private String fault;
  private long heldClocks;

  /** Says which server alone may be probed; before the first probe. */
  synchronized void expect(String serverIdentity) {
    identity = serverIdentity;
  }

  /** The server that is probed, as soon as it is known. */
  synchronized Optional<String> identity() {
    return Optional.ofNullable(identity);
  }

  /** Takes the next probe in. After a fault nothing is taken in any more. */
  synchronized void add(Probe probe) {
    if (fault != null) {
      return;
    }
    fault = faultOf(probe).orElse(null);
    if (fault != null) {
      outstanding.clear();
      return;
    }
    newest = probe;
    identity = probe.identity();
    if (latestClock != null && probe.clock().compareTo(latestClock) < 0) {
      // A clock set back would promise for the second time what it promised already; wait until it
      // has caught up.
      heldClocks++;
      return;
    }
    latestClock = probe.clock();
    outstanding.addLast(probe);
    if (outstanding.size() > MOST_OUTSTANDING) {
      thinOut();
    }
  }

  /**
   * Up to when everything is delivered by a reader that stands at the position; empty before the
   * first probe is reached. Never falls.
   */
  synchronized Optional<Watermark> reachedBy(SourcePosition reader) {
    while (fault == null
        && !outstanding.isEmpty()
        && BinlogOrder.reached(reader, outstanding.peekFirst().position())) {
      reached = outstanding.removeFirst().clock();
    }
    return Optional.ofNullable(reached);
  }

  /** Why nothing more may be promised; empty while all is well. */
  synchronized Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  synchronized int outstandingProbes() {
    return outstanding.size();
  }

  /** How many probes were left out because the server's clock was behind an earlier reading. */
  synchronized long heldClocks() {
    return heldClocks;
  }

  /** What is wrong when a server is found where another one was expected. */
  static String otherServer(String expected, String found) {
    return "expected the server %s, found %s (a failover, or another server behind the same address)"
        .formatted(expected, found);
  }

  private Optional<String> faultOf(Probe now) {
    if (identity != null && !identity.equals(now.identity())) {
      return Optional.of(otherServer(identity, now.identity()));
    }
    if (newest != null && BinlogOrder.wentBack(newest.position(), now.position())) {
      return Optional.of(
          "expected a binlog position at or after %s, found %s (binlogs were reset, or the server was restored)"
              .formatted(newest.position(), now.position()));
    }
    return Optional.empty();
  }

  private void thinOut() {
    Deque<Probe> kept = new ArrayDeque<>();
    boolean keep = true;
    for (Probe probe : outstanding) {
      if (keep) {
        kept.addLast(probe);
      }
      keep = !keep;
    }
    outstanding.clear();
    outstanding.addAll(kept);
  }
}
