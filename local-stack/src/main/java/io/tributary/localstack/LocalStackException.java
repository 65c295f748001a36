package io.tributary.localstack;

/** Says what the local stack could not do, what it expected and what it found. */
public final class LocalStackException extends RuntimeException {

  public LocalStackException(String message) {
    super(message);
  }

  public LocalStackException(String message, Throwable cause) {
    super(message, cause);
  }
}
