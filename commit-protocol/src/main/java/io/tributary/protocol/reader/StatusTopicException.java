package io.tributary.protocol.reader;

/** The status topic cannot be read, or holds what does not belong there. */
public final class StatusTopicException extends RuntimeException {
  StatusTopicException(String message) {
    super(message);
  }

  StatusTopicException(String message, Throwable cause) {
    super(message, cause);
  }
}
