package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackConfig;
import io.tributary.localstack.Service;
import io.tributary.localstack.StackEndpoints;
import io.tributary.localstack.proxy.FaultProxy;
import io.tributary.localstack.server.MetastoreMain;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.zookeeper.ZooDefs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Faults of configuration, made on real servers: each is found, with its cure. All are made before
 * the first test, in four landscapes; each is looked at once by the verb.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RegistryCheckITCase {
  private static final String COLUMNS = "(id INT PRIMARY KEY, v VARCHAR(20))";

  /** Kept out of what is printed. */
  private static final List<String> CANARIES = List.of("canary-93", "poor-1");

  @TempDir private static Path folder;
  private LocalStack stack;
  private TestingServer zooKeeper;
  private TestingServer shortSessions;
  private FaultProxy silent;

  private final Map<String, JsonNode> reports = new HashMap<>();
  private final Map<String, CapturedTerminal> terminals = new HashMap<>();
  private final Map<String, Integer> codes = new HashMap<>();

  @BeforeAll
  void start() throws Exception {
    stack =
        LocalStack.start(
            LocalStackConfig.in(folder.resolve("stack"))
                .withOnly(Service.MARIADB, Service.KAFKA, Service.METASTORE)
                .withMariaDbServers(3)
                .withMariaDbOptions("--binlog-ignore-db=unlogged"));
    zooKeeper = zooKeeper("60000");
    shortSessions = zooKeeper("5000");
    silent = FaultProxy.to(stack.endpoints().mariaDb(1).port());
    silent.delay(Duration.ofMinutes(10), Duration.ZERO);
    fit();
    badServersAndShards();
    badLake();
    nothingAnswers();
    late();
  }

  private static TestingServer zooKeeper(String longestSession) throws Exception {
    return new TestingServer(
        new InstanceSpec(
            null, -1, -1, -1, true, -1, -1, -1, Map.of("maxSessionTimeout", longestSession)),
        true);
  }

  @AfterAll
  void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    for (AutoCloseable one : new AutoCloseable[] {silent, zooKeeper, shortSessions}) {
      if (one != null) {
        one.close();
      }
    }
  }

  private void check(String landscape, Path registry, String... options) throws Exception {
    CapturedTerminal terminal = new CapturedTerminal();
    List<String> line =
        new ArrayList<>(List.of("registry", "check", registry.toString(), "-o", "json"));
    line.addAll(List.of(options));
    codes.put(landscape, terminal.run(line.toArray(String[]::new)));
    assertThat(terminal.out()).as(terminal.err()).contains("\"findings\"");
    terminals.put(landscape, terminal);
    reports.put(landscape, new ObjectMapper().readTree(terminal.out()));
  }

  private void fit() throws Exception {
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
    check(
        "fit",
        registry(
            "fit.yaml",
            lake(),
            kafka(""),
            server(1, "a", stack.endpoints().mariaDb(1).cdc().name(), password(1)),
            "fit.t: {control-topic: fit-control, status-topic: fit-status}",
            "g: {server-id: {a: 5400}}",
            "{group: g, server: a, database: fit, table: \"t_{0..1}\"}"),
        "--zookeeper",
        zooKeeper.getConnectString() + "/fit");
  }

  private void badServersAndShards() throws Exception {
    execute(
        1,
        "CREATE DATABASE unlogged",
        "CREATE TABLE unlogged.t_0 " + COLUMNS,
        "CREATE DATABASE two_phases",
        "CREATE TABLE two_phases.t " + COLUMNS,
        "XA START 'done'",
        "INSERT INTO two_phases.t VALUES (1, 'x')",
        "XA END 'done'",
        "XA PREPARE 'done'",
        "XA COMMIT 'done'");
    execute(
        2,
        "CREATE DATABASE two_phases",
        "CREATE TABLE two_phases.t " + COLUMNS,
        "XA START 'open'",
        "INSERT INTO two_phases.t VALUES (1, 'x')",
        "XA END 'open'",
        "XA PREPARE 'open'");
    execute(
        2,
        "SET GLOBAL binlog_format = 'STATEMENT'",
        "SET GLOBAL binlog_row_image = 'MINIMAL'",
        "SET GLOBAL log_bin_compress = ON",
        "SET GLOBAL sync_binlog = 0",
        "SET GLOBAL expire_logs_days = 1",
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'nobody'",
        "CREATE DATABASE bad",
        "CREATE DATABASE hidden",
        "CREATE USER 'poor'@'%' IDENTIFIED BY 'poor-1'",
        "GRANT SLAVE MONITOR ON *.* TO 'poor'@'%'",
        "GRANT SELECT ON bad.* TO 'poor'@'%'",
        "GRANT INSERT ON hidden.* TO 'poor'@'%'",
        "CREATE TABLE bad.t_0 " + COLUMNS,
        "CREATE TABLE bad.t_1 " + COLUMNS,
        "CREATE VIEW bad.t_2 AS SELECT * FROM bad.t_0",
        "CREATE TABLE bad.t_4 " + COLUMNS + " ENGINE=MyISAM",
        "CREATE TABLE bad.t_5 (id INT PRIMARY KEY, v VARCHAR(20),"
            + " CONSTRAINT up FOREIGN KEY (id) REFERENCES bad.t_0 (id) ON DELETE CASCADE)",
        "CREATE TABLE bad.t_6 (id INT, v VARCHAR(20))",
        "CREATE TABLE bad.t_7 (id INT PRIMARY KEY, v VARCHAR(20), shard_id INT)",
        "CREATE TABLE bad.t_8 (id INT PRIMARY KEY, v VARCHAR(20) COMPRESSED)",
        "CREATE TABLE bad.t_9 (id INT PRIMARY KEY, v VARCHAR(30))",
        "CREATE TABLE bad.t_10 (id FLOAT PRIMARY KEY, v VARCHAR(20))",
        "CREATE TABLE bad.t_11 (id INT PRIMARY KEY, v UUID)",
        "CREATE TABLE bad.t_12 (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1)",
        "CREATE TABLE bad.text_key (id VARCHAR(20) PRIMARY KEY, paid DATETIME, gift TINYINT(1))",
        "CREATE TABLE bad.coarse (half INT, id INT, PRIMARY KEY (half, id))",
        "INSERT INTO bad.coarse SELECT seq % 2, seq FROM bad.seq_1_to_2000",
        "ANALYZE TABLE bad.coarse",
        "CREATE TABLE hidden.t_0 " + COLUMNS,
        // For who may not do all: their clock stands in 1970.
        "SET GLOBAL init_connect = 'SET timestamp = 1'");
    topics(
        new NewTopic("bad-control", 2, (short) 1).configs(Map.of("retention.ms", "60000")),
        new NewTopic("bad-status", 1, (short) 1).configs(Map.of("cleanup.policy", "compact")),
        new NewTopic("text-status", 1, (short) 1).configs(Map.of("min.insync.replicas", "2")));
    Path poor = Files.writeString(folder.resolve("poor"), "poor-1");
    Path wrong = Files.writeString(folder.resolve("wrong"), "canary-93");
    String cdc = stack.endpoints().mariaDb(2).cdc().name();
    Path registry =
        registry(
            "bad.yaml",
            lake(),
            kafka(", properties: {transaction.timeout.ms: 3600000}"),
            server(1, "a", stack.endpoints().mariaDb(1).cdc().name(), password(1))
                    .replace("}}", "}, server-time-zone: Asia/Seoul}")
                + server(2, "b", "poor", poor)
                // The registry describes each address once.
                + server(2, "refused", cdc, wrong).replace("127.0.0.1", "localhost")
                + server(1, "secretless", "poor", folder.resolve("nowhere"))
                    .replace("127.0.0.1", "localhost")
                + "  closed: {hostname: 127.0.0.1, port: 1, username: u, password: {file: %s}}\n"
                    .formatted(poor)
                + "  silent: {hostname: 127.0.0.1, port: %d, username: u, password: {file: %s}}\n"
                    .formatted(silent.port(), poor),
            """
            bad.t: {control-topic: bad-control, status-topic: bad-status}
              bad.coarse: {bucket-column: id, scan.incremental.snapshot.chunk.key-column: half}
              bad.text: {control-topic: text-control, status-topic: text-status, column-types: {gift: boolean}}\
            """,
            "g: {table: bad.t, server-id: {a: 5400, b: 100-109, refused: 5400, secretless: 5401, closed: 5402, silent: 5403}}\n"
                + "  coarse: {table: bad.coarse, server-id: {b: 6000}, scan.incremental.snapshot.chunk.size: 100}\n"
                + "  text: {table: bad.text, server-id: {b: 6001}}\n"
                + IntStream.range(0, 4)
                    .mapToObj(
                        i -> "  h%d: {table: bad.t, server-id: {a: %d}}".formatted(i, 7000 + i))
                    .collect(Collectors.joining("\n")),
            """
            {group: g, server: b, database: bad, table: "t_{0..12}"}
              - {number: 20, group: g, server: refused, database: bad, table: t_0}
              - {number: 21, group: g, server: secretless, database: bad, table: t_0}
              - {number: 22, group: g, server: closed, database: bad, table: t_0}
              - {number: 23, group: g, server: silent, database: bad, table: t_0}
              - {number: 24, group: g, server: a, database: unlogged, table: t_0}
              - {number: 25, group: g, server: b, database: hidden, table: t_0}
              - {number: 0, group: coarse, server: b, database: bad, table: coarse}
              - {number: 0, group: text, server: b, database: bad, table: text_key}\
            """);
    // The same registry, but for a shard that was read from another table.
    Path before =
        Files.writeString(
            folder.resolve("before.yaml"),
            Files.readString(registry).replace("table: text_key", "table: old_key"));
    String place = shortSessions.getConnectString() + "/bad";
    CapturedTerminal apply = new CapturedTerminal();
    assertThat(
            apply.run(
                "registry", "apply", before.toString(), "--zookeeper", place, "--yes", "--offline"))
        .as(apply.err())
        .isZero();
    check("bad", registry, "--zookeeper", place);
  }

  /** A metastore, a warehouse and a ZooKeeper that answer, and cannot be worked with. */
  private void badLake() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    // Derby writes its log into the working directory else.
    System.setProperty("derby.stream.error.file", folder.resolve("derby.log").toString());
    Thread metastore =
        new Thread(
            () -> {
              try {
                MetastoreMain.main(
                    new String[] {
                      Integer.toString(port),
                      folder.resolve("second").toUri().toString(),
                      folder.resolve("derby").toString(),
                      "hive.metastore.try.direct.sql=false",
                      "hive.metastore.disallow.incompatible.col.type.changes=true"
                    });
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    metastore.setDaemon(true);
    metastore.start();
    Awaitility.await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () -> {
              try (Socket socket = new Socket("127.0.0.1", port)) {
                return socket.isConnected();
              } catch (IOException e) {
                return false;
              }
            });
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(zooKeeper.getConnectString(), new RetryOneTime(100))) {
      client.start();
      client.create().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/locked");
    }
    Path file = Files.writeString(folder.resolve("no-folder"), "x");
    check(
        "lake",
        registry(
            "lake.yaml",
            "{uri: \"thrift://127.0.0.1:%d\", warehouse: \"%s/warehouse\"}"
                .formatted(port, file.toUri()),
            kafka(""),
            server(3, "a", stack.endpoints().mariaDb(3).cdc().name(), password(3)),
            "fit.t: {control-topic: fit-control, status-topic: fit-status}",
            "g: {server-id: {a: 5400}}",
            "{number: 0, group: g, server: a, database: gone, table: t}"),
        "--zookeeper",
        zooKeeper.getConnectString() + "/locked");
  }

  private void nothingAnswers() throws Exception {
    check(
        "gone",
        registry(
            "gone.yaml",
            "{uri: \"thrift://127.0.0.1:1\", warehouse: \"%s\"}"
                .formatted(stack.endpoints().warehouse()),
            "{bootstrap-servers: \"127.0.0.1:1\"}",
            server(1, "a", stack.endpoints().mariaDb(1).cdc().name(), password(1))
                + server(1, "twin", stack.endpoints().mariaDb(1).cdc().name(), password(1))
                    .replace("127.0.0.1", "localhost"),
            "fit.t: {}",
            "g: {server-id: {a: 5400, twin: 5400}}",
            "{number: 0, group: g, server: a, database: fit, table: t_0}\n"
                + "  - {number: 1, group: g, server: twin, database: fit, table: t_1}"),
        "--zookeeper",
        "127.0.0.1:1/gone");
  }

  private void late() throws Exception {
    check(
        "late",
        registry(
            "late.yaml",
            lake(),
            kafka(""),
            server(1, "silent", "u", password(1))
                .replaceFirst("port: [0-9]+", "port: " + silent.port()),
            "fit.t: {}",
            "g: {server-id: {silent: 5400}}",
            "{number: 0, group: g, server: silent, database: fit, table: t_0}"),
        "--timeout",
        "1 s");
  }

  @Test
  void aLandscapeThatIsRightHasNoErrorAndNoWarning() {
    JsonNode report = reports.get("fit");
    String out = terminals.get("fit").out();
    assertThat(codes.get("fit")).as(out).isEqualTo(ExitCode.OK);
    assertThat(report.get("errors").asInt()).isZero();
    assertThat(report.get("warnings").asInt()).as(out).isZero();
    JsonNode server = report.get("servers").get(0);
    assertThat(server.get("version").textValue()).contains("MariaDB");
    assertThat(server.get("binlog").textValue()).isEqualTo("ROW FULL");
    assertThat(server.get("zone").textValue()).isEqualTo("+00:00");
    assertThat(server.get("replica").booleanValue()).isFalse();
    assertThat(report.get("shards")).hasSize(2);
    assertThat(report.get("shards").get(1).get("found").asBoolean()).isTrue();
    assertThat(report.get("columns")).hasSize(2);
    assertThat(report.at("/columns/1/type").textValue()).isEqualTo("string");
    assertThat(report.at("/columns/1/loss").textValue()).isEmpty();
    assertThat(terminals.get("fit").err()).as("nobody watches").isEmpty();
  }

  @ParameterizedTest(name = "{0}: {1} {2} of {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "bad|error|binlog-format|server b|bad.yaml:|binlog_format=STATEMENT|SET GLOBAL binlog_format=ROW",
        "bad|error|binlog-row-image|server b|bad.yaml:|binlog_row_image=MINIMAL|SET GLOBAL binlog_row_image=FULL",
        "bad|error|binlog-compressed|server b|bad.yaml:|log_bin_compress=ON|SET GLOBAL log_bin_compress=OFF",
        "bad|error|binlog-filtered|server a|bad.yaml:|leaves out unlogged|take binlog_do_db and binlog_ignore_db out",
        "bad|warning|binlog-not-synced|server b|bad.yaml:|sync_binlog=0|SET GLOBAL sync_binlog=1",
        "bad|warning|binlog-retention|server b|bad.yaml:|kept for 24.0 hours|keep them for 3 days at least",
        "bad|error|grants-missing|server b|bad.yaml:|lacks REPLICATION CLIENT, REPLICATION SLAVE|GRANT REPLICATION CLIENT, REPLICATION SLAVE ON",
        "bad|error|server-id-taken|server b|bad.yaml:|group g is to use server ids 100-109|give group g a range",
        "bad|error|replica-logs-nothing|server b|bad.yaml:|log_slave_updates=OFF|start it with log_slave_updates=ON",
        "bad|error|xa-prepared|server b|bad.yaml:|1 prepared transactions|XA COMMIT or XA ROLLBACK",
        "bad|warning|xa-used|server a|bad.yaml:|1 transactions were prepared|use no XA",
        "bad|error|clock|server b|bad.yaml:|s behind ours|NTP",
        "bad|warning|many-groups|server a|bad.yaml:|5 groups read its whole binlog|fewer groups",
        "bad|info|zone|server a|bad.yaml:|Asia/Seoul in the registry, +00:00 on the server|",
        "bad|error|server-unreachable|server refused|bad.yaml:|Access denied|correct hostname, port, username or password",
        "bad|error|server-unreachable|server closed|bad.yaml:|Connection refused|let the server be reached",
        "bad|error|server-unreachable|server silent|bad.yaml:|Can not read response from server|let the server be reached",
        "late|error|no-answer-in-time|server silent|late.yaml:5|no answer within 1 s|wait longer with --timeout",
        "bad|error|secret|server secretless|bad.yaml:|nowhere|put the file in its place",
        "bad|error|table-missing|shard 2 of bad.t (bad.t_2 on b, group g)|bad.yaml:|a view|correct 'database' and 'table'",
        "bad|error|table-missing|shard 3 of bad.t (bad.t_3 on b, group g)|bad.yaml:|no such table|grant SELECT",
        "bad|warning|engine|shard 4 of bad.t (bad.t_4 on b, group g)|bad.yaml:|MyISAM|ENGINE=InnoDB",
        "bad|error|foreign-key-cascade|shard 5 of bad.t (bad.t_5 on b, group g)|bad.yaml:|up on t_0 (delete: CASCADE|drop the foreign key",
        "bad|error|shard-refused|shard 6 of bad.t (bad.t_6 on b, group g)|bad.yaml:|expected a primary key, found none|add one, or name",
        "bad|error|shard-refused|shard 7 of bad.t (bad.t_7 on b, group g)|bad.yaml:|expected no column named 'shard_id'|'shard-id-column'",
        "bad|error|shard-refused|shard 8 of bad.t (bad.t_8 on b, group g)|bad.yaml:|compressed|change the column's type",
        "bad|warning|columns-differ|shard 9 of bad.t (bad.t_9 on b, group g)|bad.yaml:|column 'v' is varchar(30)|ALTER TABLE",
        "bad|error|shard-refused|shard 10 of bad.t (bad.t_10 on b, group g)|bad.yaml:|a type with exact values, found FLOAT|use another key",
        "bad|error|shard-refused|shard 11 of bad.t (bad.t_11 on b, group g)|bad.yaml:|found type uuid|change the column's type",
        "bad|error|group-refused|group g of bad.t|bad.yaml:|character set latin1|give the columns one",
        "bad|error|select-refused|shard 25 of bad.t (hidden.t_0 on b, group g)|bad.yaml:|SELECT command denied|GRANT SELECT ON hidden.*",
        "bad|info|copied-whole|shard 0 of bad.text (bad.text_key on b, group text)|bad.yaml:|one chunk per table|",
        "bad|warning|chunk-column-coarse|shard 0 of bad.coarse (bad.coarse on b, group coarse)|bad.yaml:|different values of 'half'|scan.incremental.snapshot.chunk.key-column",
        "bad|info|type|table bad.text|bad.yaml:|'gift' (tinyint(1) -> boolean)|",
        "bad|info|type|table bad.text|bad.yaml:|'paid' (datetime -> timestamp)|",
        "bad|error|topic|topic bad-control of table bad.t|bad.yaml:|expected 1 partition|delete it when nothing in it is needed",
        "bad|error|topic|topic bad-control of table bad.t|bad.yaml:|expected retention.ms=-1, found 60000|kafka-configs --alter --topic bad-control",
        "bad|error|topic|topic bad-status of table bad.t|bad.yaml:|expected cleanup.policy=delete, found compact|kafka-configs --alter --topic bad-status",
        "bad|error|topic|topic bad-status of table bad.t|bad.yaml:|expected a transaction timeout of at most 900000|lower transaction.timeout.ms",
        "bad|error|topic-cannot-be-written|topic text-status of table bad.text|bad.yaml:|min.insync.replicas=2, 1 replicas|set min.insync.replicas of topic text-status to 1",
        "bad|warning|zookeeper-session|ZooKeeper 127.0.0.1||sessions of 5 s, where 30 s|maxSessionTimeout",
        "bad|error|source-changed|shard 0 of bad.text|bad.yaml:|bad.old_key on b -> bad.text_key on b, since version 1|a number of its own",
        "lake|error|metastore-swap|metastore thrift://127.0.0.1|lake.yaml:2|a compared change|hive.metastore.try.direct.sql=true",
        "lake|warning|metastore-column-changes|metastore thrift://127.0.0.1|lake.yaml:2|disallow.incompatible.col.type.changes=true|set it to false",
        "lake|error|warehouse|warehouse file:|lake.yaml:2|writing a file failed|the right to write, rename and delete",
        "lake|error|zookeeper-not-writable|ZooKeeper 127.0.0.1||no right to make or remove a node|all rights below /locked",
        "gone|error|metastore-unreachable|metastore thrift://127.0.0.1:1|gone.yaml:2|Connection refused|correct 'uri'",
        "gone|error|kafka-unreachable|Kafka 127.0.0.1:1|gone.yaml:3||correct 'bootstrap-servers'",
        "gone|error|zookeeper-unreachable|ZooKeeper 127.0.0.1:1/gone||expected a connection within|correct --zookeeper",
        "gone|warning|server-identity|server twin|gone.yaml:|server_id 101, as server a has|a server_id of its own",
      })
  void eachFaultIsFoundWithItsCure(
      String landscape,
      String severity,
      String code,
      String subject,
      String place,
      String found,
      String cure) {
    List<JsonNode> alike = new ArrayList<>();
    for (JsonNode finding : reports.get(landscape).get("findings")) {
      if (finding.get("code").textValue().equals(code)
          && finding.get("subject").textValue().startsWith(subject)
          && (found == null || finding.get("found").textValue().contains(found))) {
        alike.add(finding);
      }
    }
    assertThat(alike).as(terminals.get(landscape).out()).hasSize(1);
    JsonNode finding = alike.get(0);
    assertThat(finding.get("severity").textValue()).isEqualTo(severity);
    assertThat(finding.get("meaning").textValue()).isNotBlank();
    if (cure == null) {
      assertThat(finding.get("cure").textValue()).isEmpty();
    } else {
      assertThat(finding.get("cure").textValue()).contains(cure);
    }
    if (place == null) {
      assertThat(finding.get("place").isNull()).isTrue();
    } else {
      assertThat(finding.get("place").textValue()).contains(place).matches(".*\\.yaml:[0-9]+");
    }
  }

  @Test
  void linesAreThoseOfTheFile() throws Exception {
    List<String> lines = Files.readAllLines(folder.resolve("bad.yaml"));
    for (JsonNode finding : reports.get("bad").get("findings")) {
      if (finding.get("place").isNull()) {
        continue;
      }
      String place = finding.get("place").textValue();
      String line = lines.get(Integer.parseInt(place.substring(place.lastIndexOf(':') + 1)) - 1);
      String[] subject = finding.get("subject").textValue().split(" ");
      switch (subject[0]) {
        case "server", "table", "group" -> assertThat(line).contains(subject[1] + ":");
        case "shard" -> assertThat(line).contains("database:");
        default -> assertThat(line).isNotBlank();
      }
    }
  }

  @Test
  void errorsAndWarningsHaveExitCodesOfTheirOwn() throws Exception {
    assertThat(codes).containsEntry("bad", ExitCode.NO).containsEntry("gone", ExitCode.NO);
    Path warned = folder.resolve("warned.yaml");
    Files.writeString(
        warned,
        Files.readString(folder.resolve("fit.yaml"))
            .replace("{a: 5400}", "{a: 5400}}\n" + extraGroups() + "  z: {server-id: {a: 6000}"));
    CapturedTerminal terminal = new CapturedTerminal();
    assertThat(terminal.run("registry", "check", warned.toString()))
        .as(terminal.out())
        .isEqualTo(ExitCode.NOTICE);
    assertThat(terminal.out())
        .contains("WARNING many-groups: server a\n  at     " + warned + ":")
        .contains("0 errors, ")
        .contains("primary", "fit.t_1", "ROW FULL");
  }

  /**
   * The table says which shards have rows, and which are copied anew whatever they are read from.
   */
  @Test
  void aStartedShardsNumberKeepsItsSource() throws Exception {
    TreeMap<ShardId, ShardState> shards = new TreeMap<>();
    shards.put(new ShardId(0), shard("g", ShardPhase.ACTIVE, true));
    shards.put(new ShardId(1), shard("g", ShardPhase.HALTED, true));
    shards.put(new ShardId(2), shard("g", ShardPhase.SNAPSHOT, false));
    shards.put(new ShardId(3), shard("never", ShardPhase.SNAPSHOT, false));
    createTable("moves.t", shards);
    apply(0, Map.of());

    String refused = apply(1, Map.of("t_0", "t_9"));

    assertThat(refused)
        .containsPattern("moves.yaml:[0-9]+: shard 0 of moves.t: moves.t_0 on a -> moves.t_9 on a")
        .contains("(version 1); the table has rows of it")
        .contains("cure: give each new source a number of its own");
    assertThat(apply(1, Map.of("t_2", "t_9")))
        .contains("a job of group g has been started, and may have read it");
    assertThat(
            apply(
                1,
                Map.of(
                    "server: a, database: moves, table: t_1",
                    "server: b, database: moves, table: t_1")))
        .contains("moves.t_1 on a -> moves.t_1 on b", "the table has rows of it")
        .contains("keep the server's name and change its hostname");
    // Halted: it is copied anew from emptied partitions. And one that nobody has ever read.
    apply(0, Map.of("t_1", "t_8", "t_3", "t_7"));
  }

  private String apply(int code, Map<String, String> edits) throws Exception {
    String text =
        Files.readString(
            registry(
                "moves.yaml",
                lake(),
                kafka(""),
                "  a: {hostname: one, username: u, password: {env: P}}\n"
                    + "  b: {hostname: two, username: u, password: {env: P}}\n",
                "moves.t: {}",
                "g: {server-id: {a: 1-2, b: 1-2}}\n  never: {server-id: {a: 3-4, b: 3-4}}",
                IntStream.range(0, 4)
                    .mapToObj(
                        i ->
                            "{number: %d, group: %s, server: a, database: moves, table: t_%d}"
                                .formatted(i, i < 3 ? "g" : "never", i))
                    .collect(Collectors.joining("\n  - "))));
    for (Map.Entry<String, String> edit : edits.entrySet()) {
      assertThat(text).contains(edit.getKey());
      text = text.replace(edit.getKey(), edit.getValue());
    }
    CapturedTerminal terminal = new CapturedTerminal();
    assertThat(
            terminal.run(
                "registry",
                "apply",
                Files.writeString(folder.resolve("moves.yaml"), text).toString(),
                "--zookeeper",
                zooKeeper.getConnectString() + "/moves",
                "--yes"))
        .as(terminal.err())
        .isEqualTo(code);
    return terminal.err();
  }

  private static ShardState shard(String group, ShardPhase phase, boolean started) {
    return new ShardState(
        new GroupName(group),
        new ServerName("a"),
        phase,
        phase == ShardPhase.SNAPSHOT
            ? Optional.empty()
            : Optional.of(new Watermark(Instant.ofEpochSecond(1))),
        started,
        false,
        0,
        0,
        phase == ShardPhase.HALTED ? Optional.of("renamed") : Optional.empty());
  }

  private static GroupState groupState(TableUuid table, GroupName group) {
    return new GroupState(
        new Incarnation(1),
        new SubmissionId(UUID.randomUUID()),
        0,
        HelloAnswer.START_FROM_TABLE,
        new Epoch(0),
        new Epoch(0),
        ChainHash.first(table, group),
        Optional.empty());
  }

  private void createTable(String name, TreeMap<ShardId, ShardState> shards) throws Exception {
    TableUuid uuid = new TableUuid(UUID.randomUUID());
    GroupName group = new GroupName("g");
    TableState state =
        new TableState(
            uuid,
            new RoundNumber(1),
            new Term(1),
            new OwnerId(UUID.randomUUID()),
            new PlanId(UUID.randomUUID()),
            1,
            0,
            Optional.empty(),
            Optional.empty(),
            false,
            FileCounts.NONE,
            FileCounts.NONE,
            Instant.EPOCH,
            new TreeMap<>(Map.of(group, groupState(uuid, group))),
            shards,
            new TreeMap<>());
    Catalog catalog =
        CatalogUtil.buildIcebergCatalog(
            "lake",
            Map.of(
                CatalogUtil.ICEBERG_CATALOG_TYPE,
                "hive",
                "uri",
                stack.endpoints().metastoreUri(),
                "warehouse",
                stack.endpoints().warehouse().toString()),
            new Configuration());
    try (AutoCloseable closed = (AutoCloseable) catalog) {
      TableIdentifier table = TableIdentifier.parse(name);
      ((SupportsNamespaces) catalog).createNamespace(table.namespace());
      Schema schema =
          new Schema(
              Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
              Types.NestedField.required(2, "id", Types.IntegerType.get()));
      catalog.createTable(
          table,
          schema,
          PartitionSpec.builderFor(schema).identity("shard_id").bucket("id", 5).build(),
          TableStateCodec.encode(state));
      assertThat(closed).isNotNull();
    }
  }

  private static String extraGroups() {
    return IntStream.range(0, 4)
        .mapToObj(i -> "  h%d: {server-id: {a: %d}}\n".formatted(i, 7000 + i))
        .collect(Collectors.joining());
  }

  @Test
  void noSecretIsPrinted() {
    terminals.forEach(
        (landscape, terminal) ->
            assertThat(terminal.out() + terminal.err())
                .as(landscape)
                .doesNotContain(CANARIES.toArray(String[]::new)));
  }

  private void topics(NewTopic... topics) throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()))) {
      admin.createTopics(List.of(topics)).all().get();
    }
  }

  private String lake() {
    return "{uri: \"%s\", warehouse: \"%s\"}"
        .formatted(stack.endpoints().metastoreUri(), stack.endpoints().warehouse());
  }

  private String kafka(String more) {
    return "{bootstrap-servers: \"%s\"%s}"
        .formatted(stack.endpoints().kafkaBootstrapServers(), more);
  }

  private Path registry(
      String name,
      String catalog,
      String kafka,
      String servers,
      String table,
      String group,
      String shards)
      throws Exception {
    return Files.writeString(
        folder.resolve(name),
        """
        # What is wrong is found in this file.
        catalog: %s
        kafka: %s
        servers:
        %stables:
          %s
        groups:
          %s
        shards:
          - %s
        """
            .formatted(catalog, kafka, servers, table, group, shards));
  }

  private String server(int number, String name, String user, Path password) {
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(number);
    return "  %s: {hostname: %s, port: %d, username: %s, password: {file: %s}}\n"
        .formatted(name, server.host(), server.port(), user, password);
  }

  private Path password(int number) {
    return stack.endpoints().mariaDb(number).cdc().passwordFile();
  }

  private void execute(int number, String... statements) throws Exception {
    try (Connection connection = stack.endpoints().mariaDb(number).connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
