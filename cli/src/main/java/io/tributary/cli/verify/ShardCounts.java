package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;
import java.util.Objects;

/**
 * What the comparison of one shard counted.
 *
 * @param sourceRows rows in the MySQL table
 * @param tableRows live rows in the Iceberg table
 * @param lost keys that only the source has
 * @param extra keys that only the table has
 * @param doubled keys that the table has more than once
 * @param different keys whose values differ
 */
public record ShardCounts(
    ShardId shard,
    long sourceRows,
    long tableRows,
    long lost,
    long extra,
    long doubled,
    long different) {
  /**
   * @throws IllegalArgumentException when a count is negative
   */
  public ShardCounts {
    Objects.requireNonNull(shard, "shard");
    if (sourceRows < 0 || tableRows < 0 || lost < 0 || extra < 0 || doubled < 0 || different < 0) {
      throw new IllegalArgumentException("Cannot count rows: expected no count below 0");
    }
  }

  /** Keys at which source and table disagree. */
  public long mismatches() {
    return lost + extra + doubled + different;
  }
}
