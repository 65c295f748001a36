package io.tributary.loadtests.bench;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.metrics.CommitReport;
import org.apache.iceberg.metrics.MetricsReport;
import org.apache.iceberg.metrics.MetricsReporter;

/** Counts what Iceberg's own commits report, of all tables of this process. */
public final class CommitCounter implements MetricsReporter {
  private static final AtomicLong ATTEMPTS = new AtomicLong();
  private static final AtomicLong COMMITS = new AtomicLong();

  @Override
  public void report(MetricsReport report) {
    if (report instanceof CommitReport commit) {
      COMMITS.incrementAndGet();
      ATTEMPTS.addAndGet(commit.commitMetrics().attempts().value());
    }
  }

  /** Attempts beyond the first of commits that succeeded in the end. */
  static long retries() {
    return ATTEMPTS.get() - COMMITS.get();
  }
}
