package io.tributary.ingest.row;

/** Turns one value, as the change reader gives it, into the value of a row. */
@FunctionalInterface
public interface ValueConverter {
  /**
   * @param value never null
   * @return null only for a value that the table holds as NULL, such as a zero date
   * @throws UnfitValueException when the table cannot hold the value
   */
  Object convert(Object value);
}
