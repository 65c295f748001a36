package io.tributary.registry;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The MySQL replica ids that one group uses on one server, both ends included. A reader needs an id
 * of its own: two readers with one id on one server throw each other out.
 */
public record ServerIdRange(long first, long last) {
  /** What {@link #parse} accepts, for messages. */
  public static final String FORM =
      "a server id or a range of them from 1 to 4294967295, such as 5400-5403";

  private static final long MOST = 4_294_967_295L;
  private static final Pattern ALLOWED = Pattern.compile("([0-9]{1,10})(?: ?- ?([0-9]{1,10}))?");

  /**
   * @throws IllegalArgumentException when an end is out of 1 to 4294967295, or the last is below
   *     the first
   */
  public ServerIdRange {
    Checks.between("server id", first, 1, MOST);
    Checks.between("server id", last, 1, MOST);
    if (last < first) {
      throw new IllegalArgumentException(
          "Cannot use a server-id range: expected the last at or above the first, found "
              + first
              + "-"
              + last);
    }
  }

  /** The range that the text says; empty when it has another form. */
  public static Optional<ServerIdRange> parse(String text) {
    Matcher matcher = ALLOWED.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long first = Long.parseLong(matcher.group(1));
    long last = matcher.group(2) == null ? first : Long.parseLong(matcher.group(2));
    return first < 1 || last > MOST || last < first
        ? Optional.empty()
        : Optional.of(new ServerIdRange(first, last));
  }

  /** How many ids the range holds. */
  public long width() {
    return last - first + 1;
  }

  /** Whether the two ranges share an id. */
  public boolean overlaps(ServerIdRange other) {
    return first <= other.last && other.first <= last;
  }

  @Override
  public String toString() {
    return first == last ? Long.toString(first) : first + "-" + last;
  }
}
