package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;
import java.util.regex.Pattern;

/** The name of a shard group, unique in the registry; stable for the life of the table. */
public record GroupName(String value) implements Comparable<GroupName>, Serializable {
  private static final Pattern ALLOWED = Pattern.compile("[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?");

  /**
   * @param value 1 to 64 lower-case letters, digits, '-' or '_', beginning and ending with a letter
   *     or digit
   * @throws IllegalArgumentException when the value has another form
   */
  public GroupName {
    Objects.requireNonNull(value, "value");
    if (!ALLOWED.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + value
              + "' as a group name: expected 1 to 64 lower-case letters, digits, '-' or '_', beginning and ending with a letter or digit");
    }
  }

  @Override
  public int compareTo(GroupName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
