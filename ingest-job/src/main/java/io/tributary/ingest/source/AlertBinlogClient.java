package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import io.debezium.connector.mysql.MySqlConnectorConfig;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * A binlog connection that asks the server for a sign of life much more often than it would doubt
 * the connection. Debezium ties the two together, which forces a choice between watermarks that are
 * seconds old on a quiet server and reconnects at every pause. Rows are read by readers of ours.
 */
final class AlertBinlogClient extends BinaryLogClient {
  private final long heartbeatMillis;

  AlertBinlogClient(MySqlSourceConfig config, long heartbeatMillis) {
    this(config.getMySqlConnectorConfig(), heartbeatMillis);
  }

  private AlertBinlogClient(MySqlConnectorConfig config, long heartbeatMillis) {
    super(config.hostname(), config.port(), config.username(), config.password());
    this.heartbeatMillis = heartbeatMillis;
    super.setHeartbeatInterval(heartbeatMillis);
  }

  @Override
  public void setEventDeserializer(EventDeserializer events) {
    ExactRows.install(events);
    super.setEventDeserializer(events);
  }

  @Override
  public void setHeartbeatInterval(long ignored) {
    // Called by the change reader with a value derived from the keep-alive interval.
    super.setHeartbeatInterval(heartbeatMillis);
  }
}
