package io.tributary.coordinator.core;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Halt;
import java.util.Optional;

/**
 * A group's standing at one moment, for logs and metrics.
 *
 * @param committed the last committed epoch, 0 before the first
 * @param pendingEpochs admitted and not committed yet
 * @param heldEpochs waiting for a missing one before them
 * @param halt why it stands still, if it does
 * @param duplicates messages dropped because they were sent before
 * @param zombies messages dropped because they were a superseded submission's
 * @param voided epochs dropped because a hello made them void
 */
public record GroupView(
    GroupName group,
    Epoch committed,
    int pendingEpochs,
    int heldEpochs,
    Optional<Halt> halt,
    long duplicates,
    long zombies,
    long voided) {
  static GroupView of(GroupBook book) {
    return new GroupView(
        book.name(),
        book.committed(),
        book.pending().size(),
        book.heldEpochs(),
        book.halt(),
        book.tally().duplicates,
        book.tally().zombies,
        book.tally().voided);
  }
}
