package io.tributary.coordinator.kafka;

import io.tributary.coordinator.core.TableFindings.ControlRecords;
import io.tributary.coordinator.core.TableFindings.Heard;
import io.tributary.protocol.Committable;
import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.ControlMessageCodec;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Hello;
import io.tributary.protocol.UnreadableMessageException;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Everything that a control topic holds at one moment.
 *
 * @param records how far it goes, and the highest numbers of each group
 * @param hellos each group's last hello that is still there
 */
public record ControlTopicScan(ControlRecords records, SortedMap<GroupName, Hello> hellos) {
  private static final Duration POLL = Duration.ofMillis(200);

  /**
   * Reads the topic from its first record to its end. Records that cannot be read are passed over:
   * what they say counts nowhere.
   *
   * @throws KafkaUnreachableException when Kafka does not answer in 30 s
   */
  public static ControlTopicScan of(KafkaClients clients, String topic) {
    try (Consumer<byte[], byte[]> consumer = clients.consumer("tributary-operator-" + topic)) {
      return of(consumer, topic);
    } catch (KafkaException e) {
      throw new KafkaUnreachableException(
          "Cannot read topic %s: %s: %s"
              .formatted(topic, e.getClass().getSimpleName(), e.getMessage()),
          e);
    }
  }

  static ControlTopicScan of(Consumer<byte[], byte[]> consumer, String topic) {
    TopicPartition partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    long begun = System.nanoTime();
    while (true) {
      try {
        return read(consumer, partition);
      } catch (OffsetOutOfRangeException e) {
        // A coordinator deletes what the table has handled; the topic goes on behind that.
        if (System.nanoTime() - begun > KafkaClients.CALL_TIMEOUT.toNanos()) {
          throw e;
        }
      }
    }
  }

  private static ControlTopicScan read(
      Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    SortedMap<GroupName, Heard> groups = new TreeMap<>();
    SortedMap<GroupName, Hello> hellos = new TreeMap<>();
    long first = consumer.beginningOffsets(List.of(partition)).get(partition);
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    consumer.seek(partition, first);
    long answered = System.nanoTime();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
        answered = System.nanoTime();
        take(record.value(), groups, hellos);
      }
      if (System.nanoTime() - answered > KafkaClients.CALL_TIMEOUT.toNanos()) {
        throw new KafkaUnreachableException(
            "Cannot read topic %s: expected records up to offset %d, found none behind %d"
                .formatted(partition.topic(), end, consumer.position(partition)),
            null);
      }
    }
    return new ControlTopicScan(new ControlRecords(first, end, groups), hellos);
  }

  private static void take(
      byte[] value, SortedMap<GroupName, Heard> groups, SortedMap<GroupName, Hello> hellos) {
    if (value == null) {
      return;
    }
    ControlMessage message;
    try {
      message = ControlMessageCodec.decode(value);
    } catch (UnreadableMessageException e) {
      return;
    }
    long epoch = message instanceof Committable committable ? committable.epoch().value() : 0;
    groups.merge(message.group(), new Heard(message.incarnation().value(), epoch), Heard::and);
    if (message instanceof Hello hello) {
      hellos.put(hello.group(), hello);
    }
  }
}
