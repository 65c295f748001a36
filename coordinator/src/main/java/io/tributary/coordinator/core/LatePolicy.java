package io.tributary.coordinator.core;

import java.time.Duration;
import java.util.Objects;

/**
 * What is done about a shard whose watermark is far behind the others' of its table.
 *
 * @param after how far behind the newest one it must be to be late, above 0
 * @param waits whether the table's watermark waits for it
 */
public record LatePolicy(Duration after, boolean waits) {
  /** What holds when nobody says otherwise: late after ten minutes, and waited for. */
  public static final LatePolicy DEFAULT = new LatePolicy(Duration.ofMinutes(10), true);

  /**
   * @throws IllegalArgumentException when the duration is not above 0
   */
  public LatePolicy {
    Objects.requireNonNull(after, "after");
    if (after.isNegative() || after.isZero()) {
      throw new IllegalArgumentException(
          "Cannot call a shard late: expected a time above 0, found " + after);
    }
  }
}
