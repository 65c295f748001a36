package io.tributary.cli.check;

import io.tributary.registry.RegistryPlaces;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that an operator should know before a job is started.
 *
 * @param severity how bad it is
 * @param code stable name of the kind of finding, kebab-case
 * @param subject the server, shard or system that it is about
 * @param place where it is described, such as {@code registry.yaml:12}; empty when no line is known
 * @param found what was found
 * @param meaning what follows from it
 * @param cure what to do; empty when nothing needs to be done
 */
public record Finding(
    Severity severity,
    String code,
    String subject,
    Optional<String> place,
    String found,
    String meaning,
    String cure) {
  /** How bad a finding is. */
  public enum Severity {
    /** Jobs refuse to start, or rows would be lost. */
    ERROR,
    /** Works today; named so that it does not surprise. */
    WARNING,
    /** Good to know. */
    INFO;

    /** The word in the JSON. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  public Finding {
    Objects.requireNonNull(severity, "severity");
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(meaning, "meaning");
    Objects.requireNonNull(cure, "cure");
  }

  static Finding error(String code, String subject, String found, String meaning, String cure) {
    return new Finding(Severity.ERROR, code, subject, Optional.empty(), found, meaning, cure);
  }

  static Finding warning(String code, String subject, String found, String meaning, String cure) {
    return new Finding(Severity.WARNING, code, subject, Optional.empty(), found, meaning, cure);
  }

  static Finding info(String code, String subject, String found, String meaning) {
    return new Finding(Severity.INFO, code, subject, Optional.empty(), found, meaning, "");
  }

  /** The same, with the place in the registry that it is about. */
  Finding at(Optional<RegistryPlaces.Place> where) {
    return where.isEmpty()
        ? this
        : new Finding(severity, code, subject, where.map(Object::toString), found, meaning, cure);
  }

  /**
   * A sentence of another module, "Cannot X: expected Y, found Z; cure", as an error.
   *
   * @param otherwise the cure when the sentence holds none
   */
  static Finding refusal(
      String code, String subject, String sentence, String meaning, String otherwise) {
    int cut = sentence.lastIndexOf("; ");
    if (cut < 0) {
      return error(code, subject, sentence, meaning, otherwise);
    }
    String cure = sentence.substring(cut + 2);
    return error(
        code,
        subject,
        sentence.substring(0, cut),
        meaning,
        cure.startsWith("cure: ") ? cure.substring(6) : cure);
  }
}
