package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import io.tributary.localstack.StackEndpoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How fast changes that wait in the binlog become rows of a table, all four sides turn by turn from
 * the same position; and what the writers of one long epoch keep in memory.
 */
final class BinlogBench {
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int COLUMNS = 9;

  /**
   * How much is measured.
   *
   * @param keys rows that there are before the changes
   * @param changes of these rows
   * @param turns of all sides
   * @param warmUp changes that each side reads first
   * @param epochRows changes of as many rows, in one epoch, for the memory
   */
  record Size(long keys, long changes, int turns, long warmUp, long epochRows) {
    static final Size FULL = new Size(400_000, 2_000_000, 3, 200_000, 2_000_000);
    static final Size QUICK = new Size(100_000, 400_000, 2, 100_000, 1_000_000);
    static final Size TINY = new Size(500, 1_000, 1, 200, 2_000);
  }

  private final StackEndpoints stack;
  private final Path folder;
  private final Size size;
  private final Consumer<String> progress;
  private final ArrayNode runs = Json.object().putArray("runs");
  private final ObjectNode figures = Json.object();
  private final List<String> lines = new ArrayList<>();
  private final Map<Side, List<Plot.Point>> heap = new EnumMap<>(Side.class);

  BinlogBench(StackEndpoints stack, Path folder, Size size, Consumer<String> progress) {
    this.stack = stack;
    this.folder = folder;
    this.size = size;
    this.progress = progress;
  }

  BenchResult run() throws Exception {
    SourceTable.Changes changes;
    try (RowPath path = new RowPath(stack, folder)) {
      turns(path, "binlog_warm", size.keys() / 4 + 1, size.warmUp(), 1, new SideTimes());
      SideTimes times = new SideTimes();
      changes = turns(path, "binlog", size.keys(), size.changes(), size.turns(), times);
      times.put(figures, "binlog.", runs, Json.object().put("changes", changes.rows()));
      lines.add(times.toString());
      heap(path);
    }
    ObjectNode settings = Json.object();
    settings.set("all", RowPath.settings(INTERVAL));
    settings.putObject("coordinator").put("checkpointMs", RowPath.COORDINATOR_INTERVAL.toMillis());
    RowPath.sinkSettings(settings);
    settings
        .putObject("measured")
        .put("columns", COLUMNS)
        .put("parallelism", 1)
        .put("keys", size.keys())
        .put("updates", changes.updates())
        .put("inserts", changes.inserts())
        .put("deletes", changes.deletes())
        .put("turns", size.turns())
        .put("warmUpChanges", size.warmUp());
    settings
        .putObject("heap")
        .put("rows", size.epochRows())
        .put("keys", "each row another key")
        .put("epoch", "one: no barrier comes before all rows are written")
        .put("heap", "used after a full collection, of the process, less that at the first row");
    Plot plot = new Plot("Heap of the writers in one epoch, by rows", "rows", "MiB", false);
    heap.forEach((side, points) -> plot.line(side.word(), points));
    return new BenchResult(settings, runs, figures, lines, plot);
  }

  /** All sides read the same changes, each into a table of its own, turn by turn. */
  private SourceTable.Changes turns(
      RowPath path, String name, long keys, long least, int turns, SideTimes times)
      throws Exception {
    SourceTable source = new SourceTable(name, COLUMNS);
    source.make(stack.mariaDb(1), keys);
    // A job of the product goes on from where its own table stands, so each turn has its table.
    for (int turn = 0; turn < turns; turn++) {
      progress.accept(
          "%s: copying %,d rows, table %d of %d".formatted(name, keys, turn + 1, turns));
      path.prepare(plan(source, Side.TRIBUTARY, turn), keys);
    }
    progress.accept("%s: changing at least %,d rows".formatted(name, least));
    SourceTable.Changes changes = source.change(stack.mariaDb(1), keys, least);
    for (int turn = 0; turn < turns; turn++) {
      for (Side side : Side.values()) {
        RowPath.Plan plan = plan(source, side, turn);
        RowPath.Run run = path.changes(side, plan, changes);
        times.add(side, run);
        progress.accept(
            "%s, turn %d of %d: %s %,.0f changes/s"
                .formatted(name, turn + 1, turns, side.word(), run.rowsPerSecond()));
        if (side.hasTable()) {
          path.drop(plan.table());
        }
      }
    }
    source.drop(stack.mariaDb(1));
    return changes;
  }

  private static RowPath.Plan plan(SourceTable source, Side side, int turn) {
    return new RowPath.Plan(
        source,
        "%s_%s_%d".formatted(source.name(), side.word().toLowerCase(Locale.ROOT), turn),
        1,
        INTERVAL);
  }

  private void heap(RowPath path) throws Exception {
    SourceTable source = new SourceTable("epoch", COLUMNS);
    source.make(stack.mariaDb(1), size.epochRows());
    progress.accept("one epoch: copying %,d rows".formatted(size.epochRows()));
    path.prepare(plan(source, Side.TRIBUTARY, 0), size.epochRows());
    source.changeEach(stack.mariaDb(1), size.epochRows());
    for (Side side : List.of(Side.TRIBUTARY, Side.SINK_UPSERT)) {
      progress.accept("one epoch: %s".formatted(side.word()));
      RowPath.Plan plan = plan(source, side, 0);
      List<Plot.Point> found = path.heapOfOneEpoch(side, plan, size.epochRows());
      heap.put(side, found);
      double most = found.stream().mapToDouble(Plot.Point::y).max().orElseThrow();
      double perMillion = Times.rounded(most / size.epochRows() * 1_000_000);
      String prefix = side == Side.TRIBUTARY ? "binlog." : "binlog." + side.word() + ".";
      figures
          .put(prefix + "heapMiBPerMillionRows", perMillion)
          .put(prefix + "epochHeapMiB", Times.rounded(most));
      ObjectNode run = runs.addObject().put("side", side.word()).put("epochRows", size.epochRows());
      ArrayNode samples = run.putArray("heap");
      found.forEach(
          point -> samples.addObject().put("rows", (long) point.x()).put("miB", point.y()));
      lines.add(
          "one epoch of %,d rows: %s at most %,.0f MiB, %,.0f per million rows"
              .formatted(size.epochRows(), side.word(), most, perMillion));
      path.drop(plan.table());
    }
    source.drop(stack.mariaDb(1));
  }
}
