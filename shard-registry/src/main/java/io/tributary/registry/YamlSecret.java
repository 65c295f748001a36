package io.tributary.registry;

import io.tributary.registry.RegistryKey.Section;
import io.tributary.registry.YamlValue.Refused;
import java.util.Optional;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads a reference to a secret; never shows what is there, since it may be the secret itself. */
final class YamlSecret {
  static final String FORM = "a reference to a secret: {env: NAME} or {file: /absolute/path}";

  private YamlSecret() {}

  /** The reference at a node; empty when it was reported as wrong. */
  static Optional<SecretRef> read(String key, Node value, ProblemCollector problems) {
    if (!(value instanceof MappingNode)) {
      problems.add(
          key,
          value,
          FORM,
          Tag.NULL.equals(value.getTag()) ? "nothing" : "a value (not shown)",
          "Put the secret into an environment variable or a file and name it here.");
      return Optional.empty();
    }
    YamlSection section = YamlSection.of(Section.SECRET, key, value, value, problems);
    if (section.has(RegistryKey.SECRET_ENV) == section.has(RegistryKey.SECRET_FILE)) {
      problems.add(
          key,
          value,
          FORM,
          section.has(RegistryKey.SECRET_ENV) ? "both env and file" : "neither env nor file",
          "Name exactly one place.");
      return Optional.empty();
    }
    return section.has(RegistryKey.SECRET_ENV)
        ? section.optional(
            RegistryKey.SECRET_ENV,
            place(
                "the name of an environment variable of capital letters, digits and '_'",
                SecretRef.EnvironmentVariable::new))
        : section.optional(
            RegistryKey.SECRET_FILE,
            place("the absolute path of a file", SecretRef.SecretFile::new));
  }

  /** Like {@link YamlValue#named}, but never shows what is there: it may be the secret itself. */
  private static YamlValue<SecretRef> place(String expected, Function<String, SecretRef> type) {
    return value -> {
      try {
        if (value instanceof ScalarNode scalar) {
          return type.apply(scalar.getValue());
        }
      } catch (IllegalArgumentException e) {
        throw new Refused(
            value,
            expected,
            "another form (not shown)",
            "Name the place of the secret, never the secret itself.");
      }
      throw new Refused(value, expected, YamlValue.describe(value), "Name the place.");
    };
  }
}
