package io.tributary.localstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.localstack.testjob.CountingJob;
import io.tributary.localstack.testjob.IcebergProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One whole stack, and every service of it put to use. */
class LocalStackITCase {

  private static final Path FOLDER = TestProcesses.folder("whole");
  private static final Duration LONG = Duration.ofMinutes(3);
  private static LocalStack stack;

  @BeforeAll
  static void start() {
    stack =
        LocalStack.start(
            LocalStackConfig.in(FOLDER).withWipe(true).withRecordClasses(ClassRecording.SERVICES),
            System.out::println);
  }

  @AfterAll
  static void close() throws Exception {
    if (stack != null) {
      stack.close();
    }
    assertThat(TestProcesses.commandLinesNaming(FOLDER)).isEmpty();
  }

  @Test
  void everyMariaDbServerHasARowBinlogAndAnIdOfItsOwn() throws Exception {
    for (StackEndpoints.MariaDb server : stack.endpoints().mariaDb()) {
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE IF NOT EXISTS shop");
        statement.execute(
            "CREATE OR REPLACE TABLE shop.words (id INT PRIMARY KEY, word VARCHAR(50))");
        statement.execute("INSERT INTO shop.words VALUES (1, '상품 \uD83C\uDF81')");
        assertThat(text(statement, "SELECT word FROM shop.words")).isEqualTo("상품 \uD83C\uDF81");
        assertThat(text(statement, "SELECT @@log_bin")).isEqualTo("1");
        assertThat(text(statement, "SELECT @@binlog_format")).isEqualTo("ROW");
        assertThat(text(statement, "SELECT @@binlog_row_image")).isEqualTo("FULL");
        assertThat(text(statement, "SELECT @@server_id"))
            .isEqualTo(Integer.toString(server.serverId()));
        assertThat(text(statement, "SELECT @@character_set_server")).isEqualTo("utf8mb4");
      }
    }
    assertThat(stack.endpoints().mariaDb())
        .extracting(StackEndpoints.MariaDb::serverId)
        .doesNotHaveDuplicates();
  }

  @Test
  void theCdcUserMayReadTablesAndTheBinlogPositionButNotWrite() throws Exception {
    StackEndpoints.MariaDb server = stack.endpoints().mariaDb(1);
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE IF NOT EXISTS shop");
      statement.execute("CREATE TABLE IF NOT EXISTS shop.cdc (id INT PRIMARY KEY)");
    }
    try (Connection connection = server.connect(server.cdc());
        Statement statement = connection.createStatement()) {
      assertThat(text(statement, "SHOW MASTER STATUS")).startsWith("binlog.");
      assertThat(text(statement, "SELECT COUNT(*) FROM shop.cdc")).isEqualTo("0");
      assertThatThrownBy(() -> statement.execute("INSERT INTO shop.cdc VALUES (1)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("denied");
    }
  }

  @Test
  void aKafkaTransactionShowsAllOrNothing() throws Exception {
    String servers = stack.endpoints().kafkaBootstrapServers();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.createTopics(List.of(new NewTopic("words", 1, (short) 1))).all().get();
    }
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                servers,
                "transactional.id",
                "words",
                "max.request.size",
                8 * 1024 * 1024),
            new StringSerializer(),
            new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("words", "dropped"));
      producer.flush();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>("words", "x".repeat(7 * 1024 * 1024)));
      producer.commitTransaction();
      assertThatThrownBy(() -> producer.partitionsFor("made by accident"))
          .isInstanceOf(Exception.class);
    }
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("words", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                records.addAll(consumer.poll(Duration.ofMillis(200)).records(partition));
                return consumer.position(partition)
                    >= consumer.endOffsets(List.of(partition)).get(partition);
              });
      assertThat(records).extracting(record -> record.value().length()).containsExactly(7 << 20);
    }
  }

  @Test
  void zooKeeperKeepsANode() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(stack.endpoints().zooKeeper(), new RetryOneTime(1_000))) {
      client.start();
      client.create().creatingParentsIfNeeded().forPath("/probe/node", new byte[] {1});
      assertThat(client.getData().forPath("/probe/node")).containsExactly(1);
    }
  }

  @Test
  void icebergCommitsWithoutLocksThroughTheMetastoreWithTheClustersJarsAlone() throws Exception {
    Path jar = TestProcesses.jar(FOLDER.resolve("probe.jar"), IcebergProbe.class);
    Path output = FOLDER.resolve("probe.out");
    Process probe =
        new ProcessBuilder(
                new JavaCommand()
                    .option("-XX:TieredStopAtLevel=1")
                    .options(FlinkService.JAVA_OPTIONS)
                    .classes(jar)
                    .jars(JavaCommand.jarsIn(stack.endpoints().flink().lib()))
                    .main(
                        IcebergProbe.class.getName(),
                        stack.endpoints().metastoreUri(),
                        stack.endpoints().warehouse().toString(),
                        "items"))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(probe.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(output)).contains("probe passed: ");
    assertThat(probe.exitValue()).isZero();
  }

  // The end-to-end tests do the same to jobs of ours.
  @Tag("long")
  @Test
  void aJobSurvivesTheKillOfItsTaskManagerAndOfTheJobManager() throws Exception {
    Path jar = TestProcesses.jar(FOLDER.resolve("counting.jar"), CountingJob.class);
    FlinkRest rest = stack.flinkRest();
    assertThat(rest.taskManagers())
        .isEqualTo(Set.of("taskmanager-1", "taskmanager-2", "taskmanager-3"));

    String job = stack.flinkCli().run(jar, CountingJob.class.getName(), List.of());
    awaitCheckpoints(rest, job, 1);
    String host = rest.taskManagersOf(job).iterator().next();
    long killedPid = stack.process(host).pid();
    stack.process(host).kill9();
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> rest.checkpoints(job).restored() >= 1 && isRunning(rest, job));
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> rest.taskManagers().contains(host) && stack.process(host).pid() != killedPid);

    long killedJobManager = stack.process("jobmanager").pid();
    stack.process("jobmanager").kill9();
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(
            () ->
                stack.process("jobmanager").pid() != killedJobManager
                    && rest.isUp()
                    && isRunning(rest, job));
    awaitCheckpoints(rest, job, 1);

    String savepoint = stack.flinkCli().stopWithSavepoint(job);
    await().atMost(LONG).until(() -> rest.jobState(job), state -> state.equals("FINISHED"));
    String again = stack.flinkCli().runFrom(savepoint, jar, CountingJob.class.getName(), List.of());
    awaitCheckpoints(rest, again, 1);
    assertThat(rest.checkpoints(again).restored()).isEqualTo(1);
    assertThat(stack.flinkCli().list()).contains(again);
    stack.flinkCli().cancel(again);
    await().atMost(LONG).until(() -> rest.jobState(again), state -> state.equals("CANCELED"));
  }

  private static void awaitCheckpoints(FlinkRest rest, String job, long atLeast) {
    await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> rest.checkpoints(job).completed() >= atLeast);
  }

  private static boolean isRunning(FlinkRest rest, String job) {
    return rest.jobState(job).equals("RUNNING") && !rest.taskManagersOf(job).isEmpty();
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return result.getString(1);
    }
  }
}
