package io.tributary.registry;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name with one number in it that counts up: {@code orders_{000..127}}. Leading zeros give the
 * width of the number.
 */
record NumberedPattern(String before, int first, int last, int width, String after) {
  static final String FORM =
      "one number range such as {000..127}, counting up, both ends of the same width when they have"
          + " leading zeros, at most 10000 numbers";

  static final int MOST_NUMBERS = 10_000;

  private static final Pattern ALLOWED =
      Pattern.compile("([^{}]*)\\{([0-9]{1,9})\\.\\.([0-9]{1,9})}([^{}]*)");

  /** Whether the text is meant as a pattern. */
  static boolean isPattern(String text) {
    return text.indexOf('{') >= 0 || text.indexOf('}') >= 0;
  }

  /** The pattern that the text says; empty when it has another form. */
  static Optional<NumberedPattern> parse(String text) {
    Matcher matcher = ALLOWED.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String low = matcher.group(2);
    String high = matcher.group(3);
    int first = Integer.parseInt(low);
    int last = Integer.parseInt(high);
    boolean padded = isPadded(low) || isPadded(high);
    if (last < first || last - first >= MOST_NUMBERS || (padded && low.length() != high.length())) {
      return Optional.empty();
    }
    return Optional.of(
        new NumberedPattern(
            matcher.group(1), first, last, padded ? low.length() : 1, matcher.group(4)));
  }

  private static boolean isPadded(String number) {
    return number.length() > 1 && number.startsWith("0");
  }

  int size() {
    return last - first + 1;
  }

  /** The name with the number at the given place, the first being 0. */
  String name(int index) {
    String number = Integer.toString(first + index);
    return before + "0".repeat(Math.max(0, width - number.length())) + number + after;
  }
}
