package io.tributary.localstack;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** One Kafka broker that is its own controller; transactions on, no topics by accident. */
final class KafkaService {

  static final String NAME = "kafka";

  /** Port of the listener whose clients are told to connect to the proxy's port. */
  static final String PROXIED = NAME + "-proxied";

  /** Port at which a proxy may be opened; nobody listens there otherwise. */
  static final String PROXY = NAME + "-proxy";

  private static final int MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
  private static final int UUID_BYTES = 16;

  private final StackFolder folder;
  private final Installation installation;
  private final boolean recordClasses;
  private final int port;
  private final int controllerPort;
  private final int proxiedPort;
  private final int proxyPort;

  KafkaService(StackFolder folder, Installation installation, boolean recordClasses, Ports ports) {
    this.folder = folder;
    this.installation = installation;
    this.recordClasses = recordClasses;
    this.port = ports.port(NAME);
    this.controllerPort = ports.port(NAME + "-controller");
    this.proxiedPort = ports.port(PROXIED);
    this.proxyPort = ports.port(PROXY);
  }

  String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  ServiceSpec spec(Path logging, SecureRandom random) {
    Path properties = folder.conf().resolve("kafka.properties");
    StackFolder.write(properties, properties());
    Path log = folder.log(NAME + ".log");
    ByteBuffer id = ByteBuffer.allocate(UUID_BYTES);
    id.putLong(random.nextLong()).putLong(random.nextLong());
    ClassArchive archive =
        installation.archive(
            NAME, installation.serviceJars(), Integer.toString(port), recordClasses);
    List<String> command =
        new JavaCommand()
            .options(archive.javaOptions())
            .option("-Xmx384m")
            .option("-XX:+UseSerialGC")
            .quickStart()
            .option("-XX:-UsePerfData")
            .temporaryFilesIn(folder)
            .option("-Dlog4j2.configurationFile=" + logging.toUri())
            .jars(installation.serviceJars())
            .main(
                "io.tributary.localstack.server.KafkaMain",
                properties.toString(),
                folder.data(NAME).toString(),
                Base64.getUrlEncoder().withoutPadding().encodeToString(id.array()));
    return new ServiceSpec(
        NAME,
        command,
        Map.of(),
        folder.root(),
        log,
        List.of(log),
        Duration.ofSeconds(5),
        this::answers,
        Optional.of(archive).filter(ClassArchive::records));
  }

  private boolean answers() throws Exception {
    Properties properties = new Properties();
    properties.setProperty(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    properties.setProperty(AdminClientConfig.RETRIES_CONFIG, "0");
    if (!Sockets.accepts(port)) {
      return false;
    }
    try (Admin admin = Admin.create(properties)) {
      return !admin.describeCluster().nodes().get(10, TimeUnit.SECONDS).isEmpty();
    }
  }

  private String properties() {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,PROXIED://127.0.0.1:%5$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d,PROXIED://127.0.0.1:%6$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT
        controller.listener.names=CONTROLLER
        inter.broker.listener.name=PLAINTEXT
        log.dirs=%3$s
        num.partitions=1
        auto.create.topics.enable=false
        message.max.bytes=%4$d
        replica.fetch.max.bytes=%4$d
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=4
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        transaction.state.log.num.partitions=4
        group.initial.rebalance.delay.ms=0
        log.cleaner.dedupe.buffer.size=8388608
        """
        .formatted(
            port, controllerPort, folder.data(NAME), MAX_MESSAGE_BYTES, proxiedPort, proxyPort);
  }
}
