package io.tributary.coordinator.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Makes the coordinator's Kafka clients. What the operator passes through counts, except for what
 * the protocol rests on.
 */
public final class KafkaClients {
  /** How long one request may take before it counts as not answered. */
  static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  /** How long a call may take in all. */
  static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

  /** Before compression; the broker's own limit counts what is sent. */
  static final int MAX_REQUEST_BYTES = 16 * 1024 * 1024;

  /** How long the broker keeps a transaction open that its producer does not finish. */
  static final Duration DEFAULT_TRANSACTION_TIMEOUT = Duration.ofSeconds(60);

  private final Map<String, String> properties;

  /**
   * @param properties {@code bootstrap.servers} and whatever the operator passes through, secrets
   *     included: not to be printed
   */
  public KafkaClients(Map<String, String> properties) {
    this.properties = Map.copyOf(properties);
  }

  /** How long the broker may keep an unfinished transaction of the status topic. */
  Duration transactionTimeout() {
    String value = properties.get(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
    return value == null ? DEFAULT_TRANSACTION_TIMEOUT : Duration.ofMillis(Long.parseLong(value));
  }

  Admin admin() {
    Map<String, Object> config = with(AdminClientConfig.configNames());
    config.putIfAbsent(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(REQUEST_TIMEOUT));
    config.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(CALL_TIMEOUT));
    return Admin.create(config);
  }

  Consumer<byte[], byte[]> consumer(String clientId) {
    Map<String, Object> config = with(ConsumerConfig.configNames());
    config.putIfAbsent(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(CALL_TIMEOUT));
    config.putIfAbsent(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(CALL_TIMEOUT));
    config.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  Producer<byte[], byte[]> producer(String transactionalId) {
    Map<String, Object> config = with(ProducerConfig.configNames());
    config.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(REQUEST_TIMEOUT));
    config.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, millis(CALL_TIMEOUT));
    config.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis(CALL_TIMEOUT));
    config.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_BYTES);
    config.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        Math.toIntExact(transactionTimeout().toMillis()));
    config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    config.put(ProducerConfig.CLIENT_ID_CONFIG, transactionalId);
    // A status of 1,024 shards shrinks from 140 kB to 8; gzip because every client reads it.
    config.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** The passed-through properties that this kind of client knows, so that none warns of others. */
  private Map<String, Object> with(java.util.Set<String> known) {
    Map<String, Object> config = new TreeMap<>();
    properties.forEach(
        (key, value) -> {
          if (known.contains(key) || key.startsWith("sasl.") || key.startsWith("ssl.")) {
            config.put(key, value);
          }
        });
    return config;
  }

  private static int millis(Duration duration) {
    return Math.toIntExact(duration.toMillis());
  }
}
