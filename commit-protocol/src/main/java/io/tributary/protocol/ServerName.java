package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;
import java.util.regex.Pattern;

/** The registry's name of a MySQL server; not its host name, which may change. */
public record ServerName(String value) implements Comparable<ServerName>, Serializable {
  private static final Pattern ALLOWED = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?");

  /**
   * @param value 1 to 64 lower-case letters, digits, '.', '-' or '_', beginning and ending with a
   *     letter or digit
   * @throws IllegalArgumentException when the value has another form
   */
  public ServerName {
    Objects.requireNonNull(value, "value");
    if (!ALLOWED.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + value
              + "' as a server name: expected 1 to 64 lower-case letters, digits, '.', '-' or '_', beginning and ending with a letter or digit");
    }
  }

  @Override
  public int compareTo(ServerName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
