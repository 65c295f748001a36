package io.tributary.coordinator.kafka;

import io.tributary.coordinator.core.Event;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.PublishOutcome;
import io.tributary.coordinator.core.StatusTail;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.TableName;
import io.tributary.protocol.UnreadableMessageException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Writes a table's commit-status messages, each in a transaction of its own, under one
 * transactional id for the table: opening it ends every older producer's transactions, by commit or
 * by abort, before it returns. So what a read_committed reader finds then is final, and nothing can
 * come behind it but this producer's messages.
 *
 * <pre>
 *   CLOSED -- open, answered --> OPEN -- published --> OPEN
 *   CLOSED -- open, not answered --> CLOSED
 *   OPEN -- anything but a confirmed commit --> CLOSED
 * </pre>
 */
public final class StatusTopic implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaClients clients;
  private final TableName table;
  private final String topic;
  private final TopicPartition partition;
  private final Protections protections;
  private Producer<byte[], byte[]> producer;

  /**
   * @param protections all of them, outside tests that show what one of them is for
   */
  public StatusTopic(KafkaClients clients, TableName table, String topic, Protections protections) {
    this.clients = clients;
    this.table = table;
    this.topic = topic;
    this.partition = new TopicPartition(topic, 0);
    this.protections = protections;
  }

  /** The id that fences older coordinators of the same table. */
  static String transactionalId(TableName table) {
    return "tributary-status-" + table;
  }

  private String producerId() {
    return protections.holds(Protection.FENCING)
        ? transactionalId(table)
        : transactionalId(table) + "-" + UUID.randomUUID();
  }

  /**
   * Ends older producers and reads the topic's last message.
   *
   * @throws TopicRefusedException when the broker does not take the settings, or the last message
   *     cannot be understood
   */
  public Event open() {
    close();
    try {
      // Read before the fence, a tail may be followed by a message of the old producer.
      Optional<StatusTail> early =
          protections.holds(Protection.FENCED_BEFORE_TAIL) ? Optional.empty() : readTail();
      producer = clients.producer(producerId());
      producer.initTransactions();
      return new Event.PublisherOpened(
          protections.holds(Protection.FENCED_BEFORE_TAIL) ? readTail() : early);
    } catch (UnreadableMessageException e) {
      close();
      throw new TopicRefusedException(
          "Cannot publish on topic " + topic + ": its last message: " + e.getMessage());
    } catch (InvalidTxnTimeoutException e) {
      close();
      throw new TopicRefusedException(
          "Cannot publish on topic " + topic + ": the broker refuses: " + e.getMessage());
    } catch (KafkaException e) {
      close();
      return new Event.PublisherUnreachable(describe(e));
    }
  }

  /** Sends one message in one transaction. */
  public PublishOutcome publish(CommitStatus status) {
    if (producer == null) {
      return new PublishOutcome.NotConfirmed("the producer is closed");
    }
    try {
      producer.beginTransaction();
      producer.send(record(status));
      producer.commitTransaction();
      return new PublishOutcome.Published();
    } catch (ProducerFencedException | InvalidProducerEpochException e) {
      close();
      return new PublishOutcome.NotConfirmed(describe(e), true);
    } catch (KafkaException e) {
      // Aborting is left to the next open: after a commit without an answer it would be wrong.
      close();
      return new PublishOutcome.NotConfirmed(describe(e));
    }
  }

  private ProducerRecord<byte[], byte[]> record(CommitStatus status) {
    return new ProducerRecord<>(
        topic,
        0,
        null,
        CommitStatusCodec.key(table),
        CommitStatusCodec.encode(status),
        List.of(
            new RecordHeader(
                CommitStatusCodec.CONTENT_TYPE_HEADER,
                CommitStatusCodec.CONTENT_TYPE.getBytes(StandardCharsets.UTF_8))));
  }

  /** The last message below the topic's end; transaction marks take offsets too. */
  private Optional<StatusTail> readTail() {
    try (Consumer<byte[], byte[]> consumer =
        clients.consumer("tributary-coordinator-tail-" + topic)) {
      consumer.assign(List.of(partition));
      long first = consumer.beginningOffsets(List.of(partition)).get(partition);
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      for (long back = 16; end > first; back *= 16) {
        long from = Math.max(first, end - back);
        Optional<StatusTail> tail = lastBetween(consumer, from, end);
        if (tail.isPresent() || from == first) {
          return tail;
        }
      }
      return Optional.empty();
    }
  }

  private Optional<StatusTail> lastBetween(Consumer<byte[], byte[]> consumer, long from, long end) {
    consumer.seek(partition, from);
    ConsumerRecord<byte[], byte[]> last = null;
    long deadline = System.nanoTime() + KafkaClients.CALL_TIMEOUT.toNanos();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
        last = record;
      }
      if (System.nanoTime() > deadline) {
        throw new org.apache.kafka.common.errors.TimeoutException(
            "read topic " + topic + " up to " + consumer.position(partition) + " of " + end);
      }
    }
    return Optional.ofNullable(last)
        .map(record -> CommitStatusCodec.decode(record.value()))
        .map(status -> new StatusTail(status.tableUuid(), status.round(), status.term()));
  }

  private static String describe(KafkaException e) {
    return e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  @Override
  public void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
  }
}
