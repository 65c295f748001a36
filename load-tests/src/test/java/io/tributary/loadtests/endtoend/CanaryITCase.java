package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tributary.cli.demo.workload.ProductLoader;
import io.tributary.localstack.LocalStack;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.GroupName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every secret that is given to the jobs is a text of its own. They run, lose their login, are
 * killed and are given wrong registries; then everything is searched for these texts.
 */
@ExtendWith(SharedStack.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CanaryITCase {
  private static final GroupName GROUP = new GroupName("only");
  private static final String USER = "canary_reader";

  // Parts of words, put together here only: this class itself is no finding.
  private static final String PASSWORD = canary("Login");
  private static final String WRONG = canary("Wrong");
  private static final String CHANGED = canary("Changed");
  private static final String JAAS = canary("Jaas");
  private static final String IN_URL = canary("Url");
  private static final String CATALOG = canary("Catalog");
  private static final String PASTED = canary("Pasted");
  private static final Set<String> ALL =
      Set.of(PASSWORD, WRONG, CHANGED, JAAS, IN_URL, CATALOG, PASTED);

  /** The only place that may hold them; not in the stack's folder. */
  private static final Path SECRETS = Path.of("target", "canaries").toAbsolutePath();

  private static final Path OUTPUTS = Path.of("target", "canary-output");

  private final LocalStack stack;
  private Pipeline pipeline;

  CanaryITCase(LocalStack stack) {
    this.stack = stack;
  }

  private static String canary(String what) {
    return "Kanarie" + what + Long.toHexString(System.nanoTime());
  }

  @BeforeAll
  void start() throws Exception {
    Files.createDirectories(SECRETS);
    secret(
        "jaas",
        "org.apache.kafka.common.security.plain.PlainLoginModule required"
            + " username=\"tributary\" password=\""
            + JAAS
            + "\";");
    secret("url", IN_URL);
    secret("catalog", CATALOG);
    Landscape landscape =
        Landscape.of(stack.endpoints(), "e2e_canary", List.of("only"), 1)
            .withAccess(access(secret("password", PASSWORD)));
    login("CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s'".formatted(USER, PASSWORD));
    login("ALTER USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(USER, PASSWORD));
    login(
        "GRANT SELECT, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '%s'@'%%'"
            .formatted(USER));
    ProductLoader loader = new ProductLoader(landscape.shards(), 5);
    loader.createTables();
    loader.load(500, rows -> {});
    pipeline = new Pipeline(stack, landscape);
    pipeline.submitCoordinator();
    pipeline.submit(GROUP);
  }

  @AfterAll
  void close() throws Exception {
    if (pipeline != null) {
      pipeline.close();
    }
    login("DROP USER IF EXISTS '%s'@'%%'".formatted(USER));
  }

  private static Landscape.Access access(Path passwordFile) {
    return new Landscape.Access(
        USER,
        passwordFile,
        "  properties:\n    s3.secret-access-key: {file: %s}\n"
            .formatted(SECRETS.resolve("catalog")),
        "  properties:\n    sasl.jaas.config: {file: %s}\n".formatted(SECRETS.resolve("jaas")),
        "    jdbc-properties:\n      trustCertificateKeyStorePassword: {file: %s}\n"
            .formatted(SECRETS.resolve("url")));
  }

  private static Path secret(String name, String text) throws IOException {
    return Files.writeString(SECRETS.resolve(name), text);
  }

  /** Not in the binlog, which keeps statements as they are written. */
  private void login(String statement) throws SQLException {
    try (Connection connection = stack.endpoints().mariaDb(1).connect();
        Statement session = connection.createStatement()) {
      session.execute("SET SESSION sql_log_bin = 0");
      session.execute(statement);
    }
  }

  @Test
  @Order(1)
  void theJobsRunWithTheirSecrets() {
    pipeline.awaitWatermark(Instant.now());
  }

  @Test
  @Order(2)
  void aWrongLoginIsRefusedAtSubmission() throws Exception {
    Landscape wrong =
        Landscape.of(stack.endpoints(), "e2e_canary_wrong", List.of("only"), 1)
            .withAccess(access(secret("wrong", WRONG)));
    Throwable refusal;
    try (Pipeline second = new Pipeline(stack, wrong)) {
      refusal = catchThrowable(() -> second.launch(GROUP));
    }
    assertThat(refusal)
        .isInstanceOf(LocalStackException.class)
        .hasMessageContaining("Access denied for user '" + USER);
    assertClean(refusal.getMessage());
  }

  @Test
  @Order(3)
  void aLoginThatIsRefusedLaterRestartsTheJobUntilItsPasswordIsRight() throws Exception {
    login("ALTER USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(USER, CHANGED));
    stack.process(pipeline.taskManagerOf(GROUP.value())).kill9();
    pipeline.await(
        "the refused login",
        () ->
            stack.flinkRest().exceptions(pipeline.job(GROUP)).stream()
                .anyMatch(trace -> trace.contains("Access denied for user '" + USER)));
    secret("password", CHANGED);
    pipeline.awaitWatermark(Instant.now());
  }

  @Test
  @Order(4)
  void wrongRegistriesAreRefusedWithoutRepeatingWhatWasPasted() throws Exception {
    String right = pipeline.landscape().yaml();
    List<String> wrong =
        List.of(
            right.replaceFirst("password: \\{file: [^}]*}", "password: " + PASTED),
            right.replaceFirst("password: \\{file: [^}]*}", "password: \"" + PASTED),
            right.replaceFirst("uri: thrift://", "uri: thrift://user:" + PASTED + "@"),
            right.replaceFirst("hostname: ", "hostname: x: " + PASTED + " "),
            right.replaceFirst("sasl.jaas.config: \\{file: [^}]*}", "sasl.jaas.config: " + PASTED));
    for (int i = 0; i < wrong.size(); i++) {
      Path file = Files.writeString(SECRETS.resolve("wrong-" + i + ".yaml"), wrong.get(i));
      assertThat(wrong.get(i)).contains(PASTED);
      try (CommandLine validate =
          CommandLine.start(
              OUTPUTS.resolve("validate-" + i + ".txt"),
              List.of("registry", "validate", "--debug", file.toString()))) {
        assertThat(validate.await(5)).as(validate.output()).isEqualTo(1);
        assertThat(validate.output()).contains("Cannot use", file.getFileName().toString());
        assertClean(validate.output());
      }
    }
    // Flink's own command line prints what a job's main throws, and logs it.
    Throwable refusal =
        catchThrowable(
            () ->
                stack
                    .flinkCli()
                    .run(
                        io.tributary.cli.JobJar.ingest().jar(),
                        io.tributary.cli.JobJar.ingest().mainClass(),
                        List.of(
                            "--registry-file",
                            SECRETS.resolve("wrong-0.yaml").toString(),
                            "--group",
                            "only")));
    assertThat(refusal).isInstanceOf(LocalStackException.class).hasMessageContaining("Cannot use");
    assertClean(refusal.getMessage());
  }

  @Test
  @Order(5)
  void noneIsFoundAnywhere() throws Exception {
    Canaries search = new Canaries(stack, ALL);
    assertThat(search.everywhere(pipeline.table())).isEmpty();
    System.out.println("Searched: " + search.looked());
    assertThat(search.looked())
        .containsOnlyKeys("file", "kafka", "process", "rest", "table", "zookeeper");
    try (var outputs = Files.list(OUTPUTS)) {
      for (Path output : outputs.toList()) {
        assertClean(Files.readString(output));
      }
    }
    Path log = CommandLine.checkout().resolve("cli/target/tributary.log");
    if (Files.exists(log)) {
      assertClean(Files.readString(log));
    }
  }

  @Test
  @Order(6)
  void theSearchFindsWhatIsThere() throws Exception {
    String planted = canary("Planted");
    Path file = stack.logs().resolve("planted.log");
    Files.writeString(file, "password=" + planted);
    String node = "/planted";
    String topic = "planted";
    try (CuratorFramework client =
            CuratorFrameworkFactory.newClient(
                stack.endpoints().zooKeeper(), new RetryNTimes(5, 1_000));
        Admin admin =
            Admin.create(Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()))) {
      client.start();
      client.create().forPath(node, planted.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(
              Map.of(
                  "bootstrap.servers",
                  stack.endpoints().kafkaBootstrapServers(),
                  "compression.type",
                  "gzip"),
              new StringSerializer(),
              new StringSerializer())) {
        producer.send(new ProducerRecord<>(topic, "key", "value " + planted)).get();
      }
      Process process = new ProcessBuilder("sh", "-c", "read line; exit", planted).start();
      try {
        Canaries search = new Canaries(stack, Set.of(planted));
        assertThat(search.everywhere(pipeline.table()))
            .anyMatch(found -> found.startsWith("file " + file))
            .anyMatch(found -> found.startsWith("zookeeper /planted"))
            .anyMatch(found -> found.startsWith("kafka planted-0"))
            .anyMatch(found -> found.startsWith("process " + process.pid()))
            // The web UI shows the log folder of the processes.
            .anyMatch(found -> found.startsWith("rest /jobmanager/logs/planted.log"));
      } finally {
        process.destroy();
        client.delete().forPath(node);
        admin.deleteTopics(List.of(topic)).all().get();
        Files.delete(file);
      }
    }
  }

  private static void assertClean(String text) {
    for (String canary : ALL) {
      assertThat(text.contains(canary)).as("a secret is printed").isFalse();
    }
  }
}
