package io.tributary.loadtests.watermark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What idle sources have cost.
 *
 * @param sources how many
 * @param windows measured one after the other
 * @param longestMillis from one message whose watermark moved to the next
 */
record IdleResult(int sources, List<Window> windows, long longestMillis) {
  /**
   * One measurement.
   *
   * @param seconds its length
   * @param process processor seconds of the whole process: sources, writers, coordinator and Flink
   * @param servers processor seconds of the MySQL servers together
   * @param threads of the process's threads, by kind; without the garbage collector's and
   *     compiler's
   */
  record Window(double seconds, double process, double servers, Map<String, Double> threads) {
    /** Parts of a core that threads of this kind took. */
    double core(String kind) {
      return threads.getOrDefault(kind, 0.0) / seconds;
    }
  }

  /** Part of a core that the whole process took, in half of the windows at most. */
  double processCores() {
    return median(windows.stream().map(w -> w.process() / w.seconds()).toList());
  }

  double serverCores() {
    return median(windows.stream().map(w -> w.servers() / w.seconds()).toList());
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  ObjectNode json() {
    ObjectNode node =
        Json.object()
            .put("sources", sources)
            .put("windows", windows.size())
            .put("secondsEach", rounded(median(windows.stream().map(Window::seconds).toList())))
            .put("processCores", rounded(processCores()))
            .put("serverCores", rounded(serverCores()))
            .put("longestWithoutProgressMs", longestMillis);
    ObjectNode kinds = node.putObject("threadCores");
    TreeSet<String> names = new TreeSet<>();
    windows.forEach(window -> names.addAll(window.threads().keySet()));
    for (String kind : names) {
      kinds.put(kind, rounded(median(windows.stream().map(w -> w.core(kind)).toList())));
    }
    return node;
  }

  private static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
