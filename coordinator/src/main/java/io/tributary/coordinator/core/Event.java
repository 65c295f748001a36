package io.tributary.coordinator.core;

import io.tributary.protocol.ControlMessage;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Term;
import java.util.Objects;
import java.util.Optional;

/** What the coordinator's core is told. Each answer belongs to the one action that asked for it. */
public sealed interface Event {
  /**
   * The first event, once.
   *
   * @param highestKnownTerm the registry's counter of terms, 0 without one; the claim takes a term
   *     above it
   */
  record Started(Term highestKnownTerm) implements Event {}

  /** Answers {@link Action.ReadTable}. */
  record TableRead(TableLook look) implements Event {}

  /**
   * Answers {@link Action.CreateTable}, {@link Action.Claim} and {@link Action.CommitRound}: one of
   * them is out at a time. {@link SwapOutcome.Faulty} answers only the last.
   */
  record SwapAnswered(SwapOutcome outcome) implements Event {}

  /** Answers {@link Action.OpenPublisher}. */
  record PublisherOpened(Optional<StatusTail> tail) implements Event {}

  /** Answers {@link Action.OpenPublisher} when Kafka does not: tried again at the next tick. */
  record PublisherUnreachable(String cause) implements Event {}

  /** Answers {@link Action.Publish}. */
  record PublishAnswered(PublishOutcome outcome) implements Event {}

  /**
   * A record of the control topic, in topic order; taken at any time after {@link
   * Action.ReadControlFrom}.
   *
   * @param offset its offset
   * @param misfit of a hello: why its proposal does not fit the existing table; empty when it fits,
   *     when there is no table yet, and for committables
   */
  record Record(long offset, ControlMessage message, Optional<String> misfit) implements Event {
    public Record {
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(misfit, "misfit");
    }

    public static Record of(long offset, ControlMessage message) {
      return new Record(offset, message, Optional.empty());
    }
  }

  /**
   * A record that no codec reads.
   *
   * @param group the group named in the record's key; without it the table is stopped, because it
   *     could be any group's
   */
  record UnreadableRecord(long offset, Optional<GroupName> group, String cause) implements Event {}

  /**
   * The reader has passed on every record below the topic's end. Told each time it is so, at least
   * once between two ticks while nothing arrives: a group is halted for a missing epoch only when
   * the topic surely does not hold it.
   *
   * @param nextOffset the offset that the next record will get
   */
  record EndOfTopic(long nextOffset) implements Event {}

  /** Time for a round, and for whatever is to be tried again. */
  record Tick() implements Event {}

  /** The registry says something else about this table. */
  record RegistryChanged(Members members) implements Event {}

  /** A committable that was admitted, found faulty before its round. */
  record FaultFound(CommittableFault fault) implements Event {}
}
