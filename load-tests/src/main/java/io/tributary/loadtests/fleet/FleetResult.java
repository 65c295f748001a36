package io.tributary.loadtests.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a fleet of groups did and cost.
 *
 * @param size how many of everything
 * @param runAll how long {@code run-all} took
 * @param active from its end until the watermark spoke for every shard
 * @param status how long {@code status} took, with all shards active
 * @param dataRounds messages of rounds that brought files
 * @param inOneSnapshot those that added exactly one Iceberg snapshot
 * @param idle parts of a core that each process took, medians of the windows
 * @param memoryMiB that each process held at the end of the idle windows
 * @param metaspaceMiB of the cluster's processes together, by how often jobs were submitted anew
 * @param resubmission how long {@code run-group --take-over} took, on average
 * @param rows of all shards at the end, which the table has as well
 */
record FleetResult(
    FleetSize size,
    Duration runAll,
    Duration active,
    Duration status,
    long dataRounds,
    long inOneSnapshot,
    Map<String, Double> idle,
    Map<String, Long> memoryMiB,
    Map<Integer, Double> metaspaceMiB,
    Duration resubmission,
    long rows) {
  FleetResult {
    idle = Map.copyOf(idle);
    memoryMiB = Map.copyOf(memoryMiB);
    metaspaceMiB = Map.copyOf(metaspaceMiB);
  }

  /** Parts of a core that all processes whose names begin so took together. */
  double idleCores(String prefix) {
    return idle.entrySet().stream()
        .filter(process -> process.getKey().startsWith(prefix))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  ObjectNode figures() {
    String name = "fleet.%d.".formatted(size.shards());
    ObjectNode node =
        Json.object()
            .put(name + "runAllSeconds", seconds(runAll))
            .put(name + "activeSeconds", seconds(active))
            .put(name + "statusSeconds", seconds(status))
            .put(name + "dataRounds", dataRounds)
            .put(name + "dataRoundsInOneSnapshot", inOneSnapshot)
            .put(name + "idleJobCores", rounded(idleCores("taskmanager")))
            .put(name + "idleJobManagerCores", rounded(idleCores("jobmanager")))
            .put(name + "rows", rows);
    if (size.resubmissions() > 0) {
      node.put(name + "resubmissions", size.resubmissions())
          .put(name + "resubmissionSeconds", seconds(resubmission))
          .put(name + "metaspaceRatio", rounded(metaspaceRatio()));
    }
    return node;
  }

  /** Class metadata at the end, to that after a tenth of the submissions. */
  private double metaspaceRatio() {
    TreeMap<Integer, Double> sorted = new TreeMap<>(metaspaceMiB);
    return sorted.lastEntry().getValue()
        / sorted.ceilingEntry(Math.max(1, size.resubmissions() / 10)).getValue();
  }

  ObjectNode json() {
    ObjectNode node = Json.object();
    node.putObject("settings")
        .put("shards", size.shards())
        .put("groups", size.groups())
        .put("servers", size.servers())
        .put("rowsOfAShard", size.rowsOfAShard())
        .put("checkpointIntervalSeconds", size.checkpointInterval().toSeconds());
    ObjectNode processes = node.putObject("processes");
    new TreeMap<>(idle)
        .forEach(
            (process, cores) ->
                processes
                    .putObject(process)
                    .put("idleCores", rounded(cores))
                    .put("memoryMiB", memoryMiB.get(process)));
    ObjectNode metaspace = node.putObject("metaspaceMiBAfterResubmissions");
    new TreeMap<>(metaspaceMiB)
        .forEach((count, mib) -> metaspace.put(Integer.toString(count), rounded(mib)));
    node.set("figures", figures());
    return node;
  }

  /** For people. */
  List<String> lines() {
    return List.of(
        "run-all    %d jobs in %.0f s; every shard counted %.0f s later"
            .formatted(size.groups() + 1, seconds(runAll), seconds(active)),
        "rounds     %d of %d data rounds in one snapshot".formatted(inOneSnapshot, dataRounds),
        "idle       jobs %.2f of a core, JobManager %.2f"
            .formatted(idleCores("taskmanager"), idleCores("jobmanager")),
        "memory     " + new TreeMap<>(memoryMiB) + " MiB",
        "metaspace  " + new TreeMap<>(metaspaceMiB) + " MiB by resubmissions",
        "verify     %,d rows, clean".formatted(rows));
  }

  private static double seconds(Duration duration) {
    return rounded(duration.toMillis() / 1e3);
  }

  private static double rounded(double value) {
    return Math.round(value * 1_000) / 1_000.0;
  }
}
