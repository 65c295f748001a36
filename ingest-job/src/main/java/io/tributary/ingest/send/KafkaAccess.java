package io.tributary.ingest.send;

import io.tributary.registry.PassThroughProperties;
import java.io.Serializable;
import java.util.Objects;

/**
 * How to reach the control topic. It travels in the job graph: secrets are references, read when a
 * connection is opened.
 *
 * @param properties Kafka client properties under their own names, bootstrap servers included
 * @param topic the table's control topic
 */
public record KafkaAccess(PassThroughProperties properties, String topic) implements Serializable {
  public KafkaAccess {
    Objects.requireNonNull(properties, "properties");
    Objects.requireNonNull(topic, "topic");
  }
}
