package io.tributary.cli.demo;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a status topic from its beginning with a plain read_committed consumer. */
public final class StatusWatcher implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConsumer<String, String> consumer;
  private final StatusLog log;
  private final Clock clock;
  private final Consumer<StatusMessage> listener;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile RuntimeException failure;

  /**
   * @param log takes every message
   * @param listener told of each message, on the watcher's thread
   */
  public StatusWatcher(
      String bootstrapServers,
      String topic,
      StatusLog log,
      Clock clock,
      Consumer<StatusMessage> listener) {
    this.log = log;
    this.clock = clock;
    this.listener = listener;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                "false",
                "allow.auto.create.topics",
                "false",
                // The topic appears a while after we begin to look for it.
                "metadata.max.age.ms",
                "500"),
            new StringDeserializer(),
            new StringDeserializer());
    this.thread = new Thread(() -> read(topic), "status-watcher");
    thread.setDaemon(true);
    thread.start();
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
          StatusMessage message = StatusMessage.parse(found.value());
          log.accept(message, clock.instant());
          listener.accept(message);
        }
      }
    } catch (WakeupException e) {
      // Closed.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      consumer.close();
    }
  }

  /**
   * @throws RuntimeException what ended the reading, if anything did
   */
  public void check() {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void close() {
    stopped = true;
    consumer.wakeup();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
