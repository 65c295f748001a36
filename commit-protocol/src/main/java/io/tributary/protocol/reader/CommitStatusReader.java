package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the commit-status topics of tables. It reads committed messages only, belongs to no
 * consumer group, commits no offset and creates no topic, so any number of readers may run anywhere
 * and leave no trace. May be used by several threads; each call has a Kafka connection of its own.
 */
public final class CommitStatusReader implements AutoCloseable {
  /** How long a call waits for Kafka's answer when it has no timeout of its own. */
  public static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

  /** Settings that the reader's promises stand on. */
  private static final Map<String, Object> FIXED =
      Map.of(
          ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false",
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName(),
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());

  private static final Set<String> NOT_OURS =
      Set.of(ConsumerConfig.GROUP_ID_CONFIG, ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);

  private final Map<String, Object> kafka;
  private final Function<TableName, String> topics;
  private final Set<StatusTopic> open = ConcurrentHashMap.newKeySet();
  private final Set<CommitStatusTail> tails = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * A reader of topics with their usual names.
   *
   * @param kafka settings of Kafka's consumer: at least {@code bootstrap.servers}
   * @throws IllegalArgumentException when a setting contradicts what the reader promises
   */
  public CommitStatusReader(Map<String, ?> kafka) {
    this(kafka, TopicNames::status);
  }

  /**
   * @param kafka settings of Kafka's consumer: at least {@code bootstrap.servers}
   * @param topics the name of a table's status topic
   * @throws IllegalArgumentException when a setting contradicts what the reader promises
   */
  public CommitStatusReader(Map<String, ?> kafka, Function<TableName, String> topics) {
    Objects.requireNonNull(topics, "topics");
    if (kafka.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG) == null) {
      throw new IllegalArgumentException(
          "Cannot read commit statuses: expected the setting bootstrap.servers, found none");
    }
    for (String name : NOT_OURS) {
      if (kafka.get(name) != null) {
        throw new IllegalArgumentException(
            "Cannot read commit statuses: expected no setting %s, found '%s'"
                .formatted(name, kafka.get(name)));
      }
    }
    FIXED.forEach(
        (name, value) -> {
          Object given = kafka.get(name);
          if (given != null && !given.toString().equalsIgnoreCase(value.toString())) {
            throw new IllegalArgumentException(
                "Cannot read commit statuses: expected the setting %s to be '%s' or left out, found '%s'"
                    .formatted(name, value, given));
          }
        });
    this.kafka = new HashMap<>(kafka);
    // A search jumps back and forth, and each jump waits for the answer to the fetch before it.
    this.kafka.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "100");
    this.kafka.putAll(FIXED);
    this.topics = topics;
  }

  /**
   * The table's last published round.
   *
   * @return absent when the topic is not there or holds no message yet
   * @throws StatusTopicException when the topic cannot be read within {@link #ANSWER_TIMEOUT}
   */
  public Optional<CommitStatus> lastStatus(TableName table) {
    try (StatusTopic topic = open(table)) {
      if (!topic.exists(ANSWER_TIMEOUT)) {
        return Optional.empty();
      }
      return topic.last(ANSWER_TIMEOUT).map(StatusTopic.Entry::status);
    } catch (TimeoutException e) {
      throw unreachable(table, e);
    } catch (WakeupException e) {
      throw closedMeanwhile(table, e);
    }
  }

  /**
   * Waits until the table is complete up to a time, every shard covered.
   *
   * @see #awaitWatermark(TableName, Instant, Duration, boolean)
   */
  public CommitStatus awaitWatermark(TableName table, Instant until, Duration timeout) {
    return awaitWatermark(table, until, timeout, false);
  }

  /**
   * Waits until the table is complete up to a time: every transaction that the sources committed
   * before it, by their own clocks, is then in the snapshot that the returned message names, and in
   * every later one. Begins with the topic's last message, so a time that is already covered is
   * confirmed at once; a topic that is not there yet is waited for.
   *
   * @param until the time, by the sources' clocks
   * @param timeout above 0
   * @param allowNotCovered whether shards that the watermark does not speak for are tolerated; if
   *     not, the wait lasts until there are none
   * @return the first message that says so
   * @throws WatermarkNotReachedException when it takes longer than the timeout; names the watermark
   *     reached and what stands in the way
   * @throws ShardsNotCoveredException when shards are paused or halted and that is not allowed:
   *     waiting on would be in vain
   * @throws StatusTopicException when the topic cannot be read
   * @throws StatusSequenceException when a round is missing or there twice
   */
  public CommitStatus awaitWatermark(
      TableName table, Instant until, Duration timeout, boolean allowNotCovered) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "Cannot wait for table " + table + ": expected a timeout above 0, found " + timeout);
    }
    Deadline deadline = Deadline.in(timeout);
    WatermarkWait wait = new WatermarkWait(table, until, allowNotCovered);
    String nothing = "no answer from Kafka at " + bootstrapServers();
    try (CommitStatusTail tail =
        openTail(table, new TailStart.Last(), strict(table), deadline.left())) {
      do {
        Optional<CommitStatus> status = tail.poll(deadline.left());
        if (status.isPresent() && wait.isOver(status.get())) {
          return status.get();
        }
        if (closed) {
          throw closedMeanwhile(table, null);
        }
      } while (!deadline.isOver());
      nothing = tail.nothing();
    } catch (TimeoutException e) {
      // Said below, like any other time that was not enough.
    } catch (WakeupException e) {
      throw closedMeanwhile(table, e);
    }
    throw wait.timedOut(timeout, nothing);
  }

  /**
   * Follows the rounds of a table.
   *
   * @throws StatusTopicException when the topic cannot be read within {@link #ANSWER_TIMEOUT}; one
   *     that is not there yet is waited for, and read from its beginning
   */
  public CommitStatusTail tail(TableName table, TailStart from) {
    return tail(table, from, strict(table));
  }

  /**
   * Follows the rounds of a table, also over messages that do not follow the one before.
   *
   * @param faults told of each such message before it is delivered
   */
  public CommitStatusTail tail(TableName table, TailStart from, Consumer<SequenceFault> faults) {
    try {
      return openTail(table, from, faults, ANSWER_TIMEOUT);
    } catch (TimeoutException e) {
      throw unreachable(table, e);
    } catch (WakeupException e) {
      throw closedMeanwhile(table, e);
    }
  }

  /** Ends all waiting calls and closes all tails. */
  @Override
  public void close() {
    closed = true;
    open.forEach(StatusTopic::wakeup);
    tails.forEach(CommitStatusTail::close);
  }

  private static Consumer<SequenceFault> strict(TableName table) {
    return fault -> {
      throw new StatusSequenceException(table, fault);
    };
  }

  private CommitStatusTail openTail(
      TableName table, TailStart from, Consumer<SequenceFault> faults, Duration timeout) {
    StatusTopic topic = open(table);
    try {
      CommitStatusTail tail =
          new CommitStatusTail(table, topic, from, faults, tails::remove, timeout);
      tails.add(tail);
      if (closed) {
        throw closedMeanwhile(table, null);
      }
      return tail;
    } catch (RuntimeException e) {
      topic.close();
      throw e;
    }
  }

  private StatusTopic open(TableName table) {
    if (closed) {
      throw closedMeanwhile(table, null);
    }
    String name = topics.apply(table);
    try {
      StatusTopic topic = new StatusTopic(table, name, new KafkaConsumer<>(kafka), open::remove);
      open.add(topic);
      return topic;
    } catch (KafkaException e) {
      // The reason is a cause further down: an address that does not resolve, a wrong setting.
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new StatusTopicException(
          "Cannot read topic %s of table %s: expected a connection to Kafka at %s, found %s"
              .formatted(name, table, bootstrapServers(), cause.getMessage()),
          e);
    }
  }

  private StatusTopicException unreachable(TableName table, TimeoutException cause) {
    return new StatusTopicException(
        "Cannot read topic %s of table %s: expected an answer from Kafka at %s within %d s, found none"
            .formatted(topics.apply(table), table, bootstrapServers(), ANSWER_TIMEOUT.toSeconds()),
        cause);
  }

  private StatusTopicException closedMeanwhile(TableName table, WakeupException cause) {
    return new StatusTopicException(
        "Cannot read topic %s of table %s: expected an open reader, found it closed"
            .formatted(topics.apply(table), table),
        cause);
  }

  private Object bootstrapServers() {
    return kafka.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
  }
}
