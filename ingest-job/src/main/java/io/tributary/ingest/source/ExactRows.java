package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.TableMapEventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import io.debezium.connector.mysql.RowDeserializers;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Readers of row events in the place of the change reader's own, which reads negative times wrong:
 * -00:01:00 as -00:01:03, and most of those without a fraction in columns that have one, and fails
 * at a 31st of February. Dates, times and datetimes come as the server's text, as they do in a
 * copy.
 */
final class ExactRows {
  private static final int MOST_KNOWN_TABLES = 4_096;
  private static final DateTimeFormatter OLD_FORM =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private ExactRows() {}

  static void install(EventDeserializer events) {
    Map<Long, TableMapEventData> tables =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, TableMapEventData> eldest) {
            return size() > MOST_KNOWN_TABLES;
          }
        };
    events.setEventDataDeserializer(
        EventType.TABLE_MAP,
        new TableMapEventDataDeserializer() {
          @Override
          public TableMapEventData deserialize(ByteArrayInputStream input) throws IOException {
            TableMapEventData table = super.deserialize(input);
            tables.put(table.getTableId(), table);
            return table;
          }
        });
    events.setEventDataDeserializer(EventType.WRITE_ROWS, new Inserts(tables));
    events.setEventDataDeserializer(EventType.UPDATE_ROWS, new Updates(tables));
    events.setEventDataDeserializer(EventType.DELETE_ROWS, new Deletes(tables));
    Inserts inserts = new Inserts(tables);
    inserts.setMayContainExtraInformation(true);
    Updates updates = new Updates(tables);
    updates.setMayContainExtraInformation(true);
    Deletes deletes = new Deletes(tables);
    deletes.setMayContainExtraInformation(true);
    events.setEventDataDeserializer(EventType.EXT_WRITE_ROWS, inserts);
    events.setEventDataDeserializer(EventType.EXT_UPDATE_ROWS, updates);
    events.setEventDataDeserializer(EventType.EXT_DELETE_ROWS, deletes);
  }

  /**
   * The server's text of a time: one signed number with the lowest bytes for the fraction, moved up
   * so that none is negative; the absolute value holds hours, minutes and seconds in fields of
   * bits.
   *
   * @param digits of the fraction, 0 to 6
   */
  static byte[] time(int digits, ByteArrayInputStream input) throws IOException {
    int fractionBytes = (digits + 1) / 2;
    long moved = number(3 + fractionBytes, input);
    int fractionBits = 8 * fractionBytes;
    long signed = moved - (0x800000L << fractionBits);
    long value = Math.abs(signed);
    long clock = value >> fractionBits;
    return bytes(
        "%s%02d:%02d:%02d%s"
            .formatted(
                signed < 0 ? "-" : "",
                clock >> 12 & 0x3FF,
                clock >> 6 & 0x3F,
                clock & 0x3F,
                fraction(digits, value & ((1L << fractionBits) - 1))));
  }

  /** The server's text of a date, zero dates too: fields of bits in 3 bytes, the lowest first. */
  static byte[] date(ByteArrayInputStream input) throws IOException {
    int value = input.readInteger(3);
    return bytes("%04d-%02d-%02d".formatted(value >> 9, value >> 5 & 0xF, value & 0x1F));
  }

  /** The server's text of a date and time, zero dates too: fields of bits in 5 bytes, fraction. */
  static byte[] dateTime(int digits, ByteArrayInputStream input) throws IOException {
    long value = number(5, input) - 0x8000000000L;
    long months = value >> 22;
    return bytes(
        "%04d-%02d-%02d %02d:%02d:%02d%s"
            .formatted(
                months / 13,
                months % 13,
                value >> 17 & 0x1F,
                value >> 12 & 0x1F,
                value >> 6 & 0x3F,
                value & 0x3F,
                fraction(digits, number((digits + 1) / 2, input))));
  }

  /** The text of a time in the form of servers before 5.6, which has no fraction. */
  static Serializable oldTime(Serializable value) {
    if (!(value instanceof Duration time)) {
      return value;
    }
    Duration absolute = time.abs();
    return bytes(
        "%s%02d:%02d:%02d"
            .formatted(
                time.isNegative() ? "-" : "",
                absolute.toHours(),
                absolute.toMinutesPart(),
                absolute.toSecondsPart()));
  }

  /** The text of a date and time in the form of servers before 5.6; null is a zero date. */
  static Serializable oldDateTime(Serializable value) {
    return value instanceof LocalDateTime time ? bytes(OLD_FORM.format(time)) : value;
  }

  private static String fraction(int digits, long stored) {
    if (digits == 0) {
      return "";
    }
    // An even number of digits is stored.
    String text = ("%0" + (digits + 1) / 2 * 2 + "d").formatted(stored);
    return "." + text.substring(0, digits);
  }

  private static long number(int bytes, ByteArrayInputStream input) throws IOException {
    long number = 0;
    for (int i = 0; i < bytes; i++) {
      number = number << 8 | input.read();
    }
    return number;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static final class Inserts extends RowDeserializers.WriteRowsDeserializer {
    Inserts(Map<Long, TableMapEventData> tables) {
      super(tables);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream input) throws IOException {
      return date(input);
    }

    @Override
    protected Serializable deserializeTimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return time(digits, input);
    }

    @Override
    protected Serializable deserializeDatetimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return dateTime(digits, input);
    }

    @Override
    protected Serializable deserializeTime(ByteArrayInputStream input) throws IOException {
      return oldTime(super.deserializeTime(input));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream input) throws IOException {
      return oldDateTime(super.deserializeDatetime(input));
    }
  }

  private static final class Updates extends RowDeserializers.UpdateRowsDeserializer {
    Updates(Map<Long, TableMapEventData> tables) {
      super(tables);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream input) throws IOException {
      return date(input);
    }

    @Override
    protected Serializable deserializeTimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return time(digits, input);
    }

    @Override
    protected Serializable deserializeDatetimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return dateTime(digits, input);
    }

    @Override
    protected Serializable deserializeTime(ByteArrayInputStream input) throws IOException {
      return oldTime(super.deserializeTime(input));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream input) throws IOException {
      return oldDateTime(super.deserializeDatetime(input));
    }
  }

  private static final class Deletes extends RowDeserializers.DeleteRowsDeserializer {
    Deletes(Map<Long, TableMapEventData> tables) {
      super(tables);
    }

    @Override
    protected Serializable deserializeDate(ByteArrayInputStream input) throws IOException {
      return date(input);
    }

    @Override
    protected Serializable deserializeTimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return time(digits, input);
    }

    @Override
    protected Serializable deserializeDatetimeV2(int digits, ByteArrayInputStream input)
        throws IOException {
      return dateTime(digits, input);
    }

    @Override
    protected Serializable deserializeTime(ByteArrayInputStream input) throws IOException {
      return oldTime(super.deserializeTime(input));
    }

    @Override
    protected Serializable deserializeDatetime(ByteArrayInputStream input) throws IOException {
      return oldDateTime(super.deserializeDatetime(input));
    }
  }
}
