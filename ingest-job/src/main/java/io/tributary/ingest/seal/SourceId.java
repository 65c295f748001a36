package io.tributary.ingest.seal;

import java.io.Serializable;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The name of one reader of a server within a job; also the reader's operator uid, so it must not
 * change as long as Flink state is to be restored. A server has more than one reader only while new
 * shards are copied beside shards whose changes already flow.
 */
public record SourceId(String value) implements Comparable<SourceId>, Serializable {
  private static final Pattern ALLOWED = Pattern.compile("[a-z0-9._-]{1,100}");

  /**
   * @throws IllegalArgumentException when the value has another form
   */
  public SourceId {
    Objects.requireNonNull(value, "value");
    if (!ALLOWED.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + value
              + "' as a source's name: expected 1 to 100 lower-case letters, digits, '.', '-' or '_'");
    }
  }

  @Override
  public int compareTo(SourceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
