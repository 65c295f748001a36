package io.tributary.cli.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.util.List;
import java.util.Objects;

/**
 * The numbers of a demo.
 *
 * @param sourceRows rows of all shards at the end
 * @param tableRows live rows of the table at the end
 * @param mismatches keys at which they disagree
 * @param rounds committed rounds, as the table counts them
 * @param dataRounds rounds that brought files
 * @param dataRoundsInOneSnapshot those of them whose files, of all groups, came in exactly one
 *     Iceberg snapshot
 * @param dataSnapshots Iceberg snapshots that brought files
 * @param statusMessages messages of those rounds on the status topic
 * @param duplicateStatusMessages messages that came more than once
 * @param commitConflicts swaps of the table's metadata that another commit had overtaken
 * @param snapshotPhaseEqualityDeleteRows equality-delete rows written while shards were copied,
 *     beyond those that the live changes explain
 * @param secondsToFirstStatus from the stack being up to the first message with data
 * @param lagMsP50 half of the messages came at most so long after their watermark
 * @param lagMsP99 99% of them
 * @param wrong what is wrong; empty when nothing is
 */
public record DemoResult(
    long sourceRows,
    long tableRows,
    long mismatches,
    long rounds,
    long dataRounds,
    long dataRoundsInOneSnapshot,
    long dataSnapshots,
    long statusMessages,
    long duplicateStatusMessages,
    long commitConflicts,
    long snapshotPhaseEqualityDeleteRows,
    double secondsToFirstStatus,
    long lagMsP50,
    long lagMsP99,
    List<String> wrong) {
  public DemoResult {
    wrong = List.copyOf(Objects.requireNonNull(wrong, "wrong"));
  }

  /** Whether everything is as promised. */
  public boolean clean() {
    return wrong.isEmpty();
  }

  /** {@code clean}, or what is wrong. */
  public String verdict() {
    return clean() ? "clean" : String.join("; ", wrong);
  }

  /** The object that {@code --json} writes. */
  public ObjectNode json() {
    return Json.object()
        .put("sourceRows", sourceRows)
        .put("tableRows", tableRows)
        .put("mismatches", mismatches)
        .put("rounds", rounds)
        .put("dataRounds", dataRounds)
        .put("dataRoundsInOneSnapshot", dataRoundsInOneSnapshot)
        .put("dataSnapshots", dataSnapshots)
        .put("statusMessages", statusMessages)
        .put("duplicateStatusMessages", duplicateStatusMessages)
        .put("commitConflicts", commitConflicts)
        .put("snapshotPhaseEqualityDeleteRows", snapshotPhaseEqualityDeleteRows)
        .put("secondsToFirstStatus", secondsToFirstStatus)
        .put("lagMsP50", lagMsP50)
        .put("lagMsP99", lagMsP99)
        .put("verdict", verdict());
  }
}
