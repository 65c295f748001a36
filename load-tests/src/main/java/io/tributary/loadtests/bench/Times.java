package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * Measured durations of one thing, in milliseconds.
 *
 * @param ms in the order in which they were measured
 */
record Times(List<Double> ms) {
  Times {
    ms = List.copyOf(ms);
  }

  double median() {
    return percentile(50);
  }

  /**
   * @param percent 0 to 100; the nearest measured value, never one in between
   * @return not a number when nothing was measured
   */
  double percentile(double percent) {
    if (ms.isEmpty()) {
      return Double.NaN;
    }
    List<Double> sorted = new ArrayList<>(ms);
    sorted.sort(null);
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }

  /** A part of them, by number from 0; the second bound is not included. */
  Times from(int first, int end) {
    return new Times(ms.subList(first, Math.min(end, ms.size())));
  }

  ObjectNode json() {
    ObjectNode node = Json.object().put("count", ms.size());
    if (!ms.isEmpty()) {
      node.put("median", rounded(median()))
          .put("p99", rounded(percentile(99)))
          .put("min", rounded(percentile(0)))
          .put("p25", rounded(percentile(25)))
          .put("p75", rounded(percentile(75)))
          .put("max", rounded(percentile(100)));
    }
    return node;
  }

  /** To a tenth: more is noise. */
  static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }

  @Override
  public String toString() {
    return ms.isEmpty()
        ? "nothing measured"
        : "%,.0f ms (p99 %,.0f, %,.0f to %,.0f, n=%d)"
            .formatted(median(), percentile(99), percentile(0), percentile(100), ms.size());
  }
}
