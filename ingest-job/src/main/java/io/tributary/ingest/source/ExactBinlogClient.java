package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.MariadbGtidEventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import com.github.shyiko.mysql.binlog.network.protocol.command.DumpBinaryLogCommand;
import com.github.shyiko.mysql.binlog.network.protocol.command.QueryCommand;
import io.debezium.connector.mysql.MySqlConnectorConfig;
import java.io.IOException;

/**
 * A binlog connection whose rows are read by readers of ours, and to which a MariaDB server sends
 * the begin of a transaction as it is.
 *
 * <p>A MariaDB server that takes its client for an old one overwrites the event that begins a
 * transaction with a BEGIN, in place, and ends the connection for good at one whose length it does
 * not expect: of a transaction over several engines, of one that is left with nothing but a
 * savepoint, of a prepared one. The change reader understands nothing but the BEGIN, so it is made
 * here.
 */
class ExactBinlogClient extends BinaryLogClient {
  /** The server need not make up for anything; the client knows global transaction ids. */
  private static final String CAPABILITY = "SET @mariadb_slave_capability = 4";

  ExactBinlogClient(MySqlConnectorConfig config) {
    super(config.hostname(), config.port(), config.username(), config.password());
    // The first listener: whoever comes after it sees the BEGIN.
    registerEventListener(ExactBinlogClient::begin);
  }

  @Override
  public void setEventDeserializer(EventDeserializer events) {
    ExactRows.install(events);
    events.setEventDataDeserializer(EventType.MARIADB_GTID, new Begins());
    UnreadableEvent.install(events, this::unreadable);
    super.setEventDeserializer(events);
  }

  /** Called for a MariaDB server; reads from a file's position, as the source does there. */
  @Override
  protected void requestBinaryLogStreamMaria(long serverId) throws IOException {
    channel.write(new QueryCommand(CAPABILITY));
    checkError(channel.read());
    channel.write(new DumpBinaryLogCommand(serverId, getBinlogFilename(), getBinlogPosition()));
  }

  /**
   * What is to be done with an event that may change rows and that nobody can read.
   *
   * @return the event's data, for the listeners
   */
  EventData unreadable(UnreadableEvent event) {
    return event;
  }

  private static void begin(Event event) {
    if (event.getHeader() instanceof EventHeaderV4 header
        && header.getEventType() == EventType.MARIADB_GTID
        && event.getData() instanceof QueryEventData) {
      header.setEventType(EventType.QUERY);
    }
  }

  /** A statement that stands alone has no begin. */
  private static final class Begins implements EventDataDeserializer<EventData> {
    private final MariadbGtidEventDataDeserializer reader = new MariadbGtidEventDataDeserializer();

    @Override
    public EventData deserialize(ByteArrayInputStream input) throws IOException {
      MariadbGtidEventData transaction = reader.deserialize(input);
      if ((transaction.getFlags() & MariadbGtidEventData.FL_STANDALONE) != 0) {
        return transaction;
      }
      QueryEventData begin = new QueryEventData();
      begin.setDatabase("");
      begin.setSql("BEGIN");
      return begin;
    }
  }
}
