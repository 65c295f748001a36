package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import io.debezium.connector.mysql.MySqlConnection;
import io.debezium.util.SchemaNameAdjuster;
import org.apache.flink.cdc.connectors.mysql.debezium.task.context.StatefulTaskContext;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * What a reader works with, whose names of columns are the server's. The connector rewrites a name
 * that is none for Avro, such as {@code a b}, where it looks for a row's place among the chunks,
 * and so does not find the column: it would fail at each change that comes before the last chunk's
 * end.
 */
final class PlainNames extends StatefulTaskContext {
  PlainNames(MySqlSourceConfig config, BinaryLogClient client, MySqlConnection connection) {
    super(config, client, connection);
  }

  @Override
  public SchemaNameAdjuster getSchemaNameAdjuster() {
    return SchemaNameAdjuster.NO_OP;
  }
}
