package io.tributary.ingest.source;

import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * A binlog connection that asks the server for a sign of life much more often than it would doubt
 * the connection. Debezium ties the two together, which forces a choice between watermarks that are
 * seconds old on a quiet server and reconnects at every pause.
 */
final class AlertBinlogClient extends ExactBinlogClient {
  private final long heartbeatMillis;

  AlertBinlogClient(MySqlSourceConfig config, long heartbeatMillis) {
    super(config.getMySqlConnectorConfig());
    this.heartbeatMillis = heartbeatMillis;
    super.setHeartbeatInterval(heartbeatMillis);
  }

  @Override
  public void setHeartbeatInterval(long ignored) {
    // Called by the change reader with a value derived from the keep-alive interval.
    super.setHeartbeatInterval(heartbeatMillis);
  }
}
