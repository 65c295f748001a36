package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.event.EventData;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * Reads what changed while a chunk was copied. After connecting, Debezium looks for the client's
 * keep-alive thread for up to 5 s; a chunk's few changes are read sooner than it begins to look,
 * the thread is gone by then, and each chunk of a busy table would take those 5 s. So this client
 * does not tell that it has one; a lost connection is noticed all the same.
 */
final class BackfillClient extends ExactBinlogClient {
  private final String host;
  private final int port;

  BackfillClient(MySqlSourceConfig config) {
    super(config.getMySqlConnectorConfig());
    this.host = config.getHostname();
    this.port = config.getPort();
  }

  @Override
  public boolean isKeepAlive() {
    return false;
  }

  /** Nobody listens to this client but the change reader, which would pass over it. */
  @Override
  EventData unreadable(UnreadableEvent event) {
    throw new TerminalSourceException(
        "Cannot copy on: expected changes that can be read, %s, then copy the shards again, behind position %s:%d of server %s:%d"
            .formatted(event.found(), getBinlogFilename(), getBinlogPosition(), host, port));
  }
}
