package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * A column that the table must have, optional and at least as wide as this.
 *
 * @param name in the table, or the one it gets there
 * @param type as an Iceberg schema writes it, such as {@code decimal(20, 0)}
 * @param field the field of a column that is to be wider and whose name is about to change; absent
 *     where the name says which one is meant
 */
public record RequestedColumn(String name, String type, Optional<Integer> field) {
  /**
   * @throws IllegalArgumentException when name or type is empty
   */
  public RequestedColumn {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(field, "field");
    if (name.isEmpty() || type.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot request a column: expected a name and a type, found '%s' and '%s'"
              .formatted(name, type));
    }
  }

  /** A column that its name says. */
  public RequestedColumn(String name, String type) {
    this(name, type, Optional.empty());
  }

  @Override
  public String toString() {
    return name + " " + type;
  }
}
