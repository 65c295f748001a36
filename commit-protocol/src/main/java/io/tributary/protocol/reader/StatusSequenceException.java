package io.tributary.protocol.reader;

import io.tributary.protocol.TableName;

/** A message on the status topic does not follow the one before it. */
public final class StatusSequenceException extends RuntimeException {
  private final transient SequenceFault fault;

  StatusSequenceException(TableName table, SequenceFault fault) {
    super("Cannot follow the rounds of table " + table + ": " + fault);
    this.fault = fault;
  }

  public SequenceFault fault() {
    return fault;
  }
}
