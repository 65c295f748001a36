package io.tributary.loadtests.chaos;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One fault as it happened.
 *
 * @param target the process, job or connection it was done to
 * @param flight what was under way at that moment, if that was seen
 * @param begin when it began
 * @param end when what it was done to was itself again: the process answered, the network was good,
 *     the new submission was accepted
 */
record FaultRecord(
    int number,
    FaultKind kind,
    String target,
    Optional<Flight> flight,
    Instant begin,
    Instant end) {
  /** What can be under way. */
  enum Flight {
    /** The coordinator has asked the metastore to swap the table's metadata. */
    ROUND,
    /** A job's checkpoint has been triggered and is not complete. */
    CHECKPOINT
  }

  FaultRecord {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(flight, "flight");
    Objects.requireNonNull(begin, "begin");
    Objects.requireNonNull(end, "end");
  }

  @Override
  public String toString() {
    return "#%d %s of %s".formatted(number, kind.word(), target);
  }
}
