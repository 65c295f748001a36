package io.tributary.protocol;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What an operator decided last about a table that was not as its coordinator had left it: from the
 * round of this decision on the table's state counts again.
 *
 * @param round the round that the decision itself is; announced like any other
 * @param at when it was decided, by the operator's clock
 * @param by who decided, for people
 * @param announced the last message on the commit-status topic then; absent when it had none
 * @param promised the highest watermark that was ever announced: the table has none before it has
 *     reached this one
 */
public record Acceptance(
    RoundNumber round,
    Instant at,
    String by,
    Optional<Announced> announced,
    Optional<Watermark> promised) {

  /** Which round of which table the last message announced. */
  public record Announced(TableUuid tableUuid, RoundNumber round, Term term) {
    public Announced {
      Objects.requireNonNull(tableUuid, "tableUuid");
      Objects.requireNonNull(round, "round");
      Objects.requireNonNull(term, "term");
    }
  }

  /**
   * @throws IllegalArgumentException when nobody is named, or the round is not above the announced
   */
  public Acceptance {
    Objects.requireNonNull(round, "round");
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(announced, "announced");
    Objects.requireNonNull(promised, "promised");
    if (by.isBlank()) {
      throw new IllegalArgumentException(
          "Cannot use an acceptance: expected who decided it, found nobody");
    }
    if (announced.filter(last -> last.round().compareTo(round) >= 0).isPresent()) {
      throw new IllegalArgumentException(
          "Cannot use an acceptance: expected a round above %s, found %s"
              .formatted(announced.get().round(), round));
    }
  }
}
