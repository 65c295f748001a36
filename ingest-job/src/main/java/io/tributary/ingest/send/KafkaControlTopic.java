package io.tributary.ingest.send;

import io.tributary.protocol.GroupName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The control topic in Kafka. An idempotent producer, one message in flight: the order of the
 * messages is the order of the calls. After a failure the producer is thrown away, since some
 * failures leave it unusable, and made anew by the next call.
 *
 * <p>Looks the topic up before it first writes: a broker that makes topics by itself would make one
 * with the wrong settings; only the coordinator makes it.
 */
final class KafkaControlTopic implements ControlTopic {
  private static final Duration DELIVERY = Duration.ofSeconds(30);
  private static final Duration REQUEST = Duration.ofSeconds(10);
  private static final Duration CLOSE = Duration.ofSeconds(2);

  /** The topic's own limit is the one that counts; the client's must not be met first. */
  private static final int REQUEST_BYTES = 64 * 1024 * 1024;

  private final KafkaAccess access;
  private final byte[] key;
  private KafkaProducer<byte[], byte[]> producer;

  /**
   * @param group the key of its records: who cannot read one still knows whose it is
   */
  KafkaControlTopic(KafkaAccess access, GroupName group) {
    this.access = access;
    this.key = group.value().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public long append(byte[] message) throws InterruptedException {
    try {
      if (producer == null) {
        checkTopic();
        producer = new KafkaProducer<>(producerProperties());
      }
      return producer
          .send(new ProducerRecord<>(access.topic(), 0, key, message))
          .get(DELIVERY.plus(REQUEST).toMillis(), TimeUnit.MILLISECONDS)
          .offset();
    } catch (ExecutionException e) {
      close();
      throw failed(e.getCause(), message.length);
    } catch (TimeoutException | KafkaException | IllegalStateException e) {
      close();
      throw failed(e, message.length);
    } catch (InterruptedException e) {
      close();
      throw e;
    }
  }

  private RuntimeException failed(Throwable cause, int length) {
    if (cause instanceof org.apache.kafka.common.errors.InterruptException) {
      Thread.currentThread().interrupt();
    }
    if (cause instanceof RecordTooLargeException) {
      return new MessageTooLargeException(
          "Cannot send to topic %s: expected room for a message of %d bytes, found that the topic refuses it; raise the topic's max.message.bytes"
              .formatted(access.topic(), length),
          cause);
    }
    return new ControlTopicException(
        "Cannot send to topic %s: expected Kafka to take a message of %d bytes, found %s"
            .formatted(access.topic(), length, cause),
        cause);
  }

  private void checkTopic() throws InterruptedException {
    Properties properties = new Properties();
    properties.putAll(access.properties().resolve());
    properties.put(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(REQUEST.toMillis()));
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(REQUEST.toMillis()));
    try (Admin admin = Admin.create(properties)) {
      TopicDescription found =
          admin
              .describeTopics(java.util.List.of(access.topic()))
              .allTopicNames()
              .get(REQUEST.toMillis(), TimeUnit.MILLISECONDS)
              .get(access.topic());
      if (found.partitions().size() != 1) {
        throw new ControlTopicException(
            "Cannot send to topic %s: expected 1 partition, found %d; epochs would lose their order"
                .formatted(access.topic(), found.partitions().size()),
            null);
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw new ControlTopicException(
            "Cannot send to topic %s: expected the coordinator to have made it, found none; is the coordinator running?"
                .formatted(access.topic()),
            e.getCause());
      }
      throw new ControlTopicException(
          "Cannot send to topic %s: expected Kafka to describe it, found %s"
              .formatted(access.topic(), e.getCause()),
          e.getCause());
    } catch (TimeoutException | KafkaException e) {
      throw new ControlTopicException(
          "Cannot send to topic %s: expected Kafka to answer, found %s"
              .formatted(access.topic(), e),
          e);
    }
  }

  private Properties producerProperties() {
    Properties properties = new Properties();
    Map<String, String> given = access.properties().resolve();
    properties.putAll(given);
    properties.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(REQUEST_BYTES));
    properties.putIfAbsent(
        ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(REQUEST_BYTES + 1024 * 1024));
    // From here on nothing may be configured otherwise: losing or re-ordering an epoch is no
    // option.
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    properties.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.toString(REQUEST.toMillis()));
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(REQUEST.toMillis()));
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(DELIVERY.toMillis()));
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    properties.put(
        ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    return properties;
  }

  @Override
  public void close() {
    if (producer != null) {
      KafkaProducer<byte[], byte[]> old = producer;
      producer = null;
      boolean interrupted = Thread.interrupted();
      try {
        old.close(interrupted ? Duration.ZERO : CLOSE);
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
