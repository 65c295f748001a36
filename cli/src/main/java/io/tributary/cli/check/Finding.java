package io.tributary.cli.check;

import java.util.Objects;

/**
 * Something that an operator should know before a job is started.
 *
 * @param severity how bad it is
 * @param code stable name of the kind of finding, kebab-case
 * @param subject the server, shard or system that it is about
 * @param found what was found
 * @param meaning what follows from it
 * @param cure what to do; empty when nothing needs to be done
 */
public record Finding(
    Severity severity, String code, String subject, String found, String meaning, String cure) {
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
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(meaning, "meaning");
    Objects.requireNonNull(cure, "cure");
  }

  static Finding error(String code, String subject, String found, String meaning, String cure) {
    return new Finding(Severity.ERROR, code, subject, found, meaning, cure);
  }

  static Finding warning(String code, String subject, String found, String meaning, String cure) {
    return new Finding(Severity.WARNING, code, subject, found, meaning, cure);
  }

  static Finding info(String code, String subject, String found, String meaning) {
    return new Finding(Severity.INFO, code, subject, found, meaning, "");
  }
}
