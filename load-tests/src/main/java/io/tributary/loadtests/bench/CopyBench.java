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

/** How fast an initial snapshot becomes rows of a table, all four sides turn by turn. */
final class CopyBench {
  private static final Duration INTERVAL = Duration.ofSeconds(2);
  private static final int NARROW_COLUMNS = 9;
  private static final int WIDE_COLUMNS = 100;
  private static final List<Integer> PARALLELISMS = List.of(1, 2);

  /**
   * How much is measured.
   *
   * @param rows of the narrow table
   * @param wideRows of the wide one
   * @param turns of all sides
   * @param warmUpRows that each side copies first
   */
  record Size(long rows, long wideRows, int turns, long warmUpRows) {
    static final Size FULL = new Size(3_000_000, 300_000, 3, 300_000);
    static final Size QUICK = new Size(600_000, 60_000, 2, 100_000);
    static final Size TINY = new Size(3_000, 300, 1, 500);
  }

  private final StackEndpoints stack;
  private final Path folder;
  private final Size size;
  private final Consumer<String> progress;
  private final ArrayNode runs = Json.object().putArray("runs");
  private final ObjectNode figures = Json.object();
  private final List<String> lines = new ArrayList<>();
  private final Map<Side, List<Plot.Point>> points = new EnumMap<>(Side.class);
  private long equalityDeleteRows;
  private int tables;

  CopyBench(StackEndpoints stack, Path folder, Size size, Consumer<String> progress) {
    this.stack = stack;
    this.folder = folder;
    this.size = size;
    this.progress = progress;
  }

  BenchResult run() throws Exception {
    try (RowPath path = new RowPath(stack, folder)) {
      measure(path, "copy.", "narrow", NARROW_COLUMNS, size.rows());
      measure(path, "copy.wide.", "wide", WIDE_COLUMNS, size.wideRows());
    }
    figures.put("copy.equalityDeleteRows", equalityDeleteRows);
    ObjectNode settings = Json.object();
    settings.set("all", RowPath.settings(INTERVAL));
    settings.putObject("coordinator").put("checkpointMs", RowPath.COORDINATOR_INTERVAL.toMillis());
    RowPath.sinkSettings(settings);
    settings
        .putObject("measured")
        .put("rows", size.rows())
        .put("wideRows", size.wideRows())
        .put("columns", NARROW_COLUMNS)
        .put("wideColumns", WIDE_COLUMNS)
        .put("turns", size.turns())
        .put("warmUpRows", size.warmUpRows());
    Plot plot =
        new Plot(
            "Rows a second of the copy, narrow table, by parallelism", "parallelism", "", false);
    points.forEach((side, some) -> plot.line(side.word(), some));
    return new BenchResult(settings, runs, figures, lines, plot);
  }

  private void measure(RowPath path, String prefix, String name, int columns, long rows)
      throws Exception {
    SourceTable warm = new SourceTable(name + "_warm", columns);
    warm.make(stack.mariaDb(1), size.warmUpRows());
    path.prepare(new RowPath.Plan(warm, name + "_model", 1, INTERVAL), size.warmUpRows());
    for (Side side : Side.values()) {
      progress.accept("%s table: warming up, %s".formatted(name, side.word()));
      once(path, side, warm, 2, size.warmUpRows());
    }
    warm.drop(stack.mariaDb(1));
    progress.accept("%s table: making %,d rows".formatted(name, rows));
    SourceTable source = new SourceTable(name, columns);
    source.make(stack.mariaDb(1), rows);
    for (int parallelism : PARALLELISMS) {
      SideTimes times = new SideTimes();
      for (int turn = 0; turn < size.turns(); turn++) {
        for (Side side : Side.values()) {
          RowPath.Run run = once(path, side, source, parallelism, rows);
          times.add(side, run);
          progress.accept(
              "%s table, parallelism %d, turn %d of %d: %s %,.0f rows/s"
                  .formatted(
                      name, parallelism, turn + 1, size.turns(), side.word(), run.rowsPerSecond()));
        }
      }
      times.put(
          figures,
          "%sp%d.".formatted(prefix, parallelism),
          runs,
          Json.object().put("table", name).put("parallelism", parallelism));
      lines.add("%-6s p%d  %s".formatted(name, parallelism, times));
      if (columns == NARROW_COLUMNS) {
        for (Side side : Side.values()) {
          points
              .computeIfAbsent(side, any -> new ArrayList<>())
              .add(new Plot.Point(parallelism, times.rowsPerSecond(side)));
        }
      }
    }
    source.drop(stack.mariaDb(1));
    path.drop(name + "_model");
  }

  private RowPath.Run once(RowPath path, Side side, SourceTable source, int parallelism, long rows)
      throws Exception {
    // The status topic belongs to one table: a name is used once.
    String table =
        "%s_%s_%d".formatted(source.name(), side.word().toLowerCase(Locale.ROOT), tables++);
    RowPath.Run run = path.copy(side, new RowPath.Plan(source, table, parallelism, INTERVAL), rows);
    if (side == Side.TRIBUTARY) {
      equalityDeleteRows += path.sum(table, "added-equality-deletes");
    }
    if (side.hasTable()) {
      path.drop(table);
    }
    return run;
  }
}
