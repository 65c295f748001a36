package io.tributary.registry;

import java.util.Objects;
import java.util.Optional;

/**
 * One thing that two registries say differently, in the words of the registry file.
 *
 * @param kind whether it came, went, or says something else
 * @param subject what it is about, such as {@code group west} or {@code shard 3 of shop.orders}
 * @param setting the setting of the subject; empty when the subject itself came or went
 * @param before what was said; empty when nothing was. References to secrets, never secrets
 * @param after what is said now; empty when nothing is
 */
public record RegistryChange(
    Kind kind,
    String subject,
    Optional<String> setting,
    Optional<String> before,
    Optional<String> after) {
  /** What became of it. */
  public enum Kind {
    ADDED("+"),
    REMOVED("-"),
    CHANGED("~");

    private final String sign;

    Kind(String sign) {
      this.sign = sign;
    }

    /** One character, as tools that compare print it. */
    public String sign() {
      return sign;
    }
  }

  public RegistryChange {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(setting, "setting");
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }

  /** In one line: {@code ~ group west: parallelism 1 -> 2}. */
  @Override
  public String toString() {
    String whole = kind.sign() + " " + subject;
    return setting
        .map(
            name ->
                "%s: %s %s -> %s"
                    .formatted(whole, name, before.orElse("none"), after.orElse("none")))
        .orElse(whole + after.or(() -> before).map(text -> " (" + text + ")").orElse(""));
  }
}
