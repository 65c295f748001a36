package io.tributary.ingest.send;

/** The control topic did not take a message; the same message may be taken later. */
final class ControlTopicException extends RuntimeException {
  ControlTopicException(String message, Throwable cause) {
    super(message, cause);
  }
}
