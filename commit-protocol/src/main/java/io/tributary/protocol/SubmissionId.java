package io.tributary.protocol;

import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;

/**
 * Tells two submissions of a group's job apart that took the same incarnation, which can happen
 * when neither reaches the registry.
 */
public record SubmissionId(UUID value) implements Serializable {
  public SubmissionId {
    Objects.requireNonNull(value, "value");
  }

  /**
   * @param text a UUID in its usual form
   * @throws IllegalArgumentException when the text is no UUID
   */
  public static SubmissionId parse(String text) {
    return new SubmissionId(UUID.fromString(text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
