package io.tributary.protocol;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A source time T: every transaction that the source committed before T, by the source's own clock,
 * is included.
 *
 * @param instant with microsecond precision, in the years 1970 to 9999
 */
public record Watermark(Instant instant) implements Comparable<Watermark> {
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  /**
   * @throws IllegalArgumentException when the instant is before 1970 or after 9999
   */
  public Watermark {
    Objects.requireNonNull(instant, "instant");
    // Rounding down keeps the promise: an earlier T promises less.
    instant = instant.truncatedTo(ChronoUnit.MICROS);
    if (instant.isBefore(Instant.EPOCH) || instant.isAfter(LAST)) {
      throw new IllegalArgumentException(
          "Cannot use " + instant + " as a watermark: expected a time in the years 1970 to 9999");
    }
  }

  /**
   * @param micros microseconds since 1970-01-01T00:00:00Z
   */
  public static Watermark ofEpochMicros(long micros) {
    return new Watermark(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  /** Microseconds since 1970-01-01T00:00:00Z. */
  public long toEpochMicros() {
    // Not ChronoUnit.MICROS.between: it counts nanoseconds in between and overflows in 2262.
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  @Override
  public int compareTo(Watermark other) {
    return instant.compareTo(other.instant);
  }

  @Override
  public String toString() {
    return instant.toString();
  }
}
