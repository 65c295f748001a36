package io.tributary.cli.verify;

/** The comparison could not be made; says nothing about the rows. */
public final class VerifyException extends RuntimeException {
  public VerifyException(String message) {
    super(message);
  }

  public VerifyException(String message, Throwable cause) {
    super(message, cause);
  }
}
