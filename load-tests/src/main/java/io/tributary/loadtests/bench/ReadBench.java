package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import io.tributary.localstack.StackEndpoints;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/**
 * How long a full read of the tables takes that the product and Iceberg's own sink left: after the
 * copy, and after some lots of changes.
 */
final class ReadBench {
  private static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final int COLUMNS = 9;
  private static final List<Side> SIDES = Stream.of(Side.values()).filter(Side::hasTable).toList();

  /**
   * How much is measured.
   *
   * @param rows of the source
   * @param lots of changes, each an epoch or more
   * @param changes in each lot
   * @param turns of all sides, for each read
   */
  record Size(long rows, int lots, long changes, int turns) {
    static final Size FULL = new Size(2_000_000, 10, 50_000, 5);
    static final Size QUICK = new Size(300_000, 3, 20_000, 3);
    static final Size TINY = new Size(1_000, 2, 200, 1);
  }

  private final StackEndpoints stack;
  private final Path folder;
  private final Size size;
  private final Consumer<String> progress;
  private final ArrayNode runs = Json.object().putArray("runs");
  private final ObjectNode figures = Json.object();
  private final List<String> lines = new ArrayList<>();
  private final Map<Side, List<Plot.Point>> points = new EnumMap<>(Side.class);

  ReadBench(StackEndpoints stack, Path folder, Size size, Consumer<String> progress) {
    this.stack = stack;
    this.folder = folder;
    this.size = size;
    this.progress = progress;
  }

  BenchResult run() throws Exception {
    SourceTable source = new SourceTable("read", COLUMNS);
    try (RowPath path = new RowPath(stack, folder)) {
      source.make(stack.mariaDb(1), size.rows());
      progress.accept("copying %,d rows: %s".formatted(size.rows(), Side.TRIBUTARY.word()));
      path.prepare(plan(source, Side.TRIBUTARY), size.rows());
      for (Side side : List.of(Side.SINK_UPSERT, Side.SINK_APPEND)) {
        progress.accept("copying %,d rows: %s".formatted(size.rows(), side.word()));
        path.copy(side, plan(source, side), size.rows());
      }
      read(path, source, "read.", 0);
      long keys = size.rows();
      for (int lot = 1; lot <= size.lots(); lot++) {
        progress.accept("changes, lot %d of %d".formatted(lot, size.lots()));
        path.remember(plan(source, Side.TRIBUTARY));
        SourceTable.Changes changes = source.change(stack.mariaDb(1), keys, size.changes());
        keys += changes.inserts();
        for (Side side : SIDES) {
          path.changes(side, plan(source, side), changes);
        }
      }
      read(path, source, "read.changed.", size.lots());
      for (Side side : SIDES) {
        path.drop(plan(source, side).table());
      }
    }
    ObjectNode settings = Json.object();
    settings.set("all", RowPath.settings(INTERVAL));
    settings.putObject("coordinator").put("checkpointMs", RowPath.COORDINATOR_INTERVAL.toMillis());
    RowPath.sinkSettings(settings);
    settings
        .putObject("measured")
        .put("reader", "Iceberg's generic reader, all columns, one thread, the files are cached")
        .put("columns", COLUMNS)
        .put("rows", size.rows())
        .put("lots", size.lots())
        .put("changesPerLot", size.changes())
        .put("turns", size.turns())
        .put("warmUp", "one turn that does not count");
    Plot plot = new Plot("Full read of the table", "lots of changes", "ms", false);
    points.forEach((side, some) -> plot.line(side.word(), some));
    return new BenchResult(settings, runs, figures, lines, plot);
  }

  private static RowPath.Plan plan(SourceTable source, Side side) {
    return new RowPath.Plan(source, "read_" + side.word().toLowerCase(Locale.ROOT), 1, INTERVAL);
  }

  private void read(RowPath path, SourceTable source, String prefix, int lots) throws IOException {
    Map<Side, List<Double>> times = new EnumMap<>(Side.class);
    Map<Side, Long> rows = new EnumMap<>(Side.class);
    for (int turn = 0; turn <= size.turns(); turn++) {
      for (Side side : SIDES) {
        Table table = path.load(plan(source, side).table());
        long start = System.nanoTime();
        long found = count(table);
        double ms = (System.nanoTime() - start) / 1e6;
        rows.put(side, found);
        if (turn > 0) {
          times.computeIfAbsent(side, any -> new ArrayList<>()).add(ms);
          progress.accept(
              "%d lots, turn %d of %d: %s %,d rows in %,.0f ms"
                  .formatted(lots, turn, size.turns(), side.word(), found, ms));
        }
      }
    }
    if (!rows.get(Side.TRIBUTARY).equals(rows.get(Side.SINK_UPSERT))) {
      throw new IllegalStateException(
          "Cannot compare reads of %s: expected the same rows of both upserted tables, found %s"
              .formatted(source.name(), rows));
    }
    Map<Side, Times> all = new EnumMap<>(Side.class);
    times.forEach((side, ms) -> all.put(side, new Times(ms)));
    double ours = all.get(Side.TRIBUTARY).median();
    figures
        .put(prefix + "ratioToAppendOnly", ratio(ours, all.get(Side.SINK_APPEND).median()))
        .put(prefix + "ratioToFlinkSinkUpsert", ratio(ours, all.get(Side.SINK_UPSERT).median()));
    for (Side side : SIDES) {
      ObjectNode counts = path.counts(plan(source, side).table());
      figures
          .put(prefix + side.word() + ".deleteFiles", counts.get("total-delete-files").asLong())
          .put(
              prefix + side.word() + ".equalityDeleteRows",
              counts.get("total-equality-deletes").asLong())
          .put(
              prefix + side.word() + ".positionDeleteRows",
              counts.get("total-position-deletes").asLong());
      ObjectNode run =
          runs.addObject().put("side", side.word()).put("lots", lots).put("rows", rows.get(side));
      run.set("ms", all.get(side).json());
      run.set("table", counts);
      points
          .computeIfAbsent(side, any -> new ArrayList<>())
          .add(new Plot.Point(lots, all.get(side).median()));
      lines.add(
          "%2d lots  %s: %,d rows in %s; %s"
              .formatted(lots, side.word(), rows.get(side), all.get(side), counts));
    }
  }

  /** Times of one over times of another: below 1 the first is faster. */
  private static double ratio(double ours, double other) {
    return Math.round(1_000 * ours / other) / 1_000.0;
  }

  private static long count(Table table) throws IOException {
    long rows = 0;
    try (CloseableIterable<Record> found = IcebergGenerics.read(table).build()) {
      for (Record ignored : found) {
        rows++;
      }
    }
    return rows;
  }
}
