package io.tributary.coordinator.core;

import io.tributary.protocol.TableState;
import java.util.List;

/** What became of an attempt to swap the table's metadata. Three different paths follow. */
public sealed interface SwapOutcome {
  /** The swap was applied, as seen in the table. */
  record Done(TableState state) implements SwapOutcome {}

  /**
   * The swap was refused, or the base was not what the plan expected, and the plan was not applied:
   * build anew from this state, or end when it shows another coordinator.
   */
  record Conflict(TableState found) implements SwapOutcome {}

  /** The answer was lost: nothing may be re-sent or deleted before a claim has settled it. */
  record Unknown(String cause) implements SwapOutcome {}

  /**
   * The table is not what it was: other UUID, other layout, lost tag, rolled back, lock mode. The
   * coordinator stops for this table and the operator decides.
   */
  record TableHalted(String reason) implements SwapOutcome {}

  /** The metastore or the file system did not answer before anything was sent: try again later. */
  record Unreachable(String cause) implements SwapOutcome {}

  /**
   * Committables of the round turned out to be faulty when their manifests were read; nothing was
   * sent. Their groups are halted and the round is built without them.
   */
  record Faulty(List<CommittableFault> faults) implements SwapOutcome {
    /**
     * @throws IllegalArgumentException when there is none
     */
    public Faulty {
      faults = List.copyOf(faults);
      if (faults.isEmpty()) {
        throw new IllegalArgumentException("Cannot refuse a round: expected at least one fault");
      }
    }
  }
}
