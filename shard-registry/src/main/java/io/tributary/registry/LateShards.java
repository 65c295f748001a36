package io.tributary.registry;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * What a table does about a shard whose watermark is far behind the others'.
 *
 * @param behavior whether the table's watermark waits for it
 * @param after how far behind the newest of the table's shards one must be to be late; 1 s to 30
 *     days
 */
public record LateShards(Behavior behavior, Duration after) {
  /** Whether a table's watermark waits for a shard that is late. */
  public enum Behavior {
    /** For as long as it takes. */
    WAIT,
    /** It goes on without it, and messages name the shard until it has caught up. */
    CONTINUE;

    /** The word in the registry. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static final Duration LEAST_AFTER = Duration.ofSeconds(1);
  static final Duration MOST_AFTER = Duration.ofDays(30);

  /** What holds for a table whose registry does not say. */
  public static final LateShards DEFAULT = new LateShards(Behavior.WAIT, Duration.ofMinutes(10));

  /**
   * @throws IllegalArgumentException when the duration is out of its range
   */
  public LateShards {
    Objects.requireNonNull(behavior, "behavior");
    Checks.between("time after which a shard is late", after, LEAST_AFTER, MOST_AFTER);
  }
}
