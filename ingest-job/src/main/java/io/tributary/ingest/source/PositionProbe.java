package io.tributary.ingest.source;

import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes the server at a steady pace, in a thread of its own, from the moment its subtask has the
 * changes to read. While the server does not answer, nothing new is promised.
 */
final class PositionProbe implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PositionProbe.class);
  private static final long WARN_AGAIN_NANOS = 60_000_000_000L;

  private final SourceSpec spec;
  private final Clock ours;
  private final ProbeLedger ledger;
  private final AtomicLong failures = new AtomicLong();
  private Thread thread;
  private volatile boolean closed;

  /**
   * @param ours what the server's clock is compared with
   */
  PositionProbe(SourceSpec spec, Clock ours) {
    this.spec = spec;
    this.ours = ours;
    this.ledger = new ProbeLedger(spec.timing().clockAhead());
  }

  ProbeLedger ledger() {
    return ledger;
  }

  long failures() {
    return failures.get();
  }

  /** Begins to probe; later calls change nothing. */
  synchronized void start() {
    if (thread != null || closed) {
      return;
    }
    thread = new Thread(this::run, "position-probe-" + spec.server());
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    ProbeQuery query = null;
    boolean held = false;
    long lastWarning = System.nanoTime() - WARN_AGAIN_NANOS;
    while (!closed) {
      try {
        if (query == null) {
          query = new ProbeQuery(ServerSession.open(spec.connection()));
        }
        Probe probe = query.ask();
        ledger.add(probe, ours.instant());
        held = report(held, ledger.held());
      } catch (SQLException | RuntimeException e) {
        if (closed) {
          break;
        }
        failures.incrementAndGet();
        close(query);
        query = null;
        if (System.nanoTime() - lastWarning >= WARN_AGAIN_NANOS) {
          lastWarning = System.nanoTime();
          LOG.warn(
              "Cannot probe server {}: its watermark stands still until it answers again: {}",
              spec.server(),
              e.toString());
        }
      }
      try {
        Thread.sleep(spec.timing().probe().toMillis());
      } catch (InterruptedException e) {
        break;
      }
    }
    close(query);
  }

  /** Says when the server's clock begins to hold its watermark, and when it no longer does. */
  private boolean report(boolean heldBefore, Optional<String> reason) {
    if (reason.isPresent() && !heldBefore) {
      LOG.warn(
          "Cannot move the watermark of server {}: {}; it stands still until the clock is right again; cure: let the server's clock follow NTP, and slew it rather than set it back",
          spec.server(),
          reason.get());
    } else if (reason.isEmpty() && heldBefore) {
      LOG.info("The clock of server {} is right again: its watermark moves", spec.server());
    }
    return reason.isPresent();
  }

  private void close(ProbeQuery query) {
    if (query != null) {
      try {
        query.close();
      } catch (SQLException e) {
        LOG.debug("Cannot close the probe's connection to server {}", spec.server(), e);
      }
    }
  }

  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    if (running != null) {
      running.interrupt();
    }
  }
}
