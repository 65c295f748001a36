package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Whether the thousandth round costs what the hundredth did: many rounds on one table. */
final class GrowthBench {
  private static final int GROUPS = 2;
  private static final int BUCKETS = 1;
  private static final String AGE = "history.expire.max-snapshot-age-ms";
  private static final String KEPT = "history.expire.min-snapshots-to-keep";

  /**
   * How much is measured.
   *
   * @param rounds of the table, of which the last and those at a tenth are compared
   * @param window how many rounds make a figure
   * @param kept snapshots
   * @param warmUp rounds on another table first, so that Java has compiled what it will
   */
  record Size(int rounds, int window, int kept, int warmUp) {
    static final Size FULL = new Size(5_000, 100, 100, 500);
    static final Size QUICK = new Size(2_000, 50, 100, 100);
    static final Size TINY = new Size(60, 6, 5, 1);
  }

  private final StackEndpoints stack;
  private final Size size;
  private final Consumer<String> progress;

  GrowthBench(StackEndpoints stack, Size size, Consumer<String> progress) {
    this.stack = stack;
    this.size = size;
    this.progress = progress;
  }

  BenchResult run() throws IOException, InterruptedException {
    ArrayNode runs = Json.object().putArray("runs");
    List<Double> times = new ArrayList<>();
    List<Plot.Point> points = new ArrayList<>();
    TableSize atTenth = null;
    TableSize atEnd = null;
    long expired;
    long merged;
    long conflicts;
    try (BenchTable other = table("growth_warm_up")) {
      for (int i = 0; i < size.warmUp(); i++) {
        other.round();
      }
    }
    int tenth = size.rounds() / 10;
    try (BenchTable table = table("growth")) {
      for (int i = 1; i <= size.rounds(); i++) {
        times.add(table.round().roundMs());
        if (i % size.window() == 0) {
          Times window = new Times(times).from(i - size.window(), i);
          atEnd = TableSize.of(table.table());
          ObjectNode run = runs.addObject().put("rounds", i);
          run.set("roundMs", window.json());
          run.set("table", atEnd.json());
          points.add(new Plot.Point(i, window.median()));
          progress.accept("%d of %d rounds: %s".formatted(i, size.rounds(), window));
          if (i == tenth) {
            atTenth = atEnd;
          }
        }
      }
      expired = table.expiredSnapshots();
      merged = table.mergedManifests();
      conflicts = table.conflicts();
    }
    Times early = new Times(times).from(tenth - size.window(), tenth);
    Times late = new Times(times).from(size.rounds() - size.window(), size.rounds());
    double ratio = Math.round(100 * late.median() / early.median()) / 100.0;
    ObjectNode figures =
        Json.object()
            .put("growth.ratio%dTo%d".formatted(size.rounds(), tenth), ratio)
            .put("growth.%d.p50Ms".formatted(tenth), Times.rounded(early.median()))
            .put("growth.%d.p50Ms".formatted(size.rounds()), Times.rounded(late.median()))
            .put("growth.%d.snapshots".formatted(size.rounds()), atEnd.snapshots())
            .put("growth.%d.manifests".formatted(size.rounds()), atEnd.manifests())
            .put("growth.%d.metadataBytes".formatted(size.rounds()), atEnd.metadataBytes())
            .put("growth.%d.metadataFiles".formatted(size.rounds()), atEnd.files())
            .put("growth.expiredSnapshots", expired)
            .put("growth.mergedManifests", merged)
            .put("growth.conflicts", conflicts);
    ObjectNode settings = Json.object();
    settings
        .putObject("coordinator")
        .put("groups", GROUPS)
        .put("bucketsPerGroup", BUCKETS)
        .put("filesPerRound", 3 * GROUPS * BUCKETS)
        .put(AGE, 1_000)
        .put(KEPT, size.kept())
        .put("maintainedEveryRounds", TableMaintenance.Limits.DEFAULT.rounds())
        .put("warmUpRoundsOnAnotherTable", size.warmUp())
        .put("round", "from its tick, all committables read from Kafka, to the message published");
    List<String> lines =
        List.of(
            "rounds %d to %d   %s".formatted(tenth - size.window() + 1, tenth, early),
            "rounds %d to %d   %s; %.2f times"
                .formatted(size.rounds() - size.window() + 1, size.rounds(), late, ratio),
            "at round %d: %s".formatted(tenth, atTenth),
            "at round %d: %s".formatted(size.rounds(), atEnd),
            "%d snapshots expired, %d manifests merged, %d conflicts"
                .formatted(expired, merged, conflicts));
    return new BenchResult(
        settings,
        runs,
        figures,
        lines,
        new Plot("Wall of a round, as the table grows older", "round", "ms", false)
            .line("median of " + size.window(), points));
  }

  private BenchTable table(String name) throws IOException, InterruptedException {
    return new BenchTable(
        name,
        stack,
        GROUPS,
        BUCKETS,
        Map.of(AGE, "1000", KEPT, Integer.toString(size.kept())),
        TableMaintenance.Limits.DEFAULT);
  }
}
