package io.tributary.cli.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the demo takes from a commit-status message. Read from the JSON alone, as any consumer
 * would, so that the check does not share code with what it checks.
 *
 * @param id the event's id
 * @param round the round's number
 * @param snapshotId the Iceberg snapshot, if there is one
 * @param dataRound whether the round brought files
 * @param validThrough the watermark, if there is one
 * @param phases of the shards, by number
 * @param addedRows rows in added data files
 * @param deletedRows rows in added equality-delete files
 * @param committedAt when the round was built
 */
public record StatusMessage(
    String id,
    long round,
    Optional<Long> snapshotId,
    boolean dataRound,
    Optional<Instant> validThrough,
    TreeMap<Integer, String> phases,
    long addedRows,
    long deletedRows,
    Instant committedAt) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * @throws IllegalArgumentException when the text is no such message
   */
  public static StatusMessage parse(String json) {
    try {
      JsonNode event = JSON.readTree(json);
      JsonNode data = event.required("data");
      TreeMap<Integer, String> phases = new TreeMap<>();
      for (JsonNode shard : data.required("shards")) {
        phases.put(shard.required("shard").intValue(), shard.required("phase").textValue());
      }
      JsonNode added = data.required("added");
      return new StatusMessage(
          event.required("id").textValue(),
          data.required("round").longValue(),
          text(data, "snapshotId").map(Long::valueOf),
          data.required("dataRound").booleanValue(),
          text(data, "validThrough").map(Instant::parse),
          phases,
          added.required("dataRecords").longValue(),
          added.required("equalityDeleteRecords").longValue(),
          Instant.parse(data.required("committedAt").textValue()));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "Cannot read a commit status: expected JSON, found " + e.getOriginalMessage(), e);
    }
  }

  private static Optional<String> text(JsonNode data, String field) {
    JsonNode value = data.required(field);
    return value.isNull() ? Optional.empty() : Optional.of(value.asText());
  }
}
