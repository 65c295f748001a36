package io.tributary.coordinator.core;

import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the coordinator's core wants done, in the order given. At most one action of a list asks for
 * an answer about the table, and at most one about the publisher.
 */
public sealed interface Action {
  /** Refresh the table and tell what is there; answered with {@link Event.TableRead}. */
  record ReadTable() implements Action {}

  /**
   * Create the table with this very state in its properties, in one step; answered with {@link
   * Event.SwapAnswered}: Done with {@link #initialState}, Conflict when somebody else created it,
   * Unknown when the answer was lost.
   */
  record CreateTable(
      TableProposal proposal, Term term, OwnerId owner, PlanId plan, long controlOffset, Instant at)
      implements Action {
    /**
     * The state before the first round. It names no shard, and therefore no registry: to whoever
     * takes over with an older one it would say that nobody owns them.
     */
    public TableState initialState(TableUuid uuid) {
      return new TableState(
          uuid,
          new RoundNumber(0),
          term,
          owner,
          plan,
          0,
          controlOffset,
          Optional.empty(),
          Optional.empty(),
          false,
          FileCounts.NONE,
          FileCounts.NONE,
          at,
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>());
    }
  }

  /**
   * Swap the state under a new owner, without data: like a round, on a base that holds exactly
   * {@code expected} (compared by table, round, term, owner); answered with {@link
   * Event.SwapAnswered}. Term and owner of {@code next} in the table prove that it was applied.
   */
  record Claim(TableState expected, TableState next, String reason) implements Action {}

  /** Commit the round; answered with {@link Event.SwapAnswered}. */
  record CommitRound(RoundPlan plan) implements Action {}

  /**
   * Close the producer if there is one, open it anew with the table's transactional id (it fences
   * every older one), then read the status topic's last message with read_committed; answered with
   * {@link Event.PublisherOpened}.
   */
  record OpenPublisher() implements Action {}

  /**
   * Load the table and see the message's snapshot, then send the message in one transaction;
   * answered with {@link Event.PublishAnswered}.
   */
  record Publish(CommitStatus status) implements Action {}

  /**
   * Pass on the control topic's records from this offset on, also when they were passed on before;
   * without an offset from the topic's first.
   */
  record ReadControlFrom(OptionalLong offset) implements Action {}

  /** The table says that nothing below this offset is needed any more. */
  record DeleteControlRecordsBelow(long offset) implements Action {}

  /** Tell the operator. */
  record Raise(Alarm alarm) implements Action {}

  /**
   * Stop working on this table until the operator acts; other tables go on. No action follows.
   *
   * @param reason "Cannot X: expected Y, found Z", with the cure
   */
  record StopTable(String reason) implements Action {}

  /**
   * Another coordinator has the table: close everything, claim nothing, re-open nothing. No action
   * follows.
   */
  record EndDeposed(String reason) implements Action {}
}
