package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.NullEventDataDeserializer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.function.Function;

/**
 * An event that may change rows and that the change reader would pass over without a word: it knows
 * neither compressed events nor updates of parts of a JSON document.
 *
 * @param found what it is, for an operator
 */
record UnreadableEvent(String found) implements EventData {
  private static final UnreadableEvent UNKNOWN =
      new UnreadableEvent(
          "found an event of a kind that nobody can read (log_bin_compress makes such ones); cure: SET GLOBAL log_bin_compress = OFF");
  private static final UnreadableEvent PARTIAL =
      new UnreadableEvent(
          "found a row with a part of a JSON document; cure: SET GLOBAL binlog_row_value_options = ''");

  /** The only one whose data the client wants to be of its own class. */
  static final UnreadableEvent COMPRESSED =
      new UnreadableEvent(
          "found a compressed transaction; cure: SET GLOBAL binlog_transaction_compression = OFF");

  /**
   * Puts in what is to be done with such events, for each of their kinds.
   *
   * @param unreadable given what was found; returns the event's data, or throws
   */
  static void install(EventDeserializer events, Function<UnreadableEvent, EventData> unreadable) {
    NullEventDataDeserializer harmless = new NullEventDataDeserializer();
    events.setEventDataDeserializer(
        EventType.UNKNOWN,
        input -> {
          byte[] body = input.read(input.available());
          return isCheckpoint(body) ? harmless.deserialize(input) : unreadable.apply(UNKNOWN);
        });
    events.setEventDataDeserializer(
        EventType.TRANSACTION_PAYLOAD,
        input -> {
          unreadable.apply(COMPRESSED);
          // The client looks into it for what tables are called.
          TransactionPayloadEventData nothing = new TransactionPayloadEventData();
          nothing.setUncompressedEvents(new ArrayList<>());
          return nothing;
        });
    events.setEventDataDeserializer(
        EventType.PARTIAL_UPDATE_ROWS_EVENT, input -> unreadable.apply(PARTIAL));
  }

  /**
   * Whether it is MariaDB's note of the oldest binlog that a crash would need, which the client has
   * no name for: the length of a file's name in 4 bytes, the lowest first, and the name, with a
   * zero behind it where the next file's name is longer. Nothing else that is unknown looks like
   * it: a compressed event has zeros where the name begins.
   */
  static boolean isCheckpoint(byte[] body) {
    if (body.length <= Integer.BYTES) {
      return false;
    }
    int length = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (length != body.length - Integer.BYTES) {
      return false;
    }
    int end = body[body.length - 1] == 0 ? body.length - 1 : body.length;
    for (int i = Integer.BYTES; i < end; i++) {
      if (body[i] >= 0 && body[i] < ' ') {
        return false;
      }
    }
    return end > Integer.BYTES;
  }
}
