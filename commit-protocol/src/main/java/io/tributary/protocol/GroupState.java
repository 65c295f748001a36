package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * What the table remembers of a group.
 *
 * @param incarnation the newest that said hello
 * @param submission the submission that took it
 * @param helloOffset the hello's offset on the control topic
 * @param answer what the coordinator answered
 * @param continuedFrom with {@link HelloAnswer#CONTINUE} the epoch named in the hello: committables
 *     before the hello count up to it; else the epoch committed when the answer was given
 * @param epoch the last committed epoch
 * @param chain the last committed epoch's chain hash
 * @param halt why the group stands still, if it does
 */
public record GroupState(
    Incarnation incarnation,
    SubmissionId submission,
    long helloOffset,
    HelloAnswer answer,
    Epoch continuedFrom,
    Epoch epoch,
    ChainHash chain,
    Optional<Halt> halt) {
  /**
   * @throws IllegalArgumentException when the offset is negative
   */
  public GroupState {
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(answer, "answer");
    Objects.requireNonNull(continuedFrom, "continuedFrom");
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(chain, "chain");
    Objects.requireNonNull(halt, "halt");
    if (helloOffset < 0) {
      throw new IllegalArgumentException(
          "Cannot use a group's state: expected a hello offset not below 0, found " + helloOffset);
    }
  }
}
