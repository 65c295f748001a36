package io.tributary.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as operators write them: {@code 500 ms}, {@code 10 s}, {@code 10 min}, {@code 1 h},
 * {@code 7 d}.
 */
public final class DurationText {
  /** What {@link #parse} accepts, for messages. */
  public static final String FORM = "a number and a unit (ms, s, min, h, d), such as '10 min'";

  private static final Pattern ALLOWED = Pattern.compile("([0-9]{1,12}) ?(ms|s|min|h|d)");

  private DurationText() {}

  /** The duration that the text says; empty when it has another form. */
  public static Optional<Duration> parse(String text) {
    Matcher matcher = ALLOWED.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "min" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        });
  }

  /** The shortest text that {@link #parse} reads back; precise to the millisecond. */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0 s";
    }
    if (millis % 86_400_000 == 0) {
      return millis / 86_400_000 + " d";
    }
    if (millis % 3_600_000 == 0) {
      return millis / 3_600_000 + " h";
    }
    if (millis % 60_000 == 0) {
      return millis / 60_000 + " min";
    }
    return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
  }
}
