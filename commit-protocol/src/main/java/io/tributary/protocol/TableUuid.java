package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;

/** The Iceberg table's own UUID; a table that was dropped and created again has another one. */
public record TableUuid(UUID value) implements Serializable {
  public TableUuid {
    Objects.requireNonNull(value, "value");
  }

  /**
   * @param text a UUID in its usual form
   * @throws IllegalArgumentException when the text is no UUID
   */
  public static TableUuid parse(String text) {
    return new TableUuid(UUID.fromString(text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
