package io.tributary.registry;

import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Properties that Tributary hands to another system under that system's own names, sorted by name.
 * Values are plain text or references to secrets.
 */
public record PassThroughProperties(Map<String, PropertyValue> values) implements Serializable {
  /** No property. */
  public static final PassThroughProperties NONE = new PassThroughProperties(Map.of());

  /**
   * @throws IllegalArgumentException when a name is blank
   */
  public PassThroughProperties {
    Objects.requireNonNull(values, "values");
    TreeMap<String, PropertyValue> sorted = new TreeMap<>(values);
    for (Map.Entry<String, PropertyValue> entry : sorted.entrySet()) {
      if (entry.getKey().isBlank()) {
        throw new IllegalArgumentException(
            "Cannot use a property: expected a name, found a blank one");
      }
      Objects.requireNonNull(entry.getValue(), entry.getKey());
    }
    values = Collections.unmodifiableMap(sorted);
  }

  /** Properties with plain values only. */
  public static PassThroughProperties plain(Map<String, String> values) {
    Map<String, PropertyValue> all = new TreeMap<>();
    values.forEach((name, text) -> all.put(name, new PropertyValue.Plain(text)));
    return new PassThroughProperties(all);
  }

  /** Whether any value is a reference to a secret. */
  public boolean holdsSecrets() {
    return values.values().stream().anyMatch(PropertyValue.Secret.class::isInstance);
  }

  /** The plain values, leaving the secrets out: safe to print and to serialize. */
  public Map<String, String> plainOnly() {
    Map<String, String> plain = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (value instanceof PropertyValue.Plain text) {
            plain.put(name, text.text());
          }
        });
    return plain;
  }

  /**
   * All values, secrets read now: only for the process that opens the connection.
   *
   * @throws SecretUnavailableException when a secret cannot be read
   */
  public Map<String, String> resolve() {
    Map<String, String> resolved = new TreeMap<>();
    values.forEach((name, value) -> resolved.put(name, value.resolve()));
    return resolved;
  }
}
