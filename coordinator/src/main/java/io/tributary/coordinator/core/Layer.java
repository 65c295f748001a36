package io.tributary.coordinator.core;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What one Iceberg snapshot of a round brings: slices of different groups, which never share a
 * partition, and of one group only where the order does not matter.
 *
 * @param emptyShards shards whose partitions are emptied in a snapshot of its own before
 * @param parts the slices
 */
public record Layer(SortedSet<ShardId> emptyShards, List<Part> parts) {
  /** A slice of a committable, with where it comes from for messages and the audit trail. */
  public record Part(GroupName group, Epoch epoch, Slice slice) {}

  /**
   * @throws IllegalArgumentException when the layer brings nothing
   */
  public Layer {
    emptyShards = Collections.unmodifiableSortedSet(new TreeSet<>(emptyShards));
    parts = List.copyOf(parts);
    if (emptyShards.isEmpty() && parts.isEmpty()) {
      throw new IllegalArgumentException("Cannot use an empty layer: expected slices");
    }
  }

  public FileCounts counts() {
    return parts.stream()
        .map(part -> part.slice().counts())
        .reduce(FileCounts.NONE, FileCounts::plus);
  }
}
