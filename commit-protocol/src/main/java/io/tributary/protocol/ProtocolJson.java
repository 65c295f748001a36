package io.tributary.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the codecs of this package read and write JSON: explicit fields, no reflection. */
final class ProtocolJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ProtocolJson() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static byte[] bytes(JsonNode node) {
    try {
      return MAPPER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of JSON nodes can always be written", e);
    }
  }

  /**
   * @throws UnreadableMessageException when the bytes are no JSON object
   */
  static JsonNode parse(byte[] bytes, int offset, int length) {
    try {
      JsonNode node = MAPPER.readTree(bytes, offset, length);
      if (!node.isObject()) {
        throw new UnreadableMessageException(
            "Cannot read a message: expected a JSON object, found " + node.getNodeType());
      }
      return node;
    } catch (java.io.IOException e) {
      throw new UnreadableMessageException("Cannot read a message: expected JSON", e);
    }
  }

  static JsonNode required(JsonNode node, String field) {
    JsonNode value = node.get(field);
    if (value == null || value.isNull()) {
      throw new UnreadableMessageException(
          "Cannot read a message: expected field '" + field + "', found none");
    }
    return value;
  }

  static Optional<JsonNode> optional(JsonNode node, String field) {
    JsonNode value = node.get(field);
    return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
  }

  static String text(JsonNode node, String field) {
    JsonNode value = required(node, field);
    if (!value.isTextual()) {
      throw unexpected(field, "text", value);
    }
    return value.textValue();
  }

  static long number(JsonNode node, String field) {
    JsonNode value = required(node, field);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw unexpected(field, "a whole number", value);
    }
    return value.longValue();
  }

  static int smallNumber(JsonNode node, String field) {
    JsonNode value = required(node, field);
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw unexpected(field, "a whole number of 32 bits", value);
    }
    return value.intValue();
  }

  static boolean truth(JsonNode node, String field) {
    JsonNode value = required(node, field);
    if (!value.isBoolean()) {
      throw unexpected(field, "true or false", value);
    }
    return value.booleanValue();
  }

  static Optional<String> optionalText(JsonNode node, String field) {
    return optional(node, field).map(value -> text(node, field));
  }

  /** The whole numbers of 32 bits in a list. */
  static List<Integer> smallNumbers(JsonNode node, String field) {
    List<Integer> values = new ArrayList<>();
    for (JsonNode value : array(node, field)) {
      if (!value.isIntegralNumber() || !value.canConvertToInt()) {
        throw unexpected(field, "a list of whole numbers of 32 bits", value);
      }
      values.add(value.intValue());
    }
    return values;
  }

  /** A whole number of 64 bits that is written as text. */
  static long numberText(JsonNode node, String field) {
    String value = text(node, field);
    try {
      long number = Long.parseLong(value);
      if (Long.toString(number).equals(value)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UnreadableMessageException(
        "Cannot read field '"
            + field
            + "': expected a whole number as text, found '"
            + value
            + "'");
  }

  static Instant instant(JsonNode node, String field) {
    String value = text(node, field);
    try {
      return Instant.parse(value);
    } catch (DateTimeParseException e) {
      throw new UnreadableMessageException(
          "Cannot read field '" + field + "': expected an ISO-8601 instant, found '" + value + "'",
          e);
    }
  }

  static JsonNode array(JsonNode node, String field) {
    JsonNode value = required(node, field);
    if (!value.isArray()) {
      throw unexpected(field, "a list", value);
    }
    return value;
  }

  /**
   * Checks that reading has understood all there was: what was understood, written again, has the
   * same fields and values. A message that something is done with, or a state that is written
   * again, must not lose a part that a later version gave a meaning to.
   *
   * @throws UnreadableMessageException naming the first part that was not understood
   */
  static void requireUnderstood(String what, JsonNode found, ObjectNode understood) {
    // Through bytes, because a number that was read is not equal to one that was put.
    byte[] again = bytes(understood);
    difference("", found, parse(again, 0, again.length))
        .ifPresent(
            difference -> {
              throw new UnreadableMessageException("Cannot read " + what + ": " + difference);
            });
  }

  private static Optional<String> difference(String at, JsonNode found, JsonNode understood) {
    if (found.equals(understood)) {
      return Optional.empty();
    }
    if (found.isObject() && understood.isObject()) {
      for (Map.Entry<String, JsonNode> field : found.properties()) {
        String name = at.isEmpty() ? field.getKey() : at + "." + field.getKey();
        JsonNode known = understood.get(field.getKey());
        if (known == null) {
          return Optional.of("expected only known fields, found '" + name + "'");
        }
        Optional<String> inside = difference(name, field.getValue(), known);
        if (inside.isPresent()) {
          return inside;
        }
      }
    } else if (found.isArray() && found.size() == understood.size()) {
      for (int i = 0; i < found.size(); i++) {
        Optional<String> inside = difference(at + "[" + i + "]", found.get(i), understood.get(i));
        if (inside.isPresent()) {
          return inside;
        }
      }
    }
    return Optional.of("expected '" + at + "' to be " + understood + ", found " + found);
  }

  private static UnreadableMessageException unexpected(
      String field, String expected, JsonNode found) {
    return new UnreadableMessageException(
        "Cannot read field '"
            + field
            + "': expected "
            + expected
            + ", found "
            + found.getNodeType());
  }
}
