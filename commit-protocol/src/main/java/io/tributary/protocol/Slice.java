package io.tributary.protocol;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A part of an epoch's files that needs a sequence number of its own, because an equality delete
 * reaches only rows of lower sequence numbers.
 *
 * @param emptyShards shards whose partitions are emptied before this slice's files are added: in
 *     the first slice of an initial snapshot that may not be the shard's first, and where a
 *     statement at the source took all rows of a shard
 * @param manifests the files
 * @param counts what the manifests hold
 */
public record Slice(
    SortedSet<ShardId> emptyShards, List<CommittableManifest> manifests, FileCounts counts) {
  /**
   * @throws IllegalArgumentException when the slice is empty
   */
  public Slice {
    emptyShards = Collections.unmodifiableSortedSet(new TreeSet<>(emptyShards));
    manifests = List.copyOf(manifests);
    if (emptyShards.isEmpty() && manifests.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot use an empty slice: expected manifests or shards to empty");
    }
    if (manifests.isEmpty() != counts.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot use a slice of " + manifests.size() + " manifests with counts " + counts);
    }
  }

  public static Slice of(Collection<CommittableManifest> manifests, FileCounts counts) {
    return new Slice(new TreeSet<>(), List.copyOf(manifests), counts);
  }
}
