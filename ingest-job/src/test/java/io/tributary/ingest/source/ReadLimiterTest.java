package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadLimiterTest {
  private final AtomicLong now = new AtomicLong(5_000_000_000L);

  @Test
  void waitsAsLongAsTheRowsReadAreWorth() {
    ReadLimiter limiter = new ReadLimiter(1_000, now::get);
    assertThat(limiter.nanosToWait()).isZero();
    limiter.read(500);
    assertThat(limiter.nanosToWait()).isEqualTo(500_000_000L);
    now.addAndGet(500_000_000L);
    assertThat(limiter.nanosToWait()).isZero();
  }

  @Test
  void savesUpNothingWhileIdle() {
    ReadLimiter limiter = new ReadLimiter(1_000, now::get);
    now.addAndGet(60_000_000_000L);
    limiter.read(1_000);
    assertThat(limiter.nanosToWait()).isEqualTo(1_000_000_000L);
  }

  @Test
  void withoutALimitNeverWaits() {
    ReadLimiter limiter = new ReadLimiter(Double.POSITIVE_INFINITY, now::get);
    limiter.read(1_000_000_000L);
    assertThat(limiter.nanosToWait()).isZero();
  }
}
