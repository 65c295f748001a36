package io.tributary.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.registry.RegistryChange.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Compares registries by their canonical JSON, so that no setting is ever forgotten. What comes and
 * goes is told as a whole, what stays by its settings.
 */
public final class RegistryDiff {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The parts of a registry that are there once; their name is the subject. */
  private static final List<String> SINGLE = List.of("catalog", "kafka", "coordinator");

  private RegistryDiff() {}

  /**
   * What the second registry says differently; nothing when both say the same.
   *
   * @param before empty when there was none
   */
  public static List<RegistryChange> between(Optional<Registry> before, Registry after) {
    JsonNode old = before.map(RegistryDiff::json).orElseGet(JSON::createObjectNode);
    JsonNode now = json(after);
    List<RegistryChange> changes = new ArrayList<>();
    for (String part : SINGLE) {
      compare(part, Optional.ofNullable(old.get(part)), Optional.of(now.get(part)), changes);
    }
    parts("servers", node -> "server " + name(node), old, now, changes);
    parts("tables", node -> "table " + name(node), old, now, changes);
    parts("groups", node -> "group " + name(node), old, now, changes);
    parts(
        "shards",
        node -> "shard %s of %s".formatted(node.get("number").asText(), node.get("of").asText()),
        old,
        now,
        changes);
    return changes;
  }

  private static JsonNode json(Registry registry) {
    try {
      return JSON.readTree(RegistryCodec.encode(registry));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "Cannot compare a registry: expected its JSON to be sound", e);
    }
  }

  private static String name(JsonNode node) {
    return node.get("name").asText();
  }

  private static void parts(
      String name,
      Function<JsonNode, String> subject,
      JsonNode old,
      JsonNode now,
      List<RegistryChange> changes) {
    Map<String, JsonNode> were = new LinkedHashMap<>();
    old.path(name).forEach(node -> were.put(subject.apply(node), node));
    Map<String, JsonNode> are = new LinkedHashMap<>();
    now.path(name).forEach(node -> are.put(subject.apply(node), node));
    are.forEach(
        (key, node) ->
            compare(key, Optional.ofNullable(were.get(key)), Optional.of(node), changes));
    were.forEach(
        (key, node) -> {
          if (!are.containsKey(key)) {
            compare(key, Optional.of(node), Optional.empty(), changes);
          }
        });
  }

  private static void compare(
      String subject,
      Optional<JsonNode> before,
      Optional<JsonNode> after,
      List<RegistryChange> changes) {
    if (before.isEmpty() || after.isEmpty()) {
      changes.add(
          new RegistryChange(
              after.isPresent() ? Kind.ADDED : Kind.REMOVED,
              subject,
              Optional.empty(),
              before.map(RegistryDiff::whole),
              after.map(RegistryDiff::whole)));
      return;
    }
    Map<String, String> were = settings(before.get());
    Map<String, String> are = settings(after.get());
    TreeSet<String> names = new TreeSet<>(were.keySet());
    names.addAll(are.keySet());
    for (String name : names) {
      Optional<String> was = Optional.ofNullable(were.get(name));
      Optional<String> is = Optional.ofNullable(are.get(name));
      if (!was.equals(is)) {
        changes.add(new RegistryChange(Kind.CHANGED, subject, Optional.of(name), was, is));
      }
    }
  }

  /** All settings of something that came or went, but for those that are part of its subject. */
  private static String whole(JsonNode node) {
    List<String> texts = new ArrayList<>();
    settings(node)
        .forEach(
            (name, value) -> {
              if (!List.of("name", "number", "of").contains(name)) {
                texts.add(name + " " + value);
              }
            });
    return String.join(", ", texts);
  }

  /** The settings of a part in the order of its JSON; those of maps as {@code map.key}. */
  private static Map<String, String> settings(JsonNode node) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      JsonNode value = field.getValue();
      if (value.isObject() && !isSecret(value)) {
        for (Map.Entry<String, JsonNode> inner : value.properties()) {
          settings.put(field.getKey() + "." + inner.getKey(), text(inner.getValue()));
        }
      } else {
        settings.put(field.getKey(), text(value));
      }
    }
    return settings;
  }

  /** A reference to a secret is one value, not a map of its own. */
  private static boolean isSecret(JsonNode value) {
    return value.size() == 1 && (value.path("env").isTextual() || value.path("file").isTextual());
  }

  private static String text(JsonNode value) {
    if (value.isTextual()) {
      return value.asText();
    }
    return isSecret(value)
        ? value.has("env")
            ? "{env: " + value.get("env").asText() + "}"
            : "{file: " + value.get("file").asText() + "}"
        : value.toString();
  }
}
