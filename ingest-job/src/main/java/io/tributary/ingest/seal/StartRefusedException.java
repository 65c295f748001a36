package io.tributary.ingest.seal;

/**
 * The job may not go on as it is, and a restart would not change that; the message has the cure.
 */
public final class StartRefusedException extends RuntimeException {
  public StartRefusedException(String message) {
    super(message);
  }
}
