package io.tributary.ingest.source;

import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * Reads what changed while a chunk was copied. After connecting, Debezium looks for the client's
 * keep-alive thread for up to 5 s; a chunk's few changes are read sooner than it begins to look,
 * the thread is gone by then, and each chunk of a busy table would take those 5 s. So this client
 * does not tell that it has one; a lost connection is noticed all the same.
 */
final class BackfillClient extends ExactBinlogClient {
  BackfillClient(MySqlSourceConfig config) {
    super(config.getMySqlConnectorConfig());
  }

  @Override
  public boolean isKeepAlive() {
    return false;
  }
}
