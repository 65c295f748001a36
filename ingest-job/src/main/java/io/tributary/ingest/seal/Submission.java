package io.tributary.ingest.seal;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableName;
import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One submission of a group's job: who it is and what it reads.
 *
 * @param sources at least one; no shard twice
 * @param estimatedRows the servers' own estimates of the rows to copy; 0 where missing
 * @param registryVersion the registry version it was started with, 0 when read from a file
 */
public record Submission(
    TableName table,
    GroupName group,
    Incarnation incarnation,
    SubmissionId id,
    List<SourcePlan> sources,
    SortedMap<ShardId, Long> estimatedRows,
    long registryVersion)
    implements Serializable {
  /**
   * @throws IllegalArgumentException when there is no source, or two sources share a name or shard
   */
  public Submission {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(id, "id");
    sources = List.copyOf(sources);
    estimatedRows =
        Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, Long>) estimatedRows));
    if (sources.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot submit group " + group + ": expected at least one source, found none");
    }
    if (registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot submit group "
              + group
              + ": expected a registry version not below 0, found "
              + registryVersion);
    }
    TreeSet<SourceId> names = new TreeSet<>();
    TreeSet<ShardId> shards = new TreeSet<>();
    for (SourcePlan source : sources) {
      if (!names.add(source.source()) || !source.shards().stream().allMatch(shards::add)) {
        throw new IllegalArgumentException(
            "Cannot submit group %s: expected each source and shard once, found %s again"
                .formatted(group, source));
      }
    }
  }

  /** All shards of the submission, in order. */
  public List<ShardId> shards() {
    return sources.stream().flatMap(source -> source.shards().stream()).sorted().toList();
  }
}
