package io.tributary.coordinator.core;

import io.tributary.protocol.Acceptance;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import java.util.Optional;

/** Whether the commit-status topic fits the table: one message behind it at most, never ahead. */
final class TailCheck {
  private TailCheck() {}

  /**
   * @param highestTerm no message may carry a higher one, or the table was restored
   * @return what was found instead; absent when they fit
   */
  static Optional<String> contradiction(
      TableState state, Optional<StatusTail> tail, Term highestTerm) {
    if (isAcceptedFrom(state, tail)) {
      return Optional.empty();
    }
    if (tail.isEmpty()) {
      return state.round().value() > 1 ? Optional.of("no message at all") : Optional.empty();
    }
    StatusTail last = tail.get();
    if (!last.tableUuid().equals(state.tableUuid())) {
      return Optional.of(
          "round %s of another table, UUID %s instead of %s"
              .formatted(last.round(), last.tableUuid(), state.tableUuid()));
    }
    if (last.term().compareTo(highestTerm) > 0) {
      return Optional.of(
          "round %s of term %s, later than the table's term %s"
              .formatted(last.round(), last.term(), highestTerm));
    }
    long behind = state.round().value() - last.round().value();
    return behind == 0 || behind == 1
        ? Optional.empty()
        : Optional.of("round " + last.round() + " of term " + last.term());
  }

  /** An operator saw this very message and decided that the table goes on behind it. */
  private static boolean isAcceptedFrom(TableState state, Optional<StatusTail> tail) {
    return state
        .acceptance()
        .filter(acceptance -> acceptance.round().equals(state.round()))
        .filter(acceptance -> acceptance.announced().equals(tail.map(TailCheck::announced)))
        .isPresent();
  }

  private static Acceptance.Announced announced(StatusTail tail) {
    return new Acceptance.Announced(tail.tableUuid(), tail.round(), tail.term());
  }
}
