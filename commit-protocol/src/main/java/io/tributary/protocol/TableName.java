package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;
import java.util.regex.Pattern;

/** The Iceberg table's name in its catalog, namespace first. */
public record TableName(String value) implements Comparable<TableName>, Serializable {
  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)+");

  /**
   * @param value a namespace and a name of letters, digits and '_', joined by '.'
   * @throws IllegalArgumentException when the value has another form
   */
  public TableName {
    Objects.requireNonNull(value, "value");
    if (!ALLOWED.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "Cannot use '"
              + value
              + "' as a table name: expected a namespace and a name of letters, digits and '_', joined by '.'");
    }
  }

  @Override
  public int compareTo(TableName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
