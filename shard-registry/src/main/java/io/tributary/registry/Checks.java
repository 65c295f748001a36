package io.tributary.registry;

import java.time.Duration;
import java.util.Objects;

/** The checks that the registry's records share; each failure says what was expected and found. */
final class Checks {
  private Checks() {}

  static void text(String what, String value) {
    Objects.requireNonNull(value, what);
    if (value.isBlank() || !value.equals(value.strip())) {
      throw new IllegalArgumentException(
          "Cannot use a "
              + what
              + ": expected text without blanks at its ends, found '"
              + value
              + "'");
    }
  }

  static void between(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "Cannot use a " + what + ": expected " + least + " to " + most + ", found " + value);
    }
  }

  static void between(String what, Duration value, Duration least, Duration most) {
    Objects.requireNonNull(value, what);
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "Cannot use a "
              + what
              + ": expected "
              + DurationText.format(least)
              + " to "
              + DurationText.format(most)
              + ", found "
              + DurationText.format(value));
    }
  }
}
