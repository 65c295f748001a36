package io.tributary.registry;

import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads properties that are handed through, refusing what Tributary sets and plain secrets. */
final class YamlProperty {
  private final boolean secretsAllowed;
  private final Map<String, String> reserved;
  private final ProblemCollector problems;

  /**
   * @param secretsAllowed whether a value may be a reference to a secret
   * @param reserved names that Tributary sets itself, with the reason or the key to use instead
   */
  YamlProperty(boolean secretsAllowed, Map<String, String> reserved, ProblemCollector problems) {
    this.secretsAllowed = secretsAllowed;
    this.reserved = reserved;
    this.problems = problems;
  }

  /** The value of the property of this name; empty when it was reported as wrong. */
  Optional<PropertyValue> read(String key, String name, Node value) {
    problems.place(key, value);
    if (name.isBlank() || !name.equals(name.strip())) {
      problems.add(key, value, "a property name without blanks", "blanks", "Remove the blanks.");
      return Optional.empty();
    }
    Optional<String> reason = reservedReason(name);
    if (reason.isPresent()) {
      problems.add(key, value, "a property that Tributary does not set itself", name, reason.get());
      return Optional.empty();
    }
    if (value instanceof MappingNode) {
      if (!secretsAllowed) {
        problems.add(
            key,
            value,
            "a plain value",
            "a section",
            "Secrets have no place here: all may read it.");
        return Optional.empty();
      }
      return YamlSecret.read(key, value, problems).map(PropertyValue.Secret::new);
    }
    if (!(value instanceof ScalarNode scalar) || Tag.NULL.equals(value.getTag())) {
      problems.add(key, value, "a plain value", YamlValue.describe(value), "Write a value.");
      return Optional.empty();
    }
    if (SecretGuard.isSecretName(name) || SecretGuard.holdsCredential(scalar.getValue())) {
      problems.add(
          key,
          value,
          secretsAllowed ? YamlSecret.FORM : "a value that all may read",
          "a value that may be a secret (not shown)",
          secretsAllowed
              ? "Put the secret into an environment variable or a file and name it here."
              : "Remove it: secrets have no place here.");
      return Optional.empty();
    }
    return Optional.of(new PropertyValue.Plain(scalar.getValue()));
  }

  private Optional<String> reservedReason(String name) {
    String exact = reserved.get(name);
    if (exact != null) {
      return Optional.of(exact);
    }
    return reserved.entrySet().stream()
        .filter(entry -> entry.getKey().endsWith("*"))
        .filter(entry -> name.startsWith(entry.getKey().substring(0, entry.getKey().length() - 1)))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
