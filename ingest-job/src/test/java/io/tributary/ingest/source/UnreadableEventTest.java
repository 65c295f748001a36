package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TransactionPayloadEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class UnreadableEventTest {
  private static final int MARIADB_BINLOG_CHECKPOINT = 161;
  private static final int MARIADB_QUERY_COMPRESSED = 165;
  private static final int MARIADB_WRITE_ROWS_COMPRESSED = 166;
  private static final int PARTIAL_UPDATE_ROWS = 39;
  private static final int TRANSACTION_PAYLOAD = 40;

  @Test
  void aCheckpointIsHarmless() throws Exception {
    assertThat(read(MARIADB_BINLOG_CHECKPOINT, checkpoint("binlog.000001"), e -> e)).isNull();
    assertThat(read(MARIADB_BINLOG_CHECKPOINT, checkpoint("Röhre-bin.1000000"), e -> e)).isNull();
    // What a server writes into binlog.1000000.
    assertThat(read(MARIADB_BINLOG_CHECKPOINT, checkpoint("binlog.999999\0"), e -> e)).isNull();
  }

  @Test
  void compressedEventsAreNamed() throws Exception {
    // The table's id in 6 bytes, flags, the number of columns, which there are, compressed rows.
    byte[] rows = {18, 0, 0, 0, 0, 0, 1, 0, 2, (byte) 0xff, (byte) 0x81, 20, 120, (byte) 0x9c, 99};
    assertThat(read(MARIADB_WRITE_ROWS_COMPRESSED, rows, e -> e).toString())
        .contains("log_bin_compress");
    // One whose table id is as large as the event is long.
    byte[] like = rows.clone();
    like[0] = (byte) (rows.length - 4);
    assertThat(read(MARIADB_WRITE_ROWS_COMPRESSED, like, e -> e).toString())
        .contains("log_bin_compress");
    assertThat(read(MARIADB_QUERY_COMPRESSED, new byte[30], e -> e).toString())
        .contains("log_bin_compress");
    List<UnreadableEvent> asked = new ArrayList<>();
    assertThat(
            read(
                TRANSACTION_PAYLOAD,
                new byte[30],
                event -> {
                  asked.add(event);
                  return event;
                }))
        .isInstanceOf(TransactionPayloadEventData.class);
    assertThat(asked).containsExactly(UnreadableEvent.COMPRESSED);
    assertThat(read(PARTIAL_UPDATE_ROWS, new byte[30], e -> e).toString())
        .contains("binlog_row_value_options");
  }

  @Test
  void whoeverReadsMayRefuse() {
    assertThatThrownBy(
            () ->
                read(
                    TRANSACTION_PAYLOAD,
                    new byte[30],
                    event -> {
                      throw new TerminalSourceException(event.found());
                    }))
        .isInstanceOf(TerminalSourceException.class)
        .hasMessageContaining("compressed transaction");
  }

  private static byte[] checkpoint(String file) {
    byte[] name = file.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(4 + name.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(name.length)
        .put(name)
        .array();
  }

  /** Reads an event as a server sends it. */
  private static EventData read(
      int type, byte[] body, Function<UnreadableEvent, EventData> unreadable) throws IOException {
    EventDeserializer events = new EventDeserializer();
    UnreadableEvent.install(events, unreadable);
    int header = 19;
    byte[] bytes =
        ByteBuffer.allocate(header + body.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(0)
            .put((byte) type)
            .putInt(101)
            .putInt(header + body.length)
            .putInt(1_000)
            .putShort((short) 0)
            .put(body)
            .array();
    Event event = events.nextEvent(new ByteArrayInputStream(bytes));
    EventType found = event.getHeader().getEventType();
    assertThat(found)
        .isIn(
            EventType.UNKNOWN, EventType.TRANSACTION_PAYLOAD, EventType.PARTIAL_UPDATE_ROWS_EVENT);
    return event.getData();
  }
}
