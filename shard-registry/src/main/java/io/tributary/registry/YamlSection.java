package io.tributary.registry;

import io.tributary.registry.RegistryKey.Section;
import io.tributary.registry.YamlValue.Refused;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
  /** A key as it stands in the file, and its value. */
  private record Entry(Node key, Node value) {}

  private final String path;

  /** Where problems of the section as a whole are reported: its name, if it has one. */
  private final Node at;

  private final boolean isMapping;
  private final Map<String, Node> values = new HashMap<>();

  /** Known keys that are written wrongly: they are not reported as missing too. */
  private final Set<String> mistyped = new HashSet<>();

  private final ProblemCollector problems;

  private YamlSection(String path, Node at, Node node, ProblemCollector problems) {
    this.path = path;
    this.at = at;
    this.isMapping = node instanceof MappingNode;
    this.problems = problems;
  }

  /**
   * The section at a node; reports unknown and duplicate keys at once.
   *
   * @param at the section's name in the file, or the section itself
   */
  static YamlSection of(Section kind, String path, Node at, Node node, ProblemCollector problems) {
    problems.place(path, at);
    YamlSection section = new YamlSection(path, at, node, problems);
    List<String> known = kind.keys().stream().map(RegistryKey::word).toList();
    entries(path, node, problems)
        .forEach(
            (word, entry) -> {
              problems.place(join(path, word), entry.key());
              if (known.contains(word)) {
                section.values.put(word, entry.value());
              } else {
                Suggestion.nearest(word, known).ifPresent(section.mistyped::add);
                // Whoever puts braces around a secret makes a key of it.
                boolean secret = kind == Section.SECRET;
                problems.add(
                    join(path, secret ? "(not shown)" : shown(word)),
                    entry.key(),
                    "one of the keys " + String.join(", ", known),
                    "an unknown key",
                    secret
                        ? "Name where the secret is: {env: NAME} or {file: PATH}."
                        : Suggestion.cure(
                            word, known, "Remove it, or move it to where it belongs."));
              }
            });
    return section;
  }

  /** What a mapping holds, by key; reports other nodes, odd keys and duplicates. */
  private static Map<String, Entry> entries(String path, Node node, ProblemCollector problems) {
    Map<String, Entry> entries = new LinkedHashMap<>();
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
      Entry previous = entries.putIfAbsent(key.getValue(), new Entry(key, tuple.getValueNode()));
      if (previous != null) {
        problems.add(
            join(path, shown(key.getValue())),
            key,
            "each key once",
            "a duplicate of the key in line "
                + previous.key().getStartMark().map(mark -> mark.getLine() + 1).orElse(0),
            "Remove or rename one of the two.");
      }
    }
    return entries;
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
    Node written = values.get(key.word());
    return written == null ? Optional.empty() : read(path(key), written, value);
  }

  /** As {@link #optional}, and reports an absent key. */
  <T> Optional<T> required(RegistryKey key, YamlValue<T> value) {
    return present(key) ? optional(key, value) : Optional.empty();
  }

  private boolean present(RegistryKey key) {
    if (!has(key) && isMapping && !mistyped.contains(key.word())) {
      problems.add(
          path(key),
          at,
          key.accepted(),
          "no such key",
          "Add '" + key.word() + "' to this section.");
    }
    return has(key);
  }

  private <T> Optional<T> read(String key, Node value, YamlValue<T> reader) {
    try {
      return Optional.of(reader.read(value));
    } catch (Refused refused) {
      problems.add(key, refused.at(), refused.expected(), refused.found(), refused.cure());
      return Optional.empty();
    }
  }

  /** Reports a problem with a key of this section. */
  void refuse(RegistryKey key, String expected, String found, String cure) {
    problems.add(path(key), values.getOrDefault(key.word(), at), expected, found, cure);
  }

  /** Reports a problem with the section as a whole. */
  void refuse(String expected, String found, String cure) {
    problems.add(path, at, expected, found, cure);
  }

  /** The section below a key; reports its absence when it is required. */
  Optional<YamlSection> section(RegistryKey key, Section kind, boolean required) {
    if (required ? !present(key) : !has(key)) {
      return Optional.empty();
    }
    Node written = values.get(key.word());
    return Optional.of(of(kind, path(key), written, written, problems));
  }

  /** The sections below a key by the names that the operator gave them; at least one. */
  Map<String, YamlSection> sectionsByName(RegistryKey key, Section kind) {
    Map<String, YamlSection> sections = new LinkedHashMap<>();
    named(key)
        .forEach(
            (name, entry) ->
                sections.put(
                    name, of(kind, join(path(key), name), entry.key(), entry.value(), problems)));
    return sections;
  }

  /**
   * The values below a key by the names that the operator gave them, at least one; a value that was
   * reported as wrong is empty.
   */
  <T> Map<String, Optional<T>> valuesByName(RegistryKey key, YamlValue<T> value) {
    Map<String, Optional<T>> read = new LinkedHashMap<>();
    named(key)
        .forEach(
            (name, entry) -> {
              String below = join(path(key), name);
              problems.place(below, entry.key());
              read.put(name, read(below, entry.value(), value));
            });
    return read;
  }

  private Map<String, Entry> named(RegistryKey key) {
    if (!present(key)) {
      return Map.of();
    }
    Node written = values.get(key.word());
    Map<String, Entry> entries = entries(path(key), written, problems);
    if (entries.isEmpty() && written instanceof MappingNode) {
      problems.add(path(key), written, key.accepted() + ", at least one", "none", "Add one.");
    }
    return entries;
  }

  /** The sections of a list below a key; the list may be empty. */
  List<YamlSection> sectionsOfList(RegistryKey key, Section kind) {
    List<YamlSection> sections = new ArrayList<>();
    if (!present(key)) {
      return sections;
    }
    Node written = values.get(key.word());
    if (!(written instanceof SequenceNode sequence)) {
      problems.add(
          path(key),
          written,
          "a list of sections",
          YamlValue.describe(written),
          "Begin each entry with '- ', or write [] for none.");
      return sections;
    }
    for (Node item : sequence.getValue()) {
      sections.add(of(kind, path(key) + "[" + sections.size() + "]", item, item, problems));
    }
    return sections;
  }

  /** The reference to a secret below a key, which must be there. */
  Optional<SecretRef> requiredSecret(RegistryKey key) {
    return present(key)
        ? YamlSecret.read(path(key), values.get(key.word()), problems)
        : Optional.empty();
  }

  /**
   * The properties below a key, none when it is absent.
   *
   * @param secretsAllowed whether a value may be a reference to a secret
   * @param reserved names that Tributary sets itself, with the reason or the key to use instead
   */
  PassThroughProperties properties(
      RegistryKey key, boolean secretsAllowed, Map<String, String> reserved) {
    Node written = values.get(key.word());
    if (written == null) {
      return PassThroughProperties.NONE;
    }
    YamlProperty property = new YamlProperty(secretsAllowed, reserved, problems);
    Map<String, PropertyValue> read = new TreeMap<>();
    entries(path(key), written, problems)
        .forEach(
            (name, entry) ->
                property
                    .read(join(path(key), shown(name)), name, entry.value())
                    .ifPresent(one -> read.put(name, one)));
    return new PassThroughProperties(read);
  }
}
