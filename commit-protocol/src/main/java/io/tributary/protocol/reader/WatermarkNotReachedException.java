package io.tributary.protocol.reader;

import io.tributary.protocol.CommitStatus;
import java.util.Optional;

/** The table was not complete up to the wanted time before the timeout. */
public final class WatermarkNotReachedException extends RuntimeException {
  private final transient Optional<CommitStatus> last;

  WatermarkNotReachedException(String message, Optional<CommitStatus> last) {
    super(message);
    this.last = last;
  }

  /** The last message that was seen. */
  public Optional<CommitStatus> last() {
    return last;
  }
}
