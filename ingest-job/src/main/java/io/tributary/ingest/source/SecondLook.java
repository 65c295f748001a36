package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Judges a server by a position that it has sent. With GTIDs it may not have counted yet what it
 * has sent already: while a commit waits for a replica (semi-synchronous replication), its event is
 * in the log, from which we read, and not among the GTIDs that are executed. So such a server is
 * looked at again for a while before it counts as one whose logs were reset. For one thread.
 */
final class SecondLook {
  /** Longer than a commit waits for a replica by default, which is 10 s. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final LongSupplier nanos;
  private boolean missing;
  private long missingSince;

  /**
   * @param nanos a clock like {@link System#nanoTime}
   */
  SecondLook(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** What a look says. */
  sealed interface Verdict {}

  /** The server has what it sent. */
  record Whole() implements Verdict {}

  /** Not to be said yet: nothing may be read, and the server is to be looked at again. */
  record Later() implements Verdict {}

  /**
   * The server has lost it.
   *
   * @param fault what is wrong, with the cure
   */
  record Lost(String fault) implements Verdict {}

  /**
   * @param sent a position up to which the log was read
   * @param now where it ends by the server's word
   */
  Verdict at(SourcePosition sent, SourcePosition now) {
    Optional<String> fault = ProbeLedger.wentBack(sent, now);
    if (fault.isEmpty()) {
      missing = false;
      return new Whole();
    }
    // Without GTIDs, and of the file whatever the GTIDs say, the server knows the true end.
    if (BinlogOrder.compareFiles(now, sent) < 0) {
      return new Lost(fault.get());
    }
    if (!missing) {
      missing = true;
      missingSince = nanos.getAsLong();
    }
    return nanos.getAsLong() - missingSince >= PATIENCE.toNanos()
        ? new Lost(fault.get())
        : new Later();
  }
}
