package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What a benchmark found.
 *
 * @param settings of every side
 * @param runs one object for each side and size
 * @param figures the named numbers of docs/performance.md
 * @param lines for people
 */
record BenchResult(
    ObjectNode settings, ArrayNode runs, ObjectNode figures, List<String> lines, Plot plot) {
  BenchResult {
    lines = List.copyOf(lines);
  }
}
