package io.tributary.protocol;

import java.util.Objects;
import java.util.UUID;

/** A coordinator's fresh identity for one claim; with the term it names who may commit. */
public record OwnerId(UUID value) {
  public OwnerId {
    Objects.requireNonNull(value, "value");
  }

  /**
   * @param text a UUID in its usual form
   * @throws IllegalArgumentException when the text is no UUID
   */
  public static OwnerId parse(String text) {
    return new OwnerId(UUID.fromString(text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
