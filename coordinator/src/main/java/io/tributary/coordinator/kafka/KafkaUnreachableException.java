package io.tributary.coordinator.kafka;

/** Kafka did not answer; try again later. */
public final class KafkaUnreachableException extends RuntimeException {
  public KafkaUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
