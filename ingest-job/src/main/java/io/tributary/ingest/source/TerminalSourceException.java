package io.tributary.ingest.source;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/** A fault that no restart can heal: Flink ends the job instead of trying again. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public class TerminalSourceException extends RuntimeException {
  public TerminalSourceException(String message) {
    super(message);
  }

  public TerminalSourceException(String message, Throwable cause) {
    super(message, cause);
  }
}
