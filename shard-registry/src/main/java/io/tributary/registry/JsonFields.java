package io.tributary.registry;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** The fields of one JSON object; each must be read, others are refused. */
final class JsonFields {
  private final String what;
  private final JsonNode node;
  private final List<String> unread = new ArrayList<>();

  private JsonFields(String what, JsonNode node) {
    this.what = what;
    this.node = node;
    node.fieldNames().forEachRemaining(unread::add);
  }

  static JsonFields of(String what, JsonNode node) {
    if (!node.isObject()) {
      throw fault(what, "an object", kind(node));
    }
    return new JsonFields(what, node);
  }

  List<String> names() {
    return List.copyOf(unread);
  }

  boolean isObject(String name) {
    return node.path(name).isObject();
  }

  JsonFields object(String name) {
    return of(what + "." + name, field(name));
  }

  String text(String name) {
    JsonNode value = field(name);
    if (!value.isTextual()) {
      throw fault(what + "." + name, "text", kind(value));
    }
    return value.textValue();
  }

  Optional<String> optionalText(String name) {
    return node.has(name) ? Optional.of(text(name)) : Optional.empty();
  }

  int integer(String name) {
    JsonNode value = field(name);
    if (!value.isInt()) {
      throw fault(what + "." + name, "a whole number", kind(value));
    }
    return value.intValue();
  }

  OptionalInt optionalInteger(String name) {
    return node.has(name) ? OptionalInt.of(integer(name)) : OptionalInt.empty();
  }

  Optional<List<String>> optionalTexts(String name) {
    if (!node.has(name)) {
      return Optional.empty();
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode item : array(name)) {
      texts.add(item.asText());
    }
    return Optional.of(texts);
  }

  <T> List<T> list(String name, Function<JsonFields, T> item) {
    List<T> items = new ArrayList<>();
    for (JsonNode one : array(name)) {
      items.add(item.apply(of(what + "." + name + "[" + items.size() + "]", one)));
    }
    return items;
  }

  /** Refuses fields that were not read. */
  void end() {
    if (!unread.isEmpty()) {
      throw fault(what, "no other field", unread.toString());
    }
  }

  private JsonNode array(String name) {
    JsonNode value = field(name);
    if (!value.isArray()) {
      throw fault(what + "." + name, "a list", kind(value));
    }
    return value;
  }

  private JsonNode field(String name) {
    JsonNode value = node.get(name);
    if (value == null) {
      throw fault(what, "field '" + name + "'", "none");
    }
    unread.remove(name);
    return value;
  }

  private static String kind(JsonNode value) {
    return "a JSON " + value.getNodeType();
  }

  private static IllegalArgumentException fault(String what, String expected, String found) {
    return new IllegalArgumentException(
        "Cannot read " + what + ": expected " + expected + ", found " + found);
  }
}
