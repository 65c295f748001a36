package io.tributary.ingest.send;

/** The control topic does not take messages of this size. */
public final class MessageTooLargeException extends RuntimeException {
  MessageTooLargeException(String message, Throwable cause) {
    super(message, cause);
  }
}
