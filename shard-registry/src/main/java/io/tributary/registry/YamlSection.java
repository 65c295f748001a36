package io.tributary.registry;

import io.tributary.registry.RegistryKey.Section;
import io.tributary.registry.YamlValue.Refused;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * One mapping of a registry file with a known set of keys. Every reading method reports what is
 * wrong and returns empty; none throws, so that one run finds all problems.
 */
final class YamlSection {
  private final String path;
  private final Node node;
  private final Map<String, Node> values;
  private final ProblemCollector problems;

  private YamlSection(String path, Node node, Map<String, Node> values, ProblemCollector problems) {
    this.path = path;
    this.node = node;
    this.values = values;
    this.problems = problems;
  }

  /** The section at a node; reports unknown and duplicate keys at once. */
  static YamlSection of(Section kind, String path, Node node, ProblemCollector problems) {
    problems.place(path, node);
    List<String> known = kind.keys().stream().map(RegistryKey::word).toList();
    Map<String, Node> values = new HashMap<>();
    entries(path, node, problems)
        .forEach(
            (word, value) -> {
              if (known.contains(word)) {
                values.put(word, value);
              } else {
                problems.add(
                    join(path, shown(word)),
                    keyNode(node, word),
                    "one of the keys " + String.join(", ", known),
                    "an unknown key",
                    Suggestion.cure(word, known, "Remove it, or move it to where it belongs."));
              }
            });
    values.forEach((word, value) -> problems.place(join(path, word), value));
    return new YamlSection(path, node, values, problems);
  }

  /** What a mapping holds, by key; reports other nodes, odd keys and duplicates. */
  private static Map<String, Node> entries(String path, Node node, ProblemCollector problems) {
    Map<String, Node> entries = new LinkedHashMap<>();
    if (!(node instanceof MappingNode mapping)) {
      problems.add(
          path,
          node,
          "a section of keys and values",
          node instanceof ScalarNode && !Tag.NULL.equals(node.getTag())
              ? "a single value (not shown)"
              : YamlValue.describe(node),
          "Write 'key: value' lines, indented below it; mind the blank after the colon.");
      return entries;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.add(
            path,
            tuple.getKeyNode(),
            "a key that is a name",
            YamlValue.describe(tuple.getKeyNode()),
            "Write a plain name before the colon.");
        continue;
      }
      Node previous = entries.putIfAbsent(key.getValue(), tuple.getValueNode());
      if (previous != null) {
        problems.add(
            join(path, shown(key.getValue())),
            key,
            "each key once",
            "a duplicate of the key in line "
                + (keyNode(node, key.getValue())
                        .getStartMark()
                        .map(mark -> mark.getLine())
                        .orElse(0)
                    + 1),
            "Remove or rename one of the two.");
      }
    }
    return entries;
  }

  private static Node keyNode(Node node, String word) {
    if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key && key.getValue().equals(word)) {
          return key;
        }
      }
    }
    return node;
  }

  /** A key that we do not know may be a mistyped {@code password:secret}: show its first word. */
  private static String shown(String key) {
    int end = key.indexOf(':') >= 0 ? key.indexOf(':') : key.indexOf('=');
    return end < 0 ? YamlValue.cut(key) : YamlValue.cut(key.substring(0, end));
  }

  static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /** The section's own key path. */
  String path() {
    return path;
  }

  /** The key path of one of the section's keys. */
  String path(RegistryKey key) {
    return join(path, key.word());
  }

  boolean has(RegistryKey key) {
    return values.containsKey(key.word());
  }

  /** The value, or empty when it is absent or was reported as wrong. */
  <T> Optional<T> optional(RegistryKey key, YamlValue<T> value) {
    Node at = values.get(key.word());
    return at == null ? Optional.empty() : read(path(key), at, value);
  }

  /** As {@link #optional}, and reports an absent key. */
  <T> Optional<T> required(RegistryKey key, YamlValue<T> value) {
    return present(key) ? optional(key, value) : Optional.empty();
  }

  private boolean present(RegistryKey key) {
    if (!has(key) && node instanceof MappingNode) {
      problems.add(
          path(key),
          node,
          key.accepted(),
          "no such key",
          "Add '" + key.word() + "' to this section.");
    }
    return has(key);
  }

  private <T> Optional<T> read(String at, Node value, YamlValue<T> reader) {
    try {
      return Optional.of(reader.read(value));
    } catch (Refused refused) {
      problems.add(at, refused.at(), refused.expected(), refused.found(), refused.cure());
      return Optional.empty();
    }
  }

  /** Reports a problem with a key of this section. */
  void refuse(RegistryKey key, String expected, String found, String cure) {
    problems.add(path(key), values.getOrDefault(key.word(), node), expected, found, cure);
  }

  /** Reports a problem with the section as a whole. */
  void refuse(String expected, String found, String cure) {
    problems.add(path, node, expected, found, cure);
  }

  /** The section below a key; reports its absence when it is required. */
  Optional<YamlSection> section(RegistryKey key, Section kind, boolean required) {
    if (required ? !present(key) : !has(key)) {
      return Optional.empty();
    }
    return Optional.of(of(kind, path(key), values.get(key.word()), problems));
  }

  /** The sections below a key by the names that the operator gave them; at least one. */
  Map<String, YamlSection> sectionsByName(RegistryKey key, Section kind) {
    Map<String, YamlSection> sections = new LinkedHashMap<>();
    named(key)
        .forEach(
            (name, value) -> sections.put(name, of(kind, join(path(key), name), value, problems)));
    return sections;
  }

  /** The values below a key by the names that the operator gave them. */
  <T> Map<String, T> valuesByName(RegistryKey key, YamlValue<T> value) {
    Map<String, T> read = new LinkedHashMap<>();
    named(key)
        .forEach(
            (name, at) -> {
              String below = join(path(key), name);
              problems.place(below, at);
              read(below, at, value).ifPresent(one -> read.put(name, one));
            });
    return read;
  }

  private Map<String, Node> named(RegistryKey key) {
    if (!present(key)) {
      return Map.of();
    }
    Node at = values.get(key.word());
    Map<String, Node> entries = entries(path(key), at, problems);
    if (entries.isEmpty() && at instanceof MappingNode) {
      problems.add(path(key), at, key.accepted() + ", at least one", "none", "Add one.");
    }
    return entries;
  }

  /** The sections of a list below a key; the list may be empty. */
  List<YamlSection> sectionsOfList(RegistryKey key, Section kind) {
    List<YamlSection> sections = new ArrayList<>();
    if (!present(key)) {
      return sections;
    }
    Node at = values.get(key.word());
    if (!(at instanceof SequenceNode sequence)) {
      problems.add(
          path(key),
          at,
          "a list of sections",
          YamlValue.describe(at),
          "Begin each entry with '- ', or write [] for none.");
      return sections;
    }
    for (Node item : sequence.getValue()) {
      sections.add(of(kind, path(key) + "[" + sections.size() + "]", item, problems));
    }
    return sections;
  }

  /** The reference to a secret below a key, which must be there. */
  Optional<SecretRef> requiredSecret(RegistryKey key) {
    return present(key) ? secret(path(key), values.get(key.word())) : Optional.empty();
  }

  private Optional<SecretRef> secret(String at, Node value) {
    String expected = "a reference to a secret: {env: NAME} or {file: /absolute/path}";
    if (!(value instanceof MappingNode)) {
      problems.add(
          at,
          value,
          expected,
          Tag.NULL.equals(value.getTag()) ? "nothing" : "a value (not shown)",
          "Put the secret into an environment variable or a file and name it here.");
      return Optional.empty();
    }
    YamlSection section = of(Section.SECRET, at, value, problems);
    if (section.has(RegistryKey.SECRET_ENV) == section.has(RegistryKey.SECRET_FILE)) {
      problems.add(
          at,
          value,
          expected,
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

  /**
   * The properties below a key, none when it is absent.
   *
   * @param secretsAllowed whether a value may be a reference to a secret
   * @param reserved names that Tributary sets itself, with the reason or the key to use instead
   */
  PassThroughProperties properties(
      RegistryKey key, boolean secretsAllowed, Map<String, String> reserved) {
    Node at = values.get(key.word());
    if (at == null) {
      return PassThroughProperties.NONE;
    }
    Map<String, PropertyValue> read = new TreeMap<>();
    entries(path(key), at, problems)
        .forEach(
            (name, value) ->
                property(join(path(key), shown(name)), name, value, secretsAllowed, reserved)
                    .ifPresent(one -> read.put(name, one)));
    return new PassThroughProperties(read);
  }

  private Optional<PropertyValue> property(
      String at, String name, Node value, boolean secretsAllowed, Map<String, String> reserved) {
    problems.place(at, value);
    if (name.isBlank() || !name.equals(name.strip())) {
      problems.add(at, value, "a property name without blanks", "blanks", "Remove the blanks.");
      return Optional.empty();
    }
    Optional<String> reason = reservedReason(name, reserved);
    if (reason.isPresent()) {
      problems.add(at, value, "a property that Tributary does not set itself", name, reason.get());
      return Optional.empty();
    }
    if (value instanceof MappingNode) {
      if (!secretsAllowed) {
        problems.add(
            at,
            value,
            "a plain value",
            "a section",
            "Secrets have no place here: all may read it.");
        return Optional.empty();
      }
      return secret(at, value).map(PropertyValue.Secret::new);
    }
    if (!(value instanceof ScalarNode scalar) || Tag.NULL.equals(value.getTag())) {
      problems.add(at, value, "a plain value", YamlValue.describe(value), "Write a value.");
      return Optional.empty();
    }
    if (SecretGuard.isSecretName(name) || SecretGuard.holdsCredential(scalar.getValue())) {
      problems.add(
          at,
          value,
          secretsAllowed
              ? "a reference to a secret: {env: NAME} or {file: /absolute/path}"
              : "a value that all may read",
          "a value that may be a secret (not shown)",
          secretsAllowed
              ? "Put the secret into an environment variable or a file and name it here."
              : "Remove it: secrets have no place here.");
      return Optional.empty();
    }
    return Optional.of(new PropertyValue.Plain(scalar.getValue()));
  }

  private static Optional<String> reservedReason(String name, Map<String, String> reserved) {
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
