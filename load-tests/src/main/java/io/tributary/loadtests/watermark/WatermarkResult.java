package io.tributary.loadtests.watermark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.util.List;

/**
 * What a run has shown.
 *
 * @param messages commit-status messages
 * @param pairs messages times the shards whose watermark they told
 * @param transactions that the sources confirmed
 * @param rows of them
 * @param checked transactions that a watermark has spoken for
 * @param repeatedTimes transactions that were committed while a clock that had been set back showed
 *     a time again
 * @param farAhead transactions that were committed while a clock was too far ahead to be believed:
 *     their time has not come
 * @param stepsBack how often a clock was set back
 * @param stepsForward how often one was set forward
 * @param missing transactions that the snapshot which must have them has not
 * @param wrongTimes watermarks that fell, ran ahead, or were above a shard's
 * @param violations the first of both, in words
 * @param medianGapMillis half of the messages came at most so long after the one before
 * @param seconds how long it wrote and set clocks
 */
record WatermarkResult(
    int messages,
    long pairs,
    int transactions,
    long rows,
    long checked,
    long repeatedTimes,
    long farAhead,
    long stepsBack,
    long stepsForward,
    long missing,
    long wrongTimes,
    List<String> violations,
    long medianGapMillis,
    long seconds) {
  /** All that was committed was spoken for, and nothing was missing. */
  boolean clean() {
    return missing == 0 && wrongTimes == 0 && checked > 0 && checked == transactions - farAhead;
  }

  ObjectNode json() {
    ObjectNode node =
        Json.object()
            .put("messages", messages)
            .put("shardMessagePairs", pairs)
            .put("medianGapMs", medianGapMillis)
            .put("transactions", transactions)
            .put("rows", rows)
            .put("checkedTransactions", checked)
            .put("committedAtRepeatedTimes", repeatedTimes)
            .put("committedFarAhead", farAhead)
            .put("clockStepsBack", stepsBack)
            .put("clockStepsForward", stepsForward)
            .put("missingTransactions", missing)
            .put("wrongTimes", wrongTimes)
            .put("seconds", seconds);
    violations.forEach(node.putArray("firstViolations")::add);
    return node;
  }
}
