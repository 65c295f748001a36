package io.tributary.ingest.source;

import java.util.function.LongSupplier;

/**
 * Spaces out the chunks of a copy so that on average no more rows a second are read than allowed.
 */
final class ReadLimiter {
  private final double nanosPerRow;
  private final LongSupplier nanoClock;
  private long nextAllowed;

  /**
   * @param rowsPerSecond above 0; infinity for no limit
   * @param nanoClock a clock that never goes back
   */
  ReadLimiter(double rowsPerSecond, LongSupplier nanoClock) {
    if (!(rowsPerSecond > 0)) {
      throw new IllegalArgumentException(
          "Cannot limit reading to " + rowsPerSecond + " rows a second: expected more than 0");
    }
    this.nanosPerRow = 1e9 / rowsPerSecond;
    this.nanoClock = nanoClock;
    this.nextAllowed = nanoClock.getAsLong();
  }

  /** How long to wait before the next chunk may be read, 0 when it may be read now. */
  long nanosToWait() {
    return Math.max(0, nextAllowed - nanoClock.getAsLong());
  }

  /** Counts rows that were read. */
  void read(long rows) {
    long now = nanoClock.getAsLong();
    nextAllowed = Math.max(now, nextAllowed) + (long) (rows * nanosPerRow);
  }
}
