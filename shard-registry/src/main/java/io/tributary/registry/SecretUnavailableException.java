package io.tributary.registry;

/** A secret cannot be read where its reference points; the message never holds the secret. */
public final class SecretUnavailableException extends RuntimeException {
  /**
   * @param message names the place, never the content
   */
  public SecretUnavailableException(String message) {
    super(message);
  }
}
