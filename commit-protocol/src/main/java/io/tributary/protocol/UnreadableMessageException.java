package io.tributary.protocol;

/** A message or state that this version of the protocol cannot read; it names what was expected. */
public final class UnreadableMessageException extends RuntimeException {
  public UnreadableMessageException(String message) {
    super(message);
  }

  public UnreadableMessageException(String message, Throwable cause) {
    super(message, cause);
  }
}
