package io.tributary.ingest.server;

import java.util.Objects;

/**
 * Something about a server or one of its tables by which rows would be lost, or reading would end.
 *
 * @param code stable name of the kind of fault, kebab-case
 * @param expected what would be right
 * @param found what is there
 * @param meaning what follows from it
 * @param cure what to do
 */
public record ServerFault(String code, String expected, String found, String meaning, String cure) {
  public ServerFault {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(meaning, "meaning");
    Objects.requireNonNull(cure, "cure");
  }

  /**
   * In one sentence.
   *
   * @param subject what cannot be read, such as {@code server a}
   */
  public String sentence(String subject) {
    return "Cannot read %s: expected %s, found %s: %s; cure: %s"
        .formatted(subject, expected, found, meaning, cure);
  }
}
