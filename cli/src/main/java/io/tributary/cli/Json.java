package io.tributary.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** JSON as the verbs write it. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Indented, for people and programs alike. */
  public static String pretty(JsonNode node) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write JSON: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * Writes to a file what {@link #pretty} shows.
   *
   * @throws CliException when the file cannot be written
   */
  public static void write(Path file, JsonNode node) {
    try {
      Files.writeString(file, pretty(node) + "\n");
    } catch (IOException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot write %s: expected a writable file, found %s".formatted(file, e.getMessage()),
          e);
    }
  }

  /** Puts the value's text, or null. */
  public static void put(ObjectNode node, String field, Optional<?> value) {
    value.ifPresentOrElse(
        present -> {
          if (present instanceof Long number) {
            node.put(field, number);
          } else {
            node.put(field, present.toString());
          }
        },
        () -> node.putNull(field));
  }
}
