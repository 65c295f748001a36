package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryParser;
import io.tributary.registry.SecretRef;
import io.tributary.registry.ServerSpec;
import java.sql.Connection;
import java.sql.Statement;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What would lose rows is refused before a job is submitted, by a real server's own words. */
class StartRefusedITCase {
  private static TestServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer("--binlog-ignore-db=unlogged");
    server.execute(
        "CREATE DATABASE d",
        "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE d.child (id INT PRIMARY KEY,"
            + " CONSTRAINT up FOREIGN KEY (id) REFERENCES d.t (id) ON UPDATE CASCADE)",
        "CREATE TABLE d.strict (id INT PRIMARY KEY,"
            + " CONSTRAINT stays FOREIGN KEY (id) REFERENCES d.t (id))",
        "CREATE DATABASE unlogged",
        "CREATE TABLE unlogged.t (id INT PRIMARY KEY)");
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private static SourcePlanner.Planned plan(String database, String table) {
    SourceSpec.Connection at = server.connection();
    Registry registry =
        RegistryParser.parse(
            "r.yaml",
            """
            catalog: {uri: "thrift://localhost:1", warehouse: /warehouse}
            kafka: {bootstrap-servers: "localhost:1"}
            servers:
              a: {hostname: %s, port: %d, username: %s, password: {file: %s}}
            tables: {d.t: {}}
            groups: {g: {server-id: {a: 5400}}}
            shards:
              - {number: 0, group: g, server: a, database: %s, table: %s}
            """
                .formatted(
                    at.hostname(),
                    at.port(),
                    at.username(),
                    ((SecretRef.SecretFile) at.password()).path(),
                    database,
                    table));
    GroupSpec group = registry.groups().get(0);
    return SourcePlanner.plan(
        registry.tables().get(0),
        group,
        registry.servers().stream()
            .collect(Collectors.toMap(ServerSpec::name, Function.identity())),
        registry.activeShardsOf(group.name()),
        SourceSpec.Timing.DEFAULT);
  }

  @Test
  void aServerThatIsAsItShouldBeIsRead() {
    assertThat(plan("d", "t").sources()).hasSize(1);
    assertThat(plan("d", "strict").sources()).hasSize(1);
  }

  @Test
  void allSettingsThatWouldLoseRowsAreNamedAtOnce() throws Exception {
    server.execute(
        "SET GLOBAL binlog_format = 'MIXED'",
        "SET GLOBAL binlog_row_image = 'NOBLOB'",
        "SET GLOBAL log_bin_compress = ON");
    try {
      assertThatThrownBy(() -> plan("d", "t"))
          .isInstanceOf(UnfitSourceException.class)
          .hasMessageContaining(
              "Cannot read server a: expected binlog_format=ROW, found binlog_format=MIXED: ")
          .hasMessageContaining("cure: SET GLOBAL binlog_format=ROW")
          .hasMessageContaining("expected binlog_row_image=FULL, found binlog_row_image=NOBLOB")
          .hasMessageContaining("expected log_bin_compress=OFF, found log_bin_compress=ON");
    } finally {
      server.execute(
          "SET GLOBAL binlog_format = 'ROW'",
          "SET GLOBAL binlog_row_image = 'FULL'",
          "SET GLOBAL log_bin_compress = OFF");
    }
  }

  @Test
  void databasesThatTheBinlogLeavesOutAreRefused() {
    assertThatThrownBy(() -> plan("unlogged", "t"))
        .hasMessageContaining(
            "Cannot read server a: expected a binlog of all databases, found the binlog leaves out"
                + " unlogged");
  }

  @Test
  void aReplicaThatLogsNothingIsRefused() throws Exception {
    server.execute(
        "GRANT SLAVE MONITOR ON *.* TO '%s'@'%%'".formatted(server.connection().username()),
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'nobody'");
    try {
      assertThatThrownBy(() -> plan("d", "t"))
          .hasMessageContaining("found a replica with log_slave_updates=OFF: what it replicates");
    } finally {
      server.execute("RESET SLAVE ALL");
    }
  }

  @Test
  void preparedTransactionsAreRefusedUntilTheyEnd() throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("XA START 'x'");
      statement.execute("INSERT INTO d.t VALUES (7, 7)");
      statement.execute("XA END 'x'");
      statement.execute("XA PREPARE 'x'");
      try {
        assertThatThrownBy(() -> plan("d", "t"))
            .hasMessageContaining(
                "expected transactions of one phase, found 1 prepared transactions (XA RECOVER)");
      } finally {
        statement.execute("XA ROLLBACK 'x'");
      }
    }
    assertThat(plan("d", "t").sources()).hasSize(1);
  }

  @Test
  void foreignKeysThatChangeRowsAreRefusedByName() {
    assertThatThrownBy(() -> plan("d", "child"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining(
            "Cannot read shard 0 (d.child) on server a: expected foreign keys that refuse, found"
                + " foreign key up on t")
        .hasMessageContaining("drop the foreign key");
  }
}
