package io.tributary.coordinator.kafka;

import io.tributary.coordinator.core.Event;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.UnreadableMessageException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Reads a table's control topic from the offset that the table names: no consumer group, no
 * committed offsets, no reset. Not safe for several threads, apart from {@link #wakeup()}.
 */
public final class ControlTopic implements AutoCloseable {
  private final KafkaClients clients;
  private final String topic;
  private final TopicPartition partition;
  private Consumer<byte[], byte[]> consumer;
  private volatile Consumer<byte[], byte[]> toWake;

  /** From where reading is to begin, until it has begun. */
  private Optional<OptionalLong> pendingSeek = Optional.empty();

  private long endAtSeek;

  public ControlTopic(KafkaClients clients, String topic) {
    this.clients = clients;
    this.topic = topic;
    this.partition = new TopicPartition(topic, 0);
  }

  /**
   * Reads on from this offset, or from the topic's first record; takes effect with the next poll.
   */
  public void readFrom(OptionalLong offset) {
    pendingSeek = Optional.of(offset);
  }

  /** Whether reading was asked for. */
  public boolean isReading() {
    return consumer != null || pendingSeek.isPresent();
  }

  /**
   * What the topic brings within the time: records in order, and last {@link Event.EndOfTopic} when
   * there is nothing behind them.
   *
   * @throws TopicRefusedException when records that are needed are no longer there
   * @throws KafkaUnreachableException when Kafka does not answer; polled again, nothing is lost
   */
  public List<Event> poll(Duration timeout) {
    try {
      if (consumer == null) {
        consumer = clients.consumer("tributary-coordinator-" + topic);
        consumer.assign(List.of(partition));
        toWake = consumer;
      }
      if (pendingSeek.isPresent()) {
        seek(pendingSeek.get());
        pendingSeek = Optional.empty();
      }
      List<Event> events = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout).records(partition)) {
        events.add(decode(record));
      }
      OptionalLong lag = consumer.currentLag(partition);
      if (lag.isPresent() && lag.getAsLong() == 0) {
        long position = consumer.position(partition);
        // Right after a seek the consumer may still know an older end.
        if (position >= endAtSeek) {
          events.add(new Event.EndOfTopic(position));
        }
      }
      return events;
    } catch (WakeupException e) {
      return List.of();
    } catch (OffsetOutOfRangeException e) {
      throw new TopicRefusedException(
          "Cannot read topic %s on: expected its records to be kept, found that they were deleted while reading: %s; somebody changed its retention or deleted the topic; cure: start the coordinator again, which says what is missing"
              .formatted(topic, e.getMessage()));
    } catch (InterruptException e) {
      throw new KafkaUnreachableException("Cannot read topic " + topic + ": interrupted", e);
    } catch (KafkaException e) {
      throw new KafkaUnreachableException(
          "Cannot read topic "
              + topic
              + ": "
              + e.getClass().getSimpleName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private void seek(OptionalLong wanted) {
    long first = consumer.beginningOffsets(List.of(partition)).get(partition);
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    long from = wanted.orElse(first);
    if (from < first) {
      throw new TopicRefusedException(
          "Cannot read topic %s from offset %d, which the table names: expected its records to be kept, found %d as the first; records below it are gone and may have been needed; cure: accept the loss, and start the groups anew from the table: tributary accept TABLE"
              .formatted(topic, from, first));
    }
    if (from > end) {
      throw new TopicRefusedException(
          "Cannot read topic %s from offset %d, which the table names: expected that many records, found the end at %d; the topic was deleted and created again, or lost records; cure: accept the topic, and start the groups anew from the table: tributary accept TABLE"
              .formatted(topic, from, end));
    }
    consumer.seek(partition, from);
    endAtSeek = end;
  }

  private static Event decode(ConsumerRecord<byte[], byte[]> record) {
    try {
      if (record.value() == null) {
        throw new UnreadableMessageException("Cannot read a control message: found no bytes");
      }
      return Event.Record.of(record.offset(), ControlMessageCodec.decode(record.value()));
    } catch (UnreadableMessageException e) {
      return new Event.UnreadableRecord(record.offset(), group(record.key()), e.getMessage());
    }
  }

  private static Optional<GroupName> group(byte[] key) {
    try {
      return key == null
          ? Optional.empty()
          : Optional.of(new GroupName(new String(key, StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Makes a running poll return at once; for any thread. */
  public void wakeup() {
    Consumer<byte[], byte[]> running = toWake;
    if (running != null) {
      running.wakeup();
    }
  }

  @Override
  public void close() {
    toWake = null;
    if (consumer != null) {
      consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(5)));
      consumer = null;
    }
  }
}
