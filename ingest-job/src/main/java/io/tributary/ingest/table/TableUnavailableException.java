package io.tributary.ingest.table;

/** The catalog did not answer, or its answer cannot be used now; the same call may work later. */
public final class TableUnavailableException extends RuntimeException {
  public TableUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
