package io.tributary.coordinator.kafka;

/** A topic, or the broker, is not what the protocol needs; says what was found, and the cure. */
public final class TopicRefusedException extends RuntimeException {
  public TopicRefusedException(String message) {
    super(message);
  }
}
