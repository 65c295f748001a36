package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * What the table remembers of a shard.
 *
 * @param group the group that owns it: only this group's files may touch its partitions
 * @param server the source it is read from
 * @param phase where it is in its life
 * @param watermark up to when its rows are complete; absent until its initial snapshot is
 * @param started whether an epoch that speaks for it was ever committed: only then can its
 *     partitions hold rows
 * @param covered whether the table's watermark speaks for it
 * @param copiedRows rows of the running initial snapshot that are in the table
 * @param estimatedRows the server's estimate of the rows to copy
 * @param haltReason why it is halted, if it is
 * @param columns what its columns differ in from the table's, as far as committed epochs say
 */
public record ShardState(
    GroupName group,
    ServerName server,
    ShardPhase phase,
    Optional<Watermark> watermark,
    boolean started,
    boolean covered,
    long copiedRows,
    long estimatedRows,
    Optional<String> haltReason,
    ColumnDifferences columns) {
  /**
   * @throws IllegalArgumentException when the parts contradict each other
   */
  public ShardState {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(watermark, "watermark");
    Objects.requireNonNull(columns, "columns");
    if (copiedRows < 0 || estimatedRows < 0) {
      throw new IllegalArgumentException(
          "Cannot use a shard's state: expected row counts not below 0");
    }
    if (phase == ShardPhase.ACTIVE && watermark.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot use a shard's state: expected a watermark of an active shard");
    }
  }

  /** A shard that the registry names and no committed epoch speaks for yet. */
  public static ShardState registered(GroupName group, ServerName server) {
    return new ShardState(
        group, server, ShardPhase.SNAPSHOT, Optional.empty(), false, false, 0, 0, Optional.empty());
  }

  /** Of a shard that has the table's columns. */
  public ShardState(
      GroupName group,
      ServerName server,
      ShardPhase phase,
      Optional<Watermark> watermark,
      boolean started,
      boolean covered,
      long copiedRows,
      long estimatedRows,
      Optional<String> haltReason) {
    this(
        group,
        server,
        phase,
        watermark,
        started,
        covered,
        copiedRows,
        estimatedRows,
        haltReason,
        ColumnDifferences.NONE);
  }

  /** The same state with other columns. */
  public ShardState with(ColumnDifferences other) {
    return new ShardState(
        group,
        server,
        phase,
        watermark,
        started,
        covered,
        copiedRows,
        estimatedRows,
        haltReason,
        other);
  }
}
