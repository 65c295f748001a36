package io.tributary.ingest.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/**
 * Chooses the converter of a column once per schema, so that nothing is decided per value. All
 * arithmetic with times is in UTC: neither the server's, the connection's nor the machine's zone
 * can touch a value.
 */
public final class ValueConverters {
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  /** The change reader's names for what a plain number or text means. */
  private static final String ZONED_TIMESTAMP = "io.debezium.time.ZonedTimestamp";

  private static final String MICRO_TIME = "io.debezium.time.MicroTime";
  private static final String BITS = "io.debezium.data.Bits";

  private ValueConverters() {}

  /**
   * @param column the column
   * @param meaning the change reader's name of the value's meaning, such as {@code
   *     io.debezium.time.ZonedTimestamp}; empty for plain values
   * @param characterTables the tables of all character sets of the row; texts of these come as
   *     bytes, one {@code char} each
   * @return the converter, or empty when the reader gives the column in a form that is not known
   */
  public static Optional<ValueConverter> of(
      RowLayout.Column column,
      Optional<String> meaning,
      Map<String, CharacterTable> characterTables) {
    CharacterTable table = characterTables.get(column.characterSet());
    if (table == null && !column.characterSet().isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot convert column '%s': expected a table of character set %s, found none"
              .formatted(column.name(), column.characterSet()));
    }
    String named = meaning.orElse("");
    ColumnType type = column.type();
    ValueConverter converter =
        switch (type.kind()) {
          case BOOLEAN -> value -> exact(value).signum() != 0;
          case INT ->
              column.sourceType().startsWith("year")
                  ? ValueConverters::year
                  : named.equals(BITS)
                      ? value -> integer(bits(value), column)
                      : ValueConverters::integer;
          case LONG ->
              named.equals(BITS)
                  ? value -> longer(new BigDecimal(bits(value)), column)
                  : column.sourceType().matches("bigint.*(unsigned|zerofill).*")
                      ? value -> longer(exact(value), column)
                      : ValueConverters::longer;
          case FLOAT -> value -> ((Number) value).floatValue();
          case DOUBLE -> value -> ((Number) value).doubleValue();
          case DECIMAL ->
              named.equals(BITS)
                  ? value -> decimal(new BigDecimal(bits(value)), column)
                  : value -> decimal(exact(value), column);
          case TEXT ->
              named.equals(MICRO_TIME)
                  ? null
                  : column.sourceType().startsWith("set(")
                      ? value -> StringData.fromString(labels((String) value))
                      : table == null
                          ? value -> StringData.fromString(text(value))
                          : value -> StringData.fromString(table.decode((String) value));
          case BINARY -> ValueConverters::bytes;
          case DATE -> named.isEmpty() ? ValueConverters::date : null;
          case TIME ->
              named.equals(MICRO_TIME) ? value -> timeOfDay(((Number) value).longValue()) : null;
          case DATE_TIME -> named.isEmpty() ? ValueConverters::dateTime : null;
          case MOMENT -> named.equals(ZONED_TIMESTAMP) ? ValueConverters::moment : null;
        };
    return Optional.ofNullable(converter);
  }

  private static Object integer(Object value) {
    if (value instanceof Boolean bit) {
      return bit ? 1 : 0;
    }
    return ((Number) value).intValue();
  }

  private static Object integer(BigInteger value, RowLayout.Column column) {
    try {
      return value.intValueExact();
    } catch (ArithmeticException e) {
      throw new UnfitValueException(
          "Cannot hold %s in column '%s': expected %s"
              .formatted(value, column.name(), column.type()));
    }
  }

  /** A binlog holds years from 1900 on; none is 1900 itself, which stands for 0. */
  private static Object year(Object value) {
    int year = ((Number) value).intValue();
    return year == 1900 ? 0 : year;
  }

  private static Object longer(Object value) {
    return ((Number) value).longValue();
  }

  /** Bits come with the lowest byte first. */
  private static BigInteger bits(Object value) {
    if (value instanceof Boolean bit) {
      return bit ? BigInteger.ONE : BigInteger.ZERO;
    }
    byte[] lowestFirst = bytes(value);
    byte[] highestFirst = new byte[lowestFirst.length];
    for (int i = 0; i < lowestFirst.length; i++) {
      highestFirst[lowestFirst.length - 1 - i] = lowestFirst[i];
    }
    return new BigInteger(1, highestFirst);
  }

  private static BigDecimal exact(Object value) {
    if (value instanceof BigDecimal number) {
      return number;
    } else if (value instanceof Boolean bit) {
      return bit ? BigDecimal.ONE : BigDecimal.ZERO;
    } else if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      return BigDecimal.valueOf(((Number) value).longValue());
    }
    return new BigDecimal(value.toString());
  }

  private static Object longer(BigDecimal value, RowLayout.Column column) {
    try {
      return value.longValueExact();
    } catch (ArithmeticException e) {
      throw new UnfitValueException(
          "Cannot hold %s in column '%s': expected %s, as the registry wants it; take the column out of 'column-types'"
              .formatted(value.toPlainString(), column.name(), column.type()));
    }
  }

  private static DecimalData decimal(BigDecimal value, RowLayout.Column column) {
    int precision = column.type().precision();
    int scale = column.type().scale();
    DecimalData data = DecimalData.fromBigDecimal(value, precision, scale);
    // fromBigDecimal rounds away digits, or gives null, instead of refusing.
    if (data == null || value.stripTrailingZeros().scale() > scale) {
      throw new UnfitValueException(
          "Cannot hold %s in column '%s': expected %s"
              .formatted(value.toPlainString(), column.name(), column.type()));
    }
    return data;
  }

  private static String text(Object value) {
    return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
  }

  /**
   * A server puts a comma before a label when there is text before it; the change reader, also
   * behind an empty label that is the first.
   */
  private static String labels(String joined) {
    return joined.startsWith(",") ? joined.substring(1) : joined;
  }

  private static byte[] bytes(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    ByteBuffer buffer = ((ByteBuffer) value).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static Object timeOfDay(long micros) {
    if (micros < 0 || micros >= MICROS_PER_DAY) {
      throw new UnfitValueException(
          "Cannot hold a time of %d microseconds: expected a time of day, 0 to 23:59:59.999"
              .formatted(micros));
    }
    return (int) (micros / 1_000);
  }

  /**
   * The day of the server's own text, such as {@code 2024-03-31}.
   *
   * @return null for a day that no calendar knows: one with a zero, a 31st of February
   */
  private static LocalDate day(String text) {
    int year = Integer.parseInt(text.substring(0, 4));
    int month = Integer.parseInt(text.substring(5, 7));
    int day = Integer.parseInt(text.substring(8, 10));
    return month == 0 || day == 0 || day > YearMonth.of(year, month).lengthOfMonth()
        ? null
        : LocalDate.of(year, month, day);
  }

  private static Object date(Object value) {
    LocalDate day = day((String) value);
    return day == null ? null : (int) day.toEpochDay();
  }

  /** The server's own text, such as {@code 2024-03-31 02:30:00.123}; no zone takes part. */
  private static Object dateTime(Object value) {
    String text = (String) value;
    LocalDate day = day(text);
    if (day == null) {
      return null;
    }
    int nanos =
        text.length() > 20
            ? Integer.parseInt((text.substring(20) + "000000000").substring(0, 9))
            : 0;
    return TimestampData.fromLocalDateTime(
        day.atTime(
            Integer.parseInt(text.substring(11, 13)),
            Integer.parseInt(text.substring(14, 16)),
            Integer.parseInt(text.substring(17, 19)),
            nanos));
  }

  /**
   * A server keeps moments from 1970-01-01T00:00:01 on; the second before stands for a zero date.
   */
  private static Object moment(Object value) {
    Instant instant = OffsetDateTime.parse((CharSequence) value).toInstant();
    return instant.getEpochSecond() == 0 ? null : TimestampData.fromInstant(instant);
  }
}
