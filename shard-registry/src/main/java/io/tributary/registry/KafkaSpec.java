package io.tributary.registry;

import java.util.Map;
import java.util.Objects;

/**
 * The Kafka cluster of the control and commit-status topics.
 *
 * @param bootstrapServers {@code host:port}, several joined by ','
 * @param properties Kafka client properties under their own names, security above all
 */
public record KafkaSpec(String bootstrapServers, PassThroughProperties properties) {
  public KafkaSpec {
    Checks.text("list of bootstrap servers", bootstrapServers);
    Objects.requireNonNull(properties, "properties");
  }

  /**
   * What a Kafka client is made with: the passed-through properties and {@code bootstrap.servers};
   * secrets are read now.
   *
   * @throws SecretUnavailableException when a secret cannot be read
   */
  public Map<String, String> resolveProperties() {
    Map<String, String> resolved = properties.resolve();
    resolved.put("bootstrap.servers", bootstrapServers);
    return resolved;
  }
}
