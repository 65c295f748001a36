package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;

/**
 * The watermark does not speak for some shards, and will not before an operator acts: waiting on
 * would be in vain.
 */
public final class ShardsNotCoveredException extends RuntimeException {
  private final transient CommitStatus status;

  ShardsNotCoveredException(String message, CommitStatus status) {
    super(message);
    this.status = status;
  }

  /** The message that named them. */
  public CommitStatus status() {
    return status;
  }
}
