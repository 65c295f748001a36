package io.tributary.protocol;

import java.util.Objects;
import java.util.UUID;

/**
 * The identity of one attempt's plan for a round: found in the table, it proves that this very
 * attempt was applied.
 */
public record PlanId(UUID value) {
  public PlanId {
    Objects.requireNonNull(value, "value");
  }

  /**
   * @param text a UUID in its usual form
   * @throws IllegalArgumentException when the text is no UUID
   */
  public static PlanId parse(String text) {
    return new PlanId(UUID.fromString(text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
