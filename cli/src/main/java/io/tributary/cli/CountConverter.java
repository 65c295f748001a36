package io.tributary.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a count: a whole number from 0 to 2,147,483,647. */
final class CountConverter implements ITypeConverter<Integer> {

  @Override
  public Integer convert(String text) {
    try {
      int count = Integer.parseInt(text.strip());
      if (count >= 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Told below, as a negative number is.
    }
    throw new TypeConversionException(
        "expected a whole number from 0 to %,d, found '%s'".formatted(Integer.MAX_VALUE, text));
  }
}
