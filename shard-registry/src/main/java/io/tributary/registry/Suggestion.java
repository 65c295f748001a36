package io.tributary.registry;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what an operator probably meant by a name that is not known. */
final class Suggestion {
  private Suggestion() {}

  /** "Did you mean ...?" when something is near, else the given cure. */
  static String cure(String text, Collection<String> known, String otherwise) {
    return nearest(text, known).map(near -> "Did you mean '" + near + "'?").orElse(otherwise);
  }

  /** The nearest known name, if it is near enough to be meant. */
  static Optional<String> nearest(String text, Collection<String> known) {
    String lower = text.strip().toLowerCase(Locale.ROOT).replace('_', '-');
    int most = Math.max(1, Math.min(3, lower.length() / 3));
    record Near(String name, int distance) {}
    return known.stream()
        .map(
            name ->
                new Near(name, distance(lower, name.toLowerCase(Locale.ROOT).replace('_', '-'))))
        .filter(near -> near.distance() <= most)
        .min(Comparator.comparingInt(Near::distance).thenComparing(Near::name))
        .map(Near::name);
  }

  /** Insertions, deletions and replacements that turn one text into the other. */
  private static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
