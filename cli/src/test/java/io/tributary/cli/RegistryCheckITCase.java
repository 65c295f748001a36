package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of configuration, made on real servers: each is found, with its cure. */
class RegistryCheckITCase {
  private static LocalStack stack;

  @TempDir static Path folder;

  private final CapturedTerminal captured = new CapturedTerminal();

  @BeforeAll
  static void start() {
    stack =
        LocalStack.start(
            LocalStackConfig.in(folder.resolve("stack"))
                .withOnly(Service.MARIADB, Service.KAFKA, Service.METASTORE)
                .withMariaDbServers(2));
  }

  @AfterAll
  static void stop() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void aLandscapeThatIsRightHasNoErrorAndNoWarning() throws Exception {
    execute(
        1,
        // MariaDB's own default is 0.
        "SET GLOBAL sync_binlog = 1",
        // Else nobody knows whether it is a replica, and that is said.
        "GRANT SLAVE MONITOR ON *.* TO '%s'@'%%'"
            .formatted(stack.endpoints().mariaDb(1).cdc().name()),
        "CREATE DATABASE fit",
        "CREATE TABLE fit.t_0 (id INT PRIMARY KEY, v TEXT)",
        "CREATE TABLE fit.t_1 (id INT PRIMARY KEY, v TEXT)",
        "INSERT INTO fit.t_1 VALUES (1, 'x')");
    Path registry =
        registry(
            "fit.yaml",
            stack.endpoints().metastoreUri(),
            stack.endpoints().warehouse().toString(),
            stack.endpoints().kafkaBootstrapServers(),
            server(1, "a", stack.endpoints().mariaDb(1).cdc().name(), password(1)),
            "fit.t: {control-topic: fit-control, status-topic: fit-status}",
            "g: {server-id: {a: 5400}}",
            "{group: g, server: a, database: fit, table: \"t_{0..1}\"}");

    int code = captured.run("registry", "check", registry.toString(), "-o", "json");

    JsonNode report = new ObjectMapper().readTree(captured.out());
    assertThat(code).as(captured.out()).isEqualTo(ExitCode.OK);
    assertThat(report.get("errors").asInt()).isZero();
    assertThat(report.get("warnings").asInt()).as(captured.out()).isZero();
    assertThat(report.get("servers").get(0).get("version").textValue()).contains("MariaDB");
    assertThat(report.get("shards")).hasSize(2);
    assertThat(report.get("shards").get(1).get("found").asBoolean()).isTrue();
    assertThat(captured.err()).contains("Looked at server a", "Looked at Kafka");
    CapturedTerminal text = new CapturedTerminal();
    assertThat(text.run("registry", "check", registry.toString())).isEqualTo(ExitCode.OK);
    assertThat(text.out()).contains("primary", "fit.t_1", "0 errors, 0 warnings");
  }

  @Test
  void eachFaultIsFoundWithItsCure() throws Exception {
    String columns = "(id INT PRIMARY KEY, v VARCHAR(20))";
    execute(
        2,
        "SET GLOBAL binlog_format = 'STATEMENT'",
        "SET GLOBAL binlog_row_image = 'MINIMAL'",
        "SET GLOBAL log_bin_compress = ON",
        "SET GLOBAL sync_binlog = 0",
        "SET GLOBAL expire_logs_days = 1",
        "CREATE USER 'poor'@'%' IDENTIFIED BY 'poor-1'",
        "GRANT SELECT ON *.* TO 'poor'@'%'",
        "CREATE DATABASE bad",
        "CREATE TABLE bad.t_0 " + columns,
        "CREATE TABLE bad.t_1 " + columns,
        "CREATE VIEW bad.t_2 AS SELECT * FROM bad.t_0",
        "CREATE TABLE bad.t_4 " + columns + " ENGINE=MyISAM",
        "CREATE TABLE bad.t_5 (id INT PRIMARY KEY, v VARCHAR(20),"
            + " CONSTRAINT up FOREIGN KEY (id) REFERENCES bad.t_0 (id) ON DELETE CASCADE)",
        "CREATE TABLE bad.t_6 (id INT, v VARCHAR(20))",
        "CREATE TABLE bad.t_7 (id INT PRIMARY KEY, v VARCHAR(20), shard_id INT)",
        "CREATE TABLE bad.t_8 (id INT PRIMARY KEY, v VARCHAR(20) COMPRESSED)",
        "CREATE TABLE bad.t_9 (id INT PRIMARY KEY, v VARCHAR(30))");
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("bad-control", 2, (short) 1)
                      .configs(Map.of("retention.ms", "60000")),
                  new NewTopic("bad-status", 1, (short) 1)
                      .configs(Map.of("cleanup.policy", "compact"))))
          .all()
          .get();
    }
    Path file = Files.writeString(folder.resolve("no-folder"), "x");
    Path poor = Files.writeString(folder.resolve("poor"), "poor-1");
    Path wrong = Files.writeString(folder.resolve("wrong"), "canary-93");
    StackEndpoints at = stack.endpoints();
    Path registry =
        registry(
            "bad.yaml",
            at.metastoreUri(),
            file.toUri() + "/warehouse",
            at.kafkaBootstrapServers(),
            server(2, "b", "poor", poor)
                // The registry describes each address once.
                + server(2, "refused", at.mariaDb(2).cdc().name(), wrong)
                    .replace("127.0.0.1", "localhost")
                + server(1, "secretless", "poor", folder.resolve("nowhere"))
                + "  closed: {hostname: 127.0.0.1, port: 1, username: u, password: {file: %s}}\n"
                    .formatted(poor),
            "bad.t: {control-topic: bad-control, status-topic: bad-status}",
            "g: {server-id: {b: 100-109, refused: 5400, secretless: 5401, closed: 5402}}",
            "{group: g, server: b, database: bad, table: \"t_{0..9}\"}\n"
                + "  - {number: 20, group: g, server: refused, database: bad, table: t_0}\n"
                + "  - {number: 21, group: g, server: secretless, database: bad, table: t_0}\n"
                + "  - {number: 22, group: g, server: closed, database: bad, table: t_0}");

    int code = captured.run("registry", "check", registry.toString(), "-o", "json");

    assertThat(code).as(captured.err()).isEqualTo(ExitCode.NO);
    assertThat(captured.out()).as(captured.err()).contains("\"findings\"");
    assertThat(captured.out() + captured.err()).doesNotContain("canary-93", "poor-1");
    Map<String, TreeSet<String>> found = new TreeMap<>();
    for (JsonNode finding : new ObjectMapper().readTree(captured.out()).get("findings")) {
      found
          .computeIfAbsent(finding.get("code").textValue(), any -> new TreeSet<>())
          .add(finding.get("subject").textValue());
      if (!finding.get("severity").textValue().equals("info")) {
        assertThat(finding.get("cure").textValue()).as("%s", finding).isNotBlank();
        assertThat(finding.get("meaning").textValue()).as("%s", finding).isNotBlank();
      }
    }
    assertThat(found.keySet())
        .as(captured.out())
        .contains(
            "binlog-format",
            "binlog-row-image",
            "binlog-compressed",
            "binlog-not-synced",
            "binlog-retention",
            "grants-missing",
            "server-id-taken",
            "server-unreachable",
            "secret",
            "table-missing",
            "engine",
            "foreign-key-cascade",
            "no-key",
            "shard-id-column",
            "column-compressed",
            "columns-differ",
            "topic",
            "warehouse");
    assertThat(found.get("server-unreachable")).hasSize(2);
    assertThat(captured.out()).as("the wrong password was tried").contains("Access denied");
    assertThat(found.get("table-missing"))
        .hasSize(2)
        .anySatisfy(shard -> assertThat(shard).contains("shard 2 of bad.t (bad.t_2 on b)"))
        .anySatisfy(shard -> assertThat(shard).contains("bad.t_3"));
    assertThat(found.get("columns-differ")).hasSize(3);
  }

  @Test
  void aMetastoreAndAKafkaThatDoNotAnswerAreNamed() throws Exception {
    Path registry =
        registry(
            "gone.yaml",
            "thrift://127.0.0.1:1",
            stack.endpoints().warehouse().toString(),
            "127.0.0.1:1",
            server(1, "a", stack.endpoints().mariaDb(1).cdc().name(), password(1)),
            "gone.t: {}",
            "g: {server-id: {a: 5400}}",
            "{group: g, server: a, database: gone, table: \"t_{0..0}\"}");

    int code = captured.run("registry", "check", registry.toString());

    assertThat(code).isEqualTo(ExitCode.NO);
    assertThat(captured.out())
        .contains("ERROR metastore-unreachable: metastore thrift://127.0.0.1:1")
        .contains("ERROR kafka-unreachable: Kafka 127.0.0.1:1")
        .contains("ERROR table-missing: shard 0 of gone.t (gone.t_0 on a)");
  }

  private static Path registry(
      String name,
      String metastore,
      String warehouse,
      String kafka,
      String servers,
      String table,
      String group,
      String shards)
      throws Exception {
    return Files.writeString(
        folder.resolve(name),
        """
        catalog: {uri: "%s", warehouse: "%s"}
        kafka: {bootstrap-servers: "%s"}
        servers:
        %stables:
          %s
        groups:
          %s
        shards:
          - %s
        """
            .formatted(metastore, warehouse, kafka, servers, table, group, shards));
  }

  private static String server(int number, String name, String user, Path password) {
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(number);
    return "  %s: {hostname: %s, port: %d, username: %s, password: {file: %s}}\n"
        .formatted(name, server.host(), server.port(), user, password);
  }

  private static Path password(int number) {
    return stack.endpoints().mariaDb(number).cdc().passwordFile();
  }

  private static void execute(int number, String... statements) throws Exception {
    try (Connection connection = stack.endpoints().mariaDb(number).connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
