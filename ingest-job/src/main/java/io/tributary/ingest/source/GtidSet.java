package io.tributary.ingest.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of MySQL global transaction ids, such as {@code 3e11fa47-...:1-5:9, 7a0b...:1-3}, also with
 * the tags of newer servers.
 */
final class GtidSet {
  private record Interval(long first, long last) {}

  private final Map<String, List<Interval>> intervals;

  private GtidSet(Map<String, List<Interval>> intervals) {
    this.intervals = intervals;
  }

  /**
   * @throws IllegalArgumentException when the text is no GTID set
   */
  static GtidSet parse(String text) {
    Map<String, List<Interval>> found = new TreeMap<>();
    for (String part : text.split(",")) {
      String trimmed = part.strip();
      if (trimmed.isEmpty()) {
        continue;
      }
      String[] pieces = trimmed.split(":");
      String source = pieces[0].toLowerCase(Locale.ROOT);
      String owner = source;
      for (int i = 1; i < pieces.length; i++) {
        String piece = pieces[i].strip();
        if (piece.isEmpty()) {
          throw unreadable(text);
        }
        if (Character.isDigit(piece.charAt(0))) {
          found.computeIfAbsent(owner, any -> new ArrayList<>()).add(interval(piece, text));
        } else {
          owner = source + ":" + piece.toLowerCase(Locale.ROOT);
        }
      }
      if (pieces.length < 2) {
        throw unreadable(text);
      }
    }
    found.replaceAll((owner, list) -> merged(list));
    return new GtidSet(found);
  }

  /** Whether every id of this set is in the other. */
  boolean isContainedIn(GtidSet other) {
    return intervals.entrySet().stream()
        .allMatch(
            entry -> {
              List<Interval> theirs = other.intervals.getOrDefault(entry.getKey(), List.of());
              return entry.getValue().stream()
                  .allMatch(
                      mine ->
                          theirs.stream()
                              .anyMatch(
                                  wide ->
                                      wide.first() <= mine.first() && mine.last() <= wide.last()));
            });
  }

  private static Interval interval(String piece, String text) {
    String[] ends = piece.split("-");
    try {
      long first = Long.parseLong(ends[0].strip());
      long last = ends.length == 1 ? first : Long.parseLong(ends[1].strip());
      if (ends.length > 2 || last < first) {
        throw unreadable(text);
      }
      return new Interval(first, last);
    } catch (NumberFormatException e) {
      throw unreadable(text);
    }
  }

  /** Neighbours become one, so that containment looks at one interval only. */
  private static List<Interval> merged(List<Interval> list) {
    List<Interval> sorted = new ArrayList<>(list);
    sorted.sort(Comparator.comparingLong(Interval::first));
    List<Interval> merged = new ArrayList<>();
    for (Interval next : sorted) {
      Interval before = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (before != null && next.first() <= before.last() + 1) {
        merged.set(
            merged.size() - 1, new Interval(before.first(), Math.max(before.last(), next.last())));
      } else {
        merged.add(next);
      }
    }
    return merged;
  }

  private static IllegalArgumentException unreadable(String text) {
    return new IllegalArgumentException("Cannot read '" + text + "' as a GTID set");
  }
}
