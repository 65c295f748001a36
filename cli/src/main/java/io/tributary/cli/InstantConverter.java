package io.tributary.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 2026-11-30T12:00:00Z}, with any offset, or {@code now}. */
final class InstantConverter implements ITypeConverter<Instant> {
  @Override
  public Instant convert(String text) {
    if (text.equals("now")) {
      return Instant.now();
    }
    try {
      return OffsetDateTime.parse(text.strip().replace(' ', 'T')).toInstant();
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "expected a time with its zone such as 2026-11-30T12:00:00Z, or now, found '"
              + text
              + "'");
    }
  }
}
