package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the sides took for the same rows. */
final class SideTimes {
  private final Map<Side, List<RowPath.Run>> runs = new EnumMap<>(Side.class);

  void add(Side side, RowPath.Run run) {
    runs.computeIfAbsent(side, any -> new ArrayList<>()).add(run);
  }

  /** The median of a side's rates. */
  double rowsPerSecond(Side side) {
    return runs.get(side).get(0).rows() / times(side).median() * 1_000;
  }

  private Times times(Side side) {
    return new Times(runs.get(side).stream().map(RowPath.Run::ms).toList());
  }

  /** The product's rate over another side's. */
  private double ratioTo(Side other) {
    return Math.round(1_000 * rowsPerSecond(Side.TRIBUTARY) / rowsPerSecond(other)) / 1_000.0;
  }

  /**
   * Writes them down.
   *
   * @param prefix of the figures' names
   * @param about what the runs have in common
   */
  void put(ObjectNode figures, String prefix, ArrayNode all, ObjectNode about) {
    figures
        .put(prefix + "ratioToDiscarding", ratioTo(Side.DISCARDING))
        .put(prefix + "ratioToFlinkSinkUpsert", ratioTo(Side.SINK_UPSERT))
        .put(prefix + "ratioToFlinkSinkAppend", ratioTo(Side.SINK_APPEND));
    for (Side side : runs.keySet()) {
      figures.put(prefix + side.word() + ".rowsPerSecond", Math.round(rowsPerSecond(side)));
      ObjectNode run = all.addObject().put("side", side.word());
      run.setAll(about);
      run.set("ms", times(side).json());
      ArrayNode each = run.putArray("each");
      runs.get(side).forEach(one -> each.add(one.json()));
    }
  }

  @Override
  public String toString() {
    return runs.keySet().stream()
            .map(
                side ->
                    "%s %,.0f rows/s (%s)".formatted(side.word(), rowsPerSecond(side), times(side)))
            .collect(Collectors.joining("; "))
        + "; to discarding %.3f, to upsert %.3f, to append %.3f"
            .formatted(
                ratioTo(Side.DISCARDING), ratioTo(Side.SINK_UPSERT), ratioTo(Side.SINK_APPEND));
  }
}
