package io.tributary.protocol;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;

/**
 * What a group's sources say the table should be; the coordinator creates the table from it, or
 * checks an existing one against it.
 *
 * @param schemaJson an Iceberg schema in Iceberg's own JSON form, the shard column first, with
 *     identifier field ids
 * @param shardColumn the name of the column that holds the shard's number
 * @param bucketColumn the column that is bucketed
 * @param bucketCount buckets per shard, at least 1
 */
public record TableProposal(
    String schemaJson, String shardColumn, String bucketColumn, int bucketCount)
    implements Serializable {
  /**
   * @throws IllegalArgumentException when the bucket count is below 1
   */
  public TableProposal {
    Objects.requireNonNull(schemaJson, "schemaJson");
    Objects.requireNonNull(shardColumn, "shardColumn");
    Objects.requireNonNull(bucketColumn, "bucketColumn");
    if (bucketCount < 1) {
      throw new IllegalArgumentException(
          "Cannot propose a table: expected a bucket count of at least 1, found " + bucketCount);
    }
  }

  /** The columns of the partition spec, in order, as people write it. */
  public List<String> partitionFields() {
    return List.of(
        "identity(" + shardColumn + ")", "bucket[" + bucketCount + "](" + bucketColumn + ")");
  }
}
