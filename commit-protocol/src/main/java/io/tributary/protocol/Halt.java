package io.tributary.protocol;

import java.time.Instant;
import java.util.Objects;

/**
 * Why a group or a shard stands still.
 *
 * @param code what was found
 * @param message "Cannot X: expected Y, found Z", and the cure
 * @param since when it was found, by the finder's clock
 */
public record Halt(HaltCode code, String message, Instant since) {
  public Halt {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(since, "since");
  }
}
