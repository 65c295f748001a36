package io.tributary.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.localstack.FlinkRest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Reads the coordinator's counter of swaps that another commit had overtaken, through Flink. */
final class ConflictCount {
  private static final String METRIC = "commitConflicts";

  private ConflictCount() {}

  /**
   * @return empty when the job has no such metric
   */
  static OptionalLong of(FlinkRest flink, String jobId) {
    long sum = 0;
    boolean found = false;
    for (JsonNode vertex : flink.get("/jobs/" + jobId).path("vertices")) {
      String metrics =
          "/jobs/%s/vertices/%s/subtasks/metrics".formatted(jobId, vertex.path("id").asText());
      for (JsonNode metric : flink.get(metrics)) {
        String id = metric.path("id").asText();
        if (id.equals(METRIC) || id.endsWith("." + METRIC)) {
          String query = metrics + "?get=" + URLEncoder.encode(id, StandardCharsets.UTF_8);
          sum += flink.get(query).path(0).path("sum").asLong();
          found = true;
        }
      }
    }
    return found ? OptionalLong.of(sum) : OptionalLong.empty();
  }
}
