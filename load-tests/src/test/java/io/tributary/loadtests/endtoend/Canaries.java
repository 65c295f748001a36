package io.tributary.loadtests.endtoend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.localstack.LiveFiles;
import io.tributary.localstack.LocalStack;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.zookeeper.KeeperException;

/** Looks for texts everywhere a running stack keeps, shows or passes on anything. */
final class Canaries {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalStack stack;
  private final Set<String> texts;
  private final Set<String> found = new LinkedHashSet<>();
  private final Map<String, Long> looked = new java.util.TreeMap<>();

  Canaries(LocalStack stack, Set<String> texts) {
    this.stack = stack;
    this.texts = Set.copyOf(texts);
  }

  /** Where the texts were found, in all places. */
  Set<String> everywhere(Table table) throws Exception {
    files();
    rest();
    kafka();
    zooKeeper();
    table(table);
    processes();
    return found;
  }

  /** How much was looked at, by kind of place. */
  Map<String, Long> looked() {
    return looked;
  }

  private void look(String kind, String place, byte[] bytes) {
    // One char per byte: ASCII texts are found in any binary form around them.
    look(kind, place, new String(bytes, StandardCharsets.ISO_8859_1));
  }

  private void look(String kind, String place, String content) {
    looked.merge(kind, 1L, Long::sum);
    for (String text : texts) {
      if (content.contains(text)) {
        found.add(kind + " " + place + ": " + text);
      }
    }
  }

  /** Logs, what programs printed, checkpoints, HA storage, topics, databases, tables, settings. */
  void files() throws IOException {
    for (Path file : LiveFiles.below(stack.folder())) {
      byte[] bytes = LiveFiles.content(file).orElse(new byte[0]);
      look("file", file.toString(), bytes);
      if (bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b) {
        try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
          look("file", file + " (unpacked)", unpacked.readAllBytes());
        } catch (EOFException e) {
          // Still being written; the next one written is looked at whole.
          continue;
        }
      }
    }
  }

  /** Every resource of Flink's REST API that shows a cluster, a job or a process. */
  void rest() throws IOException, InterruptedException {
    for (String path :
        List.of(
            "/config",
            "/overview",
            "/jobs",
            "/jobs/metrics",
            "/jars",
            "/datasets",
            "/jobmanager/config",
            "/jobmanager/environment",
            "/jobmanager/log",
            "/jobmanager/stdout",
            "/jobmanager/thread-dump",
            "/jobmanager/metrics")) {
      resource(path);
    }
    for (JsonNode log : JSON.readTree(resource("/jobmanager/logs")).path("logs")) {
      resource("/jobmanager/logs/" + log.path("name").asText());
    }
    for (JsonNode one : JSON.readTree(resource("/taskmanagers")).path("taskmanagers")) {
      String manager = "/taskmanagers/" + one.path("id").asText();
      for (String part : List.of("", "/log", "/stdout", "/thread-dump", "/metrics")) {
        resource(manager + part);
      }
      for (JsonNode log : JSON.readTree(resource(manager + "/logs")).path("logs")) {
        resource(manager + "/logs/" + log.path("name").asText());
      }
    }
    for (JsonNode one : JSON.readTree(resource("/jobs/overview")).path("jobs")) {
      String job = "/jobs/" + one.path("jid").asText();
      for (String part :
          List.of(
              "/config",
              "/exceptions?maxExceptions=100",
              "/plan",
              "/checkpoints",
              "/checkpoints/config",
              "/accumulators?includeSerializedValue=true",
              "/execution-result",
              "/status",
              "/resource-requirements",
              "/metrics",
              "/jobmanager/environment",
              "/jobmanager/config")) {
        resource(job + part);
      }
      for (JsonNode checkpoint : JSON.readTree(resource(job + "/checkpoints")).path("history")) {
        resource(job + "/checkpoints/details/" + checkpoint.path("id").asText());
      }
      for (JsonNode vertex : JSON.readTree(resource(job)).path("vertices")) {
        String place = job + "/vertices/" + vertex.path("id").asText();
        for (String part :
            List.of(
                "",
                "/accumulators",
                "/subtasktimes",
                "/taskmanagers",
                "/watermarks",
                "/subtasks/accumulators",
                "/subtasks/0",
                "/metrics")) {
          resource(place + part);
        }
      }
    }
  }

  /** What is not there for a job in its state is answered with an error, which is looked at too. */
  private String resource(String path) throws IOException, InterruptedException {
    URI uri = URI.create(stack.endpoints().flink().webUi() + path);
    HttpResponse<byte[]> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(),
                HttpResponse.BodyHandlers.ofByteArray());
    look("rest", path, response.body());
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  /** All records of all topics, Kafka's own included. */
  void kafka() {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", stack.endpoints().kafkaBootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      consumer
          .listTopics()
          .forEach(
              (topic, all) ->
                  all.forEach(one -> partitions.add(new TopicPartition(topic, one.partition()))));
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          String place = record.topic() + "-" + record.partition() + "@" + record.offset();
          if (record.key() != null) {
            look("kafka", place, record.key());
          }
          if (record.value() != null) {
            look("kafka", place, record.value());
          }
          for (Header header : record.headers()) {
            look("kafka", place, header.value());
          }
        }
      }
    }
  }

  /** The whole tree. */
  void zooKeeper() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            stack.endpoints().zooKeeper(), new RetryNTimes(5, 1_000))) {
      client.start();
      List<String> open = new ArrayList<>(List.of("/"));
      while (!open.isEmpty()) {
        String node = open.remove(open.size() - 1);
        try {
          look("zookeeper", node, node);
          byte[] data = client.getData().forPath(node);
          if (data != null) {
            look("zookeeper", node, data);
          }
          for (String child : client.getChildren().forPath(node)) {
            open.add(node.equals("/") ? "/" + child : node + "/" + child);
          }
        } catch (KeeperException.NoNodeException e) {
          // The stack runs: nodes come and go.
          continue;
        }
      }
    }
  }

  /** Properties of the table and summaries of all its snapshots. */
  void table(Table table) {
    look("table", table.name(), table.properties().toString());
    for (Snapshot snapshot : table.snapshots()) {
      look("table", "snapshot " + snapshot.snapshotId(), snapshot.summary().toString());
    }
  }

  /** Arguments of all processes of the machine. */
  void processes() {
    Processes.commandLinesWith("")
        .forEach(line -> look("process", line.substring(0, line.indexOf(' ')), line));
  }
}
