package io.tributary.cli.verify;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tributary.registry.ColumnTypeOverride;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * The canonical text of a MySQL type: the SQL that makes the server write a value exactly, and the
 * same text made of the value that the Iceberg table holds. A value whose two texts are equal is
 * the same value.
 */
enum TextForm {
  /** Integers, decimals, YEAR: all digits, and the scale as declared. */
  NUMBER {
    @Override
    String select(String column) {
      return "CAST(" + column + " AS CHAR)";
    }

    @Override
    String ofText(String text) {
      // ZEROFILL pads; the value is the same.
      return new BigDecimal(text).toPlainString();
    }

    @Override
    String ofValue(Object value) {
      if (value instanceof Boolean truth) {
        return truth ? "1" : "0";
      }
      return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
    }
  },
  /** BIT: its value as an unsigned number. */
  BITS {
    @Override
    String select(String column) {
      return "CAST(" + column + " + 0 AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return new BigInteger(text).toString();
    }

    @Override
    String ofValue(Object value) {
      if (value instanceof Boolean truth) {
        return truth ? "1" : "0";
      }
      byte[] bytes = bytesOf(value);
      return bytes == null ? NUMBER.ofValue(value) : new BigInteger(1, bytes).toString();
    }
  },
  /** A number that the registry wants as true or false: every number but 0 is true. */
  TRUTH {
    @Override
    String select(String column) {
      return "CAST(" + column + " <> 0 AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return text;
    }

    @Override
    String ofValue(Object value) {
      return value instanceof Boolean ? NUMBER.ofValue(value) : value + " as a number";
    }
  },
  /** FLOAT: the shortest text that names exactly this 32-bit value. */
  FLOAT {
    @Override
    String select(String column) {
      // A FLOAT's own text has 6 digits; as a double the server writes all of it.
      return "CAST(" + column + " + 0e0 AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return Float.toString((float) Double.parseDouble(text));
    }

    @Override
    String ofValue(Object value) {
      if (value instanceof Double number && number.floatValue() == number) {
        return Float.toString(number.floatValue());
      }
      // Another double than the float's own: its text must not look like the float's.
      return value instanceof Double ? value + " as DOUBLE" : value.toString();
    }
  },
  /** DOUBLE: the shortest text that names exactly this 64-bit value. */
  DOUBLE {
    @Override
    String select(String column) {
      return "CAST(" + column + " + 0e0 AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return Double.toString(Double.parseDouble(text));
    }

    @Override
    String ofValue(Object value) {
      return value.toString();
    }
  },
  /** CHAR, VARCHAR, TEXT, ENUM, SET in any character set: the characters. */
  TEXT {
    @Override
    String select(String column) {
      // As bytes: neither the driver nor the connection's character set may touch them.
      return "CAST(CONVERT(" + column + " USING utf8mb4) AS BINARY)";
    }

    @Override
    String ofText(String text) {
      return text;
    }

    @Override
    String ofValue(Object value) {
      return value.toString();
    }
  },
  /** BINARY, VARBINARY, BLOB: hexadecimal. */
  BYTES {
    @Override
    String select(String column) {
      return "HEX(" + column + ")";
    }

    @Override
    String ofText(String text) {
      return text.toLowerCase(Locale.ROOT);
    }

    @Override
    String ofValue(Object value) {
      byte[] bytes = bytesOf(value);
      return bytes == null ? value.toString() : HexFormat.of().formatHex(bytes);
    }
  },
  /** MySQL's own JSON type, which keeps no text: the document with sorted keys and no blanks. */
  JSON {
    @Override
    String select(String column) {
      return "CAST(CONVERT(" + column + " USING utf8mb4) AS BINARY)";
    }

    @Override
    String ofText(String text) {
      try {
        return SORTED.writeValueAsString(SORTED.readValue(text, Object.class));
      } catch (JsonProcessingException e) {
        return text;
      }
    }

    @Override
    String ofValue(Object value) {
      return value.toString();
    }
  },
  /**
   * Geometries: SRID in 4 bytes, the lowest first, then WKB with numbers in the same order; in
   * hexadecimal. The server itself is asked for SRID and WKB, not for the bytes that it keeps. It
   * has neither for the empty bytes that it puts, without strict mode, where none are given.
   */
  GEOMETRY {
    @Override
    String select(String column) {
      return "IF(LENGTH(%1$s) = 0, '', CONCAT(LPAD(HEX(ST_SRID(%1$s)), 8, '0'), HEX(ST_AsWKB(%1$s))))"
          .formatted(column);
    }

    @Override
    String ofText(String text) {
      if (text.isEmpty()) {
        return text;
      }
      byte[] bytes = HexFormat.of().parseHex(text);
      for (int i = 0; i < Integer.BYTES / 2; i++) {
        byte high = bytes[i];
        bytes[i] = bytes[Integer.BYTES - 1 - i];
        bytes[Integer.BYTES - 1 - i] = high;
      }
      return HexFormat.of().formatHex(bytes);
    }

    @Override
    String ofValue(Object value) {
      return BYTES.ofValue(value);
    }
  },
  /** DATE; what no calendar knows counts as NULL, such as a zero month or a 30th of February. */
  DATE {
    @Override
    String select(String column) {
      return "CAST(" + column + " AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return isDay(text) ? text : null;
    }

    @Override
    String ofValue(Object value) {
      return value.toString();
    }
  },
  /** TIME, which may be negative or above 24 hours: microseconds always written. */
  TIME {
    @Override
    String select(String column) {
      return "CAST(" + column + " AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return withMicros(text);
    }

    @Override
    String ofValue(Object value) {
      return value instanceof LocalTime time ? CLOCK.format(time) : value.toString();
    }
  },
  /** DATETIME: microseconds always written; a day that no calendar knows counts as NULL. */
  LOCAL_TIME_POINT {
    @Override
    String select(String column) {
      return "CAST(" + column + " AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return isDay(text) ? withMicros(text) : null;
    }

    @Override
    String ofValue(Object value) {
      return value instanceof LocalDateTime time ? DATE_CLOCK.format(time) : zoned(value);
    }
  },
  /** TIMESTAMP: in UTC, microseconds always written; the all-zero timestamp counts as NULL. */
  INSTANT {
    @Override
    String select(String column) {
      return "CAST(" + column + " AS CHAR)";
    }

    @Override
    String ofText(String text) {
      return text.startsWith("0000-00-00") ? null : withMicros(text);
    }

    @Override
    String ofValue(Object value) {
      return value instanceof OffsetDateTime time
          ? DATE_CLOCK.format(time.withOffsetSameInstant(ZoneOffset.UTC))
          : zoned(value);
    }
  };

  private static final int DAY_LENGTH = 10;
  private static final ObjectMapper SORTED =
      JsonMapper.builder()
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS");
  private static final DateTimeFormatter DATE_CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

  /**
   * @param dataType the column's {@code DATA_TYPE} in {@code information_schema.columns}
   * @return empty when no exact text of the type is known
   */
  static Optional<TextForm> of(String dataType) {
    return Optional.ofNullable(
        switch (dataType.toLowerCase(Locale.ROOT)) {
          case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year" -> NUMBER;
          case "bit" -> BITS;
          case "float" -> FLOAT;
          case "double" -> DOUBLE;
          case "char",
              "varchar",
              "tinytext",
              "text",
              "mediumtext",
              "longtext",
              "enum",
              "set",
              "uuid",
              "inet4",
              "inet6" ->
              TEXT;
          case "json" -> JSON;
          case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> BYTES;
          case "geometry",
              "point",
              "linestring",
              "polygon",
              "multipoint",
              "multilinestring",
              "multipolygon",
              "geometrycollection",
              "geomcollection" ->
              GEOMETRY;
          case "date" -> DATE;
          case "time" -> TIME;
          case "datetime" -> LOCAL_TIME_POINT;
          case "timestamp" -> INSTANT;
          default -> null;
        });
  }

  /** The form of a column for which the registry wants another type. */
  static Optional<TextForm> of(String dataType, ColumnTypeOverride wanted) {
    return switch (wanted) {
      case BOOLEAN -> Optional.of(TRUTH);
      case DOUBLE -> Optional.of(DOUBLE);
      case LONG, STRING -> of(dataType);
    };
  }

  /** The SQL expression whose text {@link #ofText} takes; the column is already quoted. */
  abstract String select(String column);

  /** The canonical text of the server's text; null when the value counts as NULL. */
  abstract String ofText(String text);

  /** The canonical text of a value that Iceberg's generic reader gives, other than text. */
  abstract String ofValue(Object value);

  /** The canonical text of what the server sent; null for NULL. */
  String ofSource(byte[] sent) {
    return sent == null ? null : ofText(new String(sent, StandardCharsets.UTF_8));
  }

  /** The canonical text of a value of the Iceberg table; null for null. */
  String ofTable(Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof CharSequence text) {
      try {
        return ofText(text.toString());
      } catch (NumberFormatException e) {
        // Not a number where one should be: shown as it is, and different from any.
        return text.toString();
      }
    }
    return ofValue(value);
  }

  /** Whether the text begins with a day of the calendar; servers keep others when told to. */
  private static boolean isDay(String text) {
    try {
      LocalDate.parse(text.substring(0, DAY_LENGTH));
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static String withMicros(String text) {
    int dot = text.indexOf('.');
    if (dot < 0) {
      return text + ".000000";
    }
    return text + "0".repeat(Math.max(0, 7 - (text.length() - dot)));
  }

  /** A time whose zone is not the type's: shown with the zone, so that it differs. */
  private static String zoned(Object value) {
    return value instanceof LocalDateTime
        ? DATE_CLOCK.format((LocalDateTime) value) + " without zone"
        : value.toString();
  }

  private static byte[] bytesOf(Object value) {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    if (value instanceof ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.duplicate().get(bytes);
      return bytes;
    }
    return null;
  }
}
