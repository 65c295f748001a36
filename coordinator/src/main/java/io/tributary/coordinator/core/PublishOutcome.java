package io.tributary.coordinator.core;

/** What became of an attempt to publish a round's message. */
public sealed interface PublishOutcome {
  /** The transaction is committed. */
  record Published() implements PublishOutcome {}

  /**
   * Anything else: fenced by another producer, a commit without an answer, or no broker. The table
   * is read again and, if it is still this coordinator's, the topic's tail decides.
   */
  record NotConfirmed(String cause) implements PublishOutcome {}
}
