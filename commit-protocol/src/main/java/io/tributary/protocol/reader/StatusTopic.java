package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.CommitStatusCodec;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableName;
import io.tributary.protocol.UnreadableMessageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * One table's status topic as a committed reader sees it. Offsets are not counts here: each
 * transaction leaves a marker that takes an offset, so do the messages of aborted ones, and what an
 * open transaction has written lies beyond the end. So "the end" is the last stable offset, and the
 * last message is looked for backwards from it.
 *
 * <p>Used by one thread at a time; only {@link #wakeup} may come from another.
 */
final class StatusTopic implements AutoCloseable {
  /** A message and where it lies. */
  record Entry(CommitStatus status, long offset) {}

  /** Enough for a message, its marker and an aborted attempt. */
  private static final long FIRST_LOOK_BACK = 8;

  private static final Duration POLL = Duration.ofMillis(100);

  private final TableName table;
  private final TopicPartition partition;
  private final Consumer<byte[], byte[]> consumer;
  private final java.util.function.Consumer<StatusTopic> onClose;
  private boolean assigned;

  StatusTopic(
      TableName table,
      String topic,
      Consumer<byte[], byte[]> consumer,
      java.util.function.Consumer<StatusTopic> onClose) {
    this.onClose = onClose;
    this.table = table;
    this.partition = new TopicPartition(topic, 0);
    this.consumer = consumer;
  }

  String name() {
    return partition.topic();
  }

  /**
   * @return whether the topic is there; only then may anything else be called
   * @throws StatusTopicException when it has more than one partition, or Kafka refuses
   * @throws TimeoutException when Kafka does not answer
   */
  boolean exists(Duration timeout) {
    if (assigned) {
      return true;
    }
    List<PartitionInfo> partitions =
        kafka(
            () -> {
              try {
                return consumer.partitionsFor(name(), timeout);
              } catch (UnknownTopicOrPartitionException e) {
                return List.of();
              }
            });
    if (partitions == null || partitions.isEmpty()) {
      return false;
    }
    if (partitions.size() != 1) {
      throw new StatusTopicException(
          "Cannot read topic %s of table %s: expected one partition, found %d"
              .formatted(name(), table, partitions.size()));
    }
    consumer.assign(Set.of(partition));
    assigned = true;
    return true;
  }

  /** The last message; afterwards the topic stands behind it. */
  Optional<Entry> last(Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    long begin = begin(deadline);
    long end = end(deadline);
    long upper = end;
    for (long lookBack = FIRST_LOOK_BACK; upper > begin; lookBack *= 8) {
      long from = Math.max(begin, end - lookBack);
      Optional<Entry> found = lastIn(from, upper, deadline);
      if (found.isPresent()) {
        seek(found.get().offset() + 1);
        return found;
      }
      upper = from;
    }
    seek(end);
    return Optional.empty();
  }

  /** The next messages, in order; none when none came in this time. */
  List<Entry> poll(Duration timeout) {
    return kafka(
        () -> consumer.poll(timeout).records(partition).stream().map(this::entry).toList());
  }

  void seekBegin(Duration timeout) {
    seek(begin(Deadline.in(timeout)));
  }

  void seekEnd(Duration timeout) {
    seek(end(Deadline.in(timeout)));
  }

  /** Goes to the first message of a later round; rounds rise with the offsets. */
  void seekAfter(RoundNumber round, Duration timeout) {
    Deadline deadline = Deadline.in(timeout);
    long low = begin(deadline);
    long high = end(deadline);
    while (low < high) {
      long middle = low + (high - low) / 2;
      Optional<Entry> entry = firstIn(middle, high, deadline);
      if (entry.isPresent() && entry.get().status().round().compareTo(round) <= 0) {
        low = entry.get().offset() + 1;
      } else {
        high = middle;
      }
    }
    seek(low);
  }

  /** Ends the call that another thread is in, or the next one, with {@link WakeupException}. */
  void wakeup() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close();
    onClose.accept(this);
  }

  private Optional<Entry> lastIn(long from, long upper, Deadline deadline) {
    Optional<Entry> last = Optional.empty();
    seek(from);
    while (position(deadline) < upper) {
      for (ConsumerRecord<byte[], byte[]> found : records(deadline)) {
        if (found.offset() < upper) {
          last = Optional.of(entry(found));
        }
      }
    }
    return last;
  }

  private Optional<Entry> firstIn(long from, long upper, Deadline deadline) {
    seek(from);
    while (position(deadline) < upper) {
      for (ConsumerRecord<byte[], byte[]> found : records(deadline)) {
        return found.offset() < upper ? Optional.of(entry(found)) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private List<ConsumerRecord<byte[], byte[]>> records(Deadline deadline) {
    deadline.check("reading topic " + name());
    return kafka(() -> consumer.poll(POLL).records(partition));
  }

  private long begin(Deadline deadline) {
    return kafka(
        () -> consumer.beginningOffsets(Set.of(partition), deadline.left()).get(partition));
  }

  private long end(Deadline deadline) {
    return kafka(() -> consumer.endOffsets(Set.of(partition), deadline.left()).get(partition));
  }

  private long position(Deadline deadline) {
    return kafka(() -> consumer.position(partition, deadline.left()));
  }

  private void seek(long offset) {
    consumer.seek(partition, offset);
  }

  private Entry entry(ConsumerRecord<byte[], byte[]> found) {
    String where = "offset " + found.offset() + " of topic " + name();
    if (found.value() == null) {
      throw new StatusTopicException(
          "Cannot read " + where + ": expected a message of table " + table + ", found none");
    }
    try {
      CommitStatus status = CommitStatusCodec.decode(found.value());
      if (!status.table().equals(table)) {
        throw new StatusTopicException(
            "Cannot read %s: expected a message of table %s, found one of table %s"
                .formatted(where, table, status.table()));
      }
      return new Entry(status, found.offset());
    } catch (UnreadableMessageException e) {
      throw new StatusTopicException("Cannot read " + where + ": " + e.getMessage(), e);
    }
  }

  private <T> T kafka(Supplier<T> call) {
    try {
      return call.get();
    } catch (WakeupException | TimeoutException | InterruptException e) {
      throw e;
    } catch (InvalidOffsetException e) {
      throw new StatusTopicException(
          "Cannot read topic %s of table %s: expected the next message, found it deleted: the topic was truncated or made anew"
              .formatted(name(), table),
          e);
    } catch (KafkaException e) {
      throw new StatusTopicException(
          "Cannot read topic %s of table %s: expected Kafka's answer, found %s: %s"
              .formatted(name(), table, e.getClass().getSimpleName(), e.getMessage()),
          e);
    }
  }
}
