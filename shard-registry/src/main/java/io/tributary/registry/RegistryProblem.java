package io.tributary.registry;

import java.util.Objects;

/**
 * One thing that is wrong with a registry file. Never repeats a value that may be a secret.
 *
 * @param file the file as it was named to the parser
 * @param line counted from 1
 * @param column counted from 1
 * @param key path of the key, such as {@code servers.mysql-a.hostname} or {@code shards[3].table};
 *     empty for the file as a whole
 * @param expected what would be right
 * @param found what is there
 * @param cure what to do
 */
public record RegistryProblem(
    String file, int line, int column, String key, String expected, String found, String cure) {
  public RegistryProblem {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(cure, "cure");
  }

  /** One line for people: {@code file:line:column: Cannot use KEY: expected X, found Y. Cure.} */
  @Override
  public String toString() {
    return "%s:%d:%d: Cannot use %s: expected %s, found %s. %s"
        .formatted(file, line, column, key.isEmpty() ? "the file" : key, expected, found, cure);
  }
}
