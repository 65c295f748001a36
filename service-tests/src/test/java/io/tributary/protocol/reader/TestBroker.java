package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.TopicNames;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/** A real Kafka broker in this process, on free ports, with its data in a folder of the test. */
final class TestBroker implements AutoCloseable {
  private final KafkaRaftServer server;
  private final String bootstrapServers;
  private final Admin admin;

  TestBroker(Path folder) throws IOException {
    int port = freePort();
    int controllerPort = freePort();
    Properties properties = new Properties();
    properties.putAll(
        Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", "1"),
            Map.entry("controller.quorum.voters", "1@127.0.0.1:" + controllerPort),
            Map.entry(
                "listeners",
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort),
            Map.entry("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry("inter.broker.listener.name", "PLAINTEXT"),
            Map.entry("log.dirs", folder.resolve("data").toString()),
            Map.entry("auto.create.topics.enable", "true"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "1"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("transaction.state.log.num.partitions", "1"),
            Map.entry("log.cleaner.dedupe.buffer.size", "8388608")));
    Path config = folder.resolve("kafka.properties");
    Files.createDirectories(folder);
    try (var out = Files.newOutputStream(config)) {
      properties.store(out, null);
    }
    int code =
        StorageTool.execute(
            new String[] {
              "format", "--config", config.toString(), "--cluster-id", Uuid.randomUuid().toString()
            },
            new PrintStream(java.io.OutputStream.nullOutputStream()));
    if (code != 0) {
      throw new IllegalStateException("Cannot format Kafka's folder: expected 0, found " + code);
    }
    server = new KafkaRaftServer(KafkaConfig.fromProps(properties), Time.SYSTEM);
    server.startup();
    bootstrapServers = "127.0.0.1:" + port;
    admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
  }

  String bootstrapServers() {
    return bootstrapServers;
  }

  Map<String, Object> readerSettings() {
    return Map.of("bootstrap.servers", bootstrapServers);
  }

  Admin admin() {
    return admin;
  }

  void createTopic(String topic, int partitions) {
    try {
      admin
          .createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty())))
          .all()
          .get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A producer that publishes as the coordinator does: one transaction for each message. */
  Publisher publisher(String transactionalId) {
    return new Publisher(transactionalId);
  }

  @Override
  public void close() {
    admin.close();
    server.shutdown();
    server.awaitShutdown();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  final class Publisher implements AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;

    private Publisher(String transactionalId) {
      producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", bootstrapServers, "transactional.id", transactionalId),
              new ByteArraySerializer(),
              new ByteArraySerializer());
      producer.initTransactions();
    }

    /** Returns once the transaction is committed. */
    Publisher commit(CommitStatus... statuses) {
      write(statuses);
      producer.commitTransaction();
      return this;
    }

    Publisher abort(CommitStatus... statuses) {
      write(statuses);
      producer.abortTransaction();
      return this;
    }

    /** Leaves a transaction open, its messages on the broker. */
    Publisher leaveOpen(CommitStatus... statuses) {
      write(statuses);
      return this;
    }

    void commitOpen() {
      producer.commitTransaction();
    }

    void commitBytes(String topic, byte[] value) {
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, null, value));
      producer.commitTransaction();
    }

    private void write(CommitStatus... statuses) {
      producer.beginTransaction();
      for (CommitStatus status : statuses) {
        producer.send(
            new ProducerRecord<>(
                TopicNames.status(status.table()),
                0,
                CommitStatusCodec.key(status.table()),
                CommitStatusCodec.encode(status)));
      }
      producer.flush();
    }

    @Override
    public void close() {
      producer.close(java.time.Duration.ofMillis(500));
    }
  }
}
