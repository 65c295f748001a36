package io.tributary.coordinator.core;

/** What became of an attempt to publish a round's message. */
public sealed interface PublishOutcome {
  /** The transaction is committed. */
  record Published() implements PublishOutcome {}

  /**
   * Anything else: fenced by another producer, a commit without an answer, or no broker. The table
   * is read again and, if it is still this coordinator's, the topic's tail decides.
   *
   * @param fenced whether another producer has the transactional id
   */
  record NotConfirmed(String cause, boolean fenced) implements PublishOutcome {
    public NotConfirmed(String cause) {
      this(cause, false);
    }
  }
}
