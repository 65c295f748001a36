package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.registry.SourceTable;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfigFactory;
import org.apache.flink.cdc.connectors.mysql.table.StartupOptions;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Makes the connector's configurations in the process that opens the connections: here, and not
 * earlier, the password is read.
 */
final class ConnectorConfigs {
  /** A partial batch of a copy is waited for this long: longer makes copying crawl. */
  private static final Duration COPY_POLL = Duration.ofMillis(10);

  private static final int KEEP_ALIVE_MILLIS = 10_000;

  /**
   * The connector has one pool per server and user for all jobs of a process, as large as the first
   * of them says, and each job that has begun with a copy keeps a connection of its JobManager's
   * pool for good. Connections are opened when they are needed and no earlier.
   */
  private static final int MOST_POOLED_CONNECTIONS = 256;

  private final SourceSpec spec;

  ConnectorConfigs(SourceSpec spec) {
    this.spec = spec;
  }

  /** For copying. */
  MySqlSourceConfig copying(int subtask, String logicalName) {
    return factory(COPY_POLL, Optional.empty()).createConfig(subtask, logicalName);
  }

  /** For reading changes. */
  MySqlSourceConfig changes(int subtask, String logicalName) {
    return factory(spec.timing().poll(), Optional.empty()).createConfig(subtask, logicalName);
  }

  /** For the enumerator, which begins with a position or with a copy. */
  MySqlSourceConfig enumerating(Optional<SourcePosition> start, String logicalName) {
    return factory(COPY_POLL, start).createConfig(0, logicalName);
  }

  private MySqlSourceConfigFactory factory(Duration poll, Optional<SourcePosition> start) {
    SourceSpec.Connection connection = spec.connection();
    MySqlSourceConfigFactory factory =
        new MySqlSourceConfigFactory()
            .hostname(connection.hostname())
            .port(connection.port())
            .username(connection.username())
            .password(connection.password().resolve())
            .databaseList(
                spec.shards().stream()
                    .map(shard -> exact(shard.database()))
                    .distinct()
                    .toArray(String[]::new))
            .tableList(
                spec.shards().stream()
                    .map(shard -> new SourceTable(shard.database(), shard.table()).exactPattern())
                    .toArray(String[]::new))
            .serverId(spec.firstServerId() + "-" + spec.lastServerId())
            .serverTimeZone("UTC")
            .jdbcProperties(jdbc())
            .debeziumProperties(debezium(poll))
            .heartbeatInterval(spec.timing().heartbeat())
            .startupOptions(
                start
                    .map(position -> StartupOptions.specificOffset(Positions.toOffset(position)))
                    .orElseGet(StartupOptions::initial))
            .connectionPoolSize(MOST_POOLED_CONNECTIONS)
            .skipSnapshotBackfill(false)
            .scanNewlyAddedTableEnabled(false)
            .includeSchemaChanges(false)
            .treatTinyInt1AsBoolean(false)
            .useLegacyJsonFormat(false);
    SourceSpec.Chunks chunks = spec.snapshot().chunks();
    if (chunks instanceof SourceSpec.Chunks.ByColumn cut) {
      factory.splitSize(cut.rows());
      spec.shards()
          .forEach(
              shard ->
                  factory.chunkKeyColumn(
                      new ObjectPath(exact(shard.database()), exact(shard.table())), cut.column()));
    } else if (chunks instanceof SourceSpec.Chunks.Whole whole) {
      factory.splitSize(whole.mostRows());
    }
    return factory;
  }

  private Properties jdbc() {
    Properties properties = new Properties();
    properties.putAll(spec.connection().jdbcProperties().resolve());
    ServerSession.exactSession(properties);
    return properties;
  }

  private Properties debezium(Duration poll) {
    Properties properties = new Properties();
    properties.putAll(spec.debezium());
    properties.setProperty("poll.interval.ms", Long.toString(poll.toMillis()));
    // Two-digit years are years of the first century here, not of this one.
    properties.setProperty("enable.time.adjuster", "false");
    properties.setProperty("connect.keep.alive.interval.ms", Integer.toString(KEEP_ALIVE_MILLIS));
    return properties;
  }

  private static String exact(String name) {
    String pattern = new SourceTable(name, name).exactPattern();
    return pattern.substring(0, (pattern.length() - 2) / 2);
  }
}
