package io.tributary.loadtests.chaos;

import java.time.Duration;
import java.util.Objects;

/**
 * One fault as the seed has it.
 *
 * @param number from 1
 * @param pick at least 0; chooses among several targets and ways
 * @param length how long it lasts, where that is not the machine's to say
 * @param gap from the begin of the one before it in the same wave
 * @param strikesInFlight whether it waits for a round or a checkpoint to be under way
 */
record PlannedFault(
    int number, FaultKind kind, int pick, Duration length, Duration gap, boolean strikesInFlight) {
  PlannedFault {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(length, "length");
    Objects.requireNonNull(gap, "gap");
  }

  /** One of so many choices. */
  int pick(int choices) {
    return pick % choices;
  }
}
