package io.tributary.loadtests.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The numbers of a run.
 *
 * @param seed the run's
 * @param length how long faults were made
 * @param faultsByKind how many of each kind were done; kinds without any are not there
 * @param inFlight how many struck while a round or a checkpoint was seen under way
 * @param rounds committed rounds, as the table counts them
 * @param dataRounds rounds that brought files
 * @param transactions confirmed transactions of the workload
 * @param changes rows they changed
 * @param uncertainTransactions those that a dying server did not confirm
 * @param checkedTransactions transactions that a watermark spoke for, each looked for in the
 *     snapshot of that message
 * @param sourceRows rows of all shards at the end
 * @param lostRows keys that only the source has
 * @param doubledRows keys that the table has more than once
 * @param wrongRows keys that only the table has, or with other values
 * @param missingRounds rounds without a message
 * @param duplicateRounds messages that came more than once
 * @param watermarkViolations transactions that were missing when a watermark spoke for them
 * @param longestStall the longest time between two messages
 * @param longestStallCauses faults that were active in it
 * @param recoveries how often the work was watched to go on after a wave of faults
 * @param longestRecovery the longest time from the end of a wave's last fault to a message whose
 *     watermark covers it
 * @param recoveryBound what it may take
 * @param wrong what is wrong; empty when nothing is
 */
public record ChaosResult(
    long seed,
    Duration length,
    Map<FaultKind, Integer> faultsByKind,
    int inFlight,
    long rounds,
    long dataRounds,
    long transactions,
    long changes,
    long uncertainTransactions,
    long checkedTransactions,
    long sourceRows,
    long lostRows,
    long doubledRows,
    long wrongRows,
    long missingRounds,
    long duplicateRounds,
    long watermarkViolations,
    Duration longestStall,
    List<String> longestStallCauses,
    int recoveries,
    Duration longestRecovery,
    Duration recoveryBound,
    List<String> wrong) {
  public ChaosResult {
    faultsByKind = Map.copyOf(faultsByKind);
    longestStallCauses = List.copyOf(longestStallCauses);
    wrong =
        withCounts(
            wrong,
            Map.of(
                "rows lost", lostRows,
                "rows doubled", doubledRows,
                "rows wrong", wrongRows,
                "rounds without a message", missingRounds,
                "rounds announced again", duplicateRounds,
                "transactions missing at their watermark", watermarkViolations));
    Objects.requireNonNull(longestStall, "longestStall");
    if (longestRecovery.compareTo(recoveryBound) > 0) {
      wrong =
          append(
              wrong,
              "the work went on only %.1f s after a fault's end, more than %d s"
                  .formatted(longestRecovery.toMillis() / 1000.0, recoveryBound.toSeconds()));
    }
  }

  private static List<String> withCounts(List<String> wrong, Map<String, Long> counts) {
    List<String> all = new ArrayList<>(wrong);
    counts.entrySet().stream()
        .filter(count -> count.getValue() > 0)
        .map(count -> count.getValue() + " " + count.getKey())
        .sorted()
        .forEach(all::add);
    return List.copyOf(all);
  }

  private static List<String> append(List<String> list, String last) {
    List<String> all = new ArrayList<>(list);
    all.add(last);
    return List.copyOf(all);
  }

  /** Number of faults that were done. */
  public int faults() {
    return count(faultsByKind);
  }

  /** Whether everything is as promised. */
  public boolean clean() {
    return wrong.isEmpty();
  }

  /** {@code clean}, or what is wrong. */
  public String verdict() {
    return clean() ? "clean" : String.join("; ", wrong);
  }

  private static ObjectNode begun(
      long seed, Duration length, Map<FaultKind, Integer> faultsByKind) {
    ObjectNode node = Json.object();
    node.put("seed", seed)
        .put("minutes", length.toSeconds() / 60.0)
        .put("faults", count(faultsByKind));
    ObjectNode kinds = node.putObject("faultsByKind");
    new TreeMap<>(faultsByKind).forEach((kind, count) -> kinds.put(kind.word(), count));
    return node;
  }

  private static int count(Map<FaultKind, Integer> faultsByKind) {
    return faultsByKind.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * The object that {@code --json} writes of a run that nothing is known of but its faults.
   *
   * @param why what ended it
   */
  static ObjectNode unfinished(
      long seed, Duration length, Map<FaultKind, Integer> faultsByKind, String why) {
    return begun(seed, length, faultsByKind).put("verdict", "did not finish: " + why);
  }

  /** The object that {@code --json} writes. */
  public ObjectNode json() {
    ObjectNode node = begun(seed, length, faultsByKind);
    node.put("faultsInFlight", inFlight)
        .put("rounds", rounds)
        .put("dataRounds", dataRounds)
        .put("transactions", transactions)
        .put("changes", changes)
        .put("uncertainTransactions", uncertainTransactions)
        .put("checkedTransactions", checkedTransactions)
        .put("sourceRows", sourceRows)
        .put("lostRows", lostRows)
        .put("doubledRows", doubledRows)
        .put("wrongRows", wrongRows)
        .put("missingRounds", missingRounds)
        .put("duplicateRounds", duplicateRounds)
        .put("watermarkViolations", watermarkViolations)
        .put("longestStallMs", longestStall.toMillis());
    longestStallCauses.forEach(node.putArray("longestStallCauses")::add);
    node.put("recoveries", recoveries)
        .put("longestRecoveryMs", longestRecovery.toMillis())
        .put("recoveryBoundMs", recoveryBound.toMillis())
        .put("verdict", verdict());
    return node;
  }
}
