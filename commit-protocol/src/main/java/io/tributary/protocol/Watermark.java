package io.tributary.protocol;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A source time T: every transaction that the source committed before T, by the source's own clock,
 * is included.
 *
 * @param instant with microsecond precision, not before 1970
 */
public record Watermark(Instant instant) implements Comparable<Watermark> {
  /**
   * @throws IllegalArgumentException when the instant is before 1970
   */
  public Watermark {
    Objects.requireNonNull(instant, "instant");
    // Rounding down keeps the promise: an earlier T promises less.
    instant = instant.truncatedTo(ChronoUnit.MICROS);
    if (instant.isBefore(Instant.EPOCH)) {
      throw new IllegalArgumentException(
          "Cannot use " + instant + " as a watermark: expected a time not before 1970");
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
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
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
