package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;

/**
 * A column that the table must have, optional and at least as wide as this.
 *
 * @param name the same as at the source
 * @param type as an Iceberg schema writes it, such as {@code decimal(20, 0)}
 */
public record RequestedColumn(String name, String type) implements Serializable {
  /**
   * @throws IllegalArgumentException when name or type is empty
   */
  public RequestedColumn {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    if (name.isEmpty() || type.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot request a column: expected a name and a type, found '%s' and '%s'"
              .formatted(name, type));
    }
  }

  @Override
  public String toString() {
    return name + " " + type;
  }
}
