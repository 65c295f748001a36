package io.tributary.ingest.seal;

import io.tributary.protocol.GroupState;
import io.tributary.protocol.TableState;
import java.util.Objects;
import java.util.Optional;

/** What the table says about a hello. */
public sealed interface HelloOutcome {
  /**
   * Nothing yet.
   *
   * @param reason what is waited for
   */
  record Waiting(String reason) implements HelloOutcome {}

  /**
   * The answer is there.
   *
   * @param table the state that holds it
   */
  record Answered(TableState table) implements HelloOutcome {
    public Answered {
      Objects.requireNonNull(table, "table");
    }
  }

  /**
   * It never will be answered: the table has handled the control topic beyond it without knowing of
   * it, as a table does that was created again after the hello was sent. It must be said again.
   *
   * @param reason what was found
   */
  record Lost(String reason) implements HelloOutcome {}

  /**
   * Another submission of the group has taken over: this one ends.
   *
   * @param message who, and what to do
   */
  record Superseded(String message) implements HelloOutcome {}

  /**
   * Judges what the table says.
   *
   * @param helloOffset where on the control topic this submission's newest hello lies
   * @param table absent when there is no table or no coordinator has claimed it
   */
  static HelloOutcome judge(Submission submission, long helloOffset, Optional<TableState> table) {
    if (table.isEmpty()) {
      return new Waiting(
          "no coordinator has claimed table " + submission.table() + " yet; is it running?");
    }
    Optional<GroupState> found = table.get().group(submission.group());
    if (found.isPresent()) {
      GroupState group = found.get();
      int newer = group.incarnation().compareTo(submission.incarnation());
      boolean mine = group.submission().equals(submission.id());
      if (newer == 0 && mine && group.helloOffset() >= helloOffset) {
        return new Answered(table.get());
      }
      if (newer > 0
          || newer == 0
              && !mine
              && (group.helloOffset() > helloOffset || table.get().controlOffset() > helloOffset)) {
        return superseded(submission, group);
      }
    }
    if (table.get().controlOffset() > helloOffset) {
      return new Lost(
          "expected an answer to the hello at offset %d of group %s on table %s, found the control topic handled up to offset %d without one; the table was created again or the record is gone"
              .formatted(
                  helloOffset,
                  submission.group(),
                  submission.table(),
                  table.get().controlOffset()));
    }
    return new Waiting(
        "the coordinator has not answered the hello at offset %d; it has handled the control topic up to offset %d at %s"
            .formatted(helloOffset, table.get().controlOffset(), table.get().committedAt()));
  }

  /** Whether a running submission has been superseded; the message says by whom. */
  static Optional<Superseded> supersededBy(Submission submission, TableState table) {
    return table
        .group(submission.group())
        .filter(group -> group.incarnation().compareTo(submission.incarnation()) >= 0)
        .filter(group -> !group.submission().equals(submission.id()))
        .map(group -> superseded(submission, group));
  }

  private static Superseded superseded(Submission submission, GroupState group) {
    return new Superseded(
        "Cannot go on with incarnation %s (submission %s) of group %s on table %s: expected to be its newest submission, found incarnation %s (submission %s); this job ends, the newer one goes on"
            .formatted(
                submission.incarnation(),
                submission.id(),
                submission.group(),
                submission.table(),
                group.incarnation(),
                group.submission()));
  }
}
