package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Keeps the probes that the reader has not reached yet, and says up to when its rows are complete.
 * Safe for a probing thread and a reading thread.
 *
 * <p>A time is promised once. While the server's clock is behind an earlier reading, nothing new is
 * promised until it has passed that reading: what is committed meanwhile bears times that were
 * promised before, and belongs to the next promise. While it is too far ahead of ours nothing is
 * promised either, or the promise would stand until the time that it was wrong about has passed.
 */
final class ProbeLedger {
  /** More than an hour at the usual two a second; beyond it every second one is dropped. */
  private static final int MOST_OUTSTANDING = 8_192;

  private static final String COPY_AGAIN =
      "; cure: pause the server's shards in the registry, start the group anew, then resume them: they are copied anew";

  private final Duration mostAhead;
  private final Deque<Probe> outstanding = new ArrayDeque<>();
  private SourcePosition begin;
  private Probe newest;
  private String identity;
  private Watermark latestClock;
  private Watermark reached;
  private String fault;
  private String held;
  private long heldClocks;

  /**
   * @param mostAhead how far the server's clock may be ahead of ours
   */
  ProbeLedger(Duration mostAhead) {
    this.mostAhead = mostAhead;
  }

  /** Says which server alone may be probed; before the first probe. */
  synchronized void expect(String serverIdentity) {
    identity = serverIdentity;
  }

  /**
   * Says from where the log is read: a server whose log ends before that is not the one that it was
   * read from. Before the first position that is asked for.
   */
  synchronized void beginAt(SourcePosition position) {
    begin = position;
  }

  /** The server that is probed, as soon as it is known. */
  synchronized Optional<String> identity() {
    return Optional.ofNullable(identity);
  }

  /**
   * Takes the next probe in. After a fault nothing is taken in any more.
   *
   * @param ours our own clock when the answer was there
   */
  synchronized void add(Probe probe, Instant ours) {
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
    held = holdsBack(probe.clock(), ours).orElse(null);
    if (held != null) {
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

  /** Why the newest probe promises nothing; empty when it does. */
  synchronized Optional<String> held() {
    return Optional.ofNullable(held);
  }

  /**
   * How many probes were left out because the server's clock was behind an earlier reading, or too
   * far ahead of ours.
   */
  synchronized long heldClocks() {
    return heldClocks;
  }

  /** What is wrong when a server is found where another one was expected. */
  static String otherServer(String expected, String found) {
    return "expected the server %s, found %s (a failover, or another server behind the same address)"
            .formatted(expected, found)
        + COPY_AGAIN;
  }

  /**
   * What is wrong with a server whose log ends before a position that it has sent.
   *
   * @param sent a position up to which the log was read, or at which it ended
   * @param now where it ends now
   * @return empty when all is well
   */
  static Optional<String> wentBack(SourcePosition sent, SourcePosition now) {
    return BinlogOrder.wentBack(sent, now)
        ? Optional.of(
            "expected a binlog position at or after %s, found %s (binlogs were reset, or the server was restored)"
                    .formatted(sent, now)
                + COPY_AGAIN)
        : Optional.empty();
  }

  private Optional<String> holdsBack(Watermark clock, Instant ours) {
    if (latestClock != null && clock.compareTo(latestClock) < 0) {
      return Optional.of(
          "expected its clock at or after %s, which it has shown before, found %s"
              .formatted(latestClock, clock));
    }
    if (clock.instant().isAfter(ours.plus(mostAhead))) {
      return Optional.of(
          "expected its clock at most %d s ahead of ours, found %s while ours is %s"
              .formatted(mostAhead.toSeconds(), clock, ours));
    }
    return Optional.empty();
  }

  private Optional<String> faultOf(Probe now) {
    if (identity != null && !identity.equals(now.identity())) {
      return Optional.of(otherServer(identity, now.identity()));
    }
    SourcePosition before = newest == null ? begin : newest.position();
    return before == null ? Optional.empty() : wentBack(before, now.position());
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
