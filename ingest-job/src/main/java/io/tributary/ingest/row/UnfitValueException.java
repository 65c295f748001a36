package io.tributary.ingest.row;

/** A value that the table cannot hold without loss. */
public class UnfitValueException extends RuntimeException {
  public UnfitValueException(String message) {
    super(message);
  }
}
