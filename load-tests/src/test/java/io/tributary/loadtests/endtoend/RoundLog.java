package io.tributary.loadtests.endtoend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.tributary.cli.LakeTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A consumer of the status topic that knows nothing but the JSON schema. It reads every message
 * with read_committed as it appears, and looks at that moment whether the snapshot it names can be
 * read.
 */
final class RoundLog implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LakeTable lake;
  private final JsonSchema schema;
  private final KafkaConsumer<String, String> consumer;
  private final Thread thread;
  private volatile boolean stopped;

  // Guarded by this.
  private final List<String> problems = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final Set<String> snapshots = new HashSet<>();
  private long lastRound;
  private long messages;
  private Optional<Instant> validThrough = Optional.empty();

  // Of the reading thread alone.
  private final Set<String> knownFiles = new HashSet<>();

  RoundLog(String bootstrapServers, String topic, LakeTable lake) {
    this.lake = lake;
    this.schema = schema();
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest",
                "allow.auto.create.topics",
                "false",
                "metadata.max.age.ms",
                "500"),
            new StringDeserializer(),
            new StringDeserializer());
    this.thread = new Thread(() -> read(topic), "round-log");
    thread.setDaemon(true);
    thread.start();
  }

  private static JsonSchema schema() {
    try (InputStream text =
        RoundLog.class.getResourceAsStream("/io/tributary/protocol/commit-status.schema.json")) {
      return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(new String(text.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    try {
      while (!stopped && !consumer.listTopics().containsKey(topic)) {
        TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
      }
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (!stopped) {
        for (ConsumerRecord<String, String> found : consumer.poll(POLL)) {
          accept(found.value());
        }
      }
    } catch (WakeupException e) {
      if (!stopped) {
        problem("the consumer ended: " + e);
      }
    } catch (Exception e) {
      problem("the consumer ended: " + e);
    } finally {
      consumer.close();
    }
  }

  private void accept(String json) throws IOException {
    Set<ValidationMessage> faults = schema.validate(json, InputFormat.JSON);
    if (!faults.isEmpty()) {
      problem("a message does not fit the schema: " + faults + ": " + json);
    }
    JsonNode event = JSON.readTree(json);
    JsonNode data = event.get("data");
    long round = data.get("round").asLong();
    Optional<String> snapshot =
        Optional.of(data.get("snapshotId")).filter(id -> !id.isNull()).map(JsonNode::textValue);
    boolean isNew;
    synchronized (this) {
      isNew = snapshot.filter(snapshots::add).isPresent();
    }
    if (isNew) {
      readSnapshot(round, Long.parseLong(snapshot.get()));
    }
    Optional<Instant> through =
        Optional.of(data.get("validThrough"))
            .filter(time -> !time.isNull())
            .map(time -> Instant.parse(time.textValue()));
    synchronized (this) {
      messages++;
      if (!ids.add(event.get("id").textValue())) {
        problems.add("the message of round " + round + " came again");
      }
      if (round != lastRound + 1) {
        problems.add("expected round " + (lastRound + 1) + ", found round " + round);
      }
      lastRound = round;
      if (validThrough.isPresent()
          && (through.isEmpty() || through.get().isBefore(validThrough.get()))) {
        problems.add(
            "round %d: validThrough fell from %s to %s".formatted(round, validThrough, through));
      }
      validThrough = through;
      notifyAll();
    }
  }

  /** Plans a scan of the snapshot; each file that it names must be there. */
  private void readSnapshot(long round, long id) {
    try {
      Table table = lake.load().orElseThrow();
      if (table.snapshot(id) == null) {
        problem("round %d: snapshot %d is not in the table".formatted(round, id));
        return;
      }
      try (CloseableIterable<FileScanTask> tasks = table.newScan().useSnapshot(id).planFiles()) {
        for (FileScanTask task : tasks) {
          checkFile(table, round, task.file().location());
          task.deletes().forEach(file -> checkFile(table, round, file.location()));
        }
      }
    } catch (IOException | RuntimeException e) {
      problem("round %d: snapshot %d cannot be read: %s".formatted(round, id, e));
    }
  }

  private void checkFile(Table table, long round, String location) {
    if (knownFiles.add(location) && !table.io().newInputFile(location).exists()) {
      problem("round %d: file %s is missing".formatted(round, location));
    }
  }

  private synchronized void problem(String text) {
    problems.add(text);
  }

  /** Whatever was not as promised. */
  synchronized List<String> problems() {
    return List.copyOf(problems);
  }

  synchronized long lastRound() {
    return lastRound;
  }

  /** Number of messages. */
  synchronized long messages() {
    return messages;
  }

  /** Number of different snapshots that were announced. */
  synchronized int snapshots() {
    return snapshots.size();
  }

  synchronized Optional<Instant> validThrough() {
    return validThrough;
  }

  @Override
  public void close() {
    stopped = true;
    consumer.wakeup();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    lake.close();
  }
}
