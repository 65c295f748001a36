package io.tributary.protocol;

import java.util.Objects;
import java.util.Optional;

/**
 * A shard at the end of an epoch.
 *
 * @param shard its number
 * @param server the source it is read from
 * @param phase snapshot, active or halted
 * @param watermark up to when the shard's rows are complete; absent until its initial snapshot is
 * @param copiedRows rows of the initial snapshot handed over so far by this submission, at least 0
 * @param estimatedRows the server's own estimate of the rows to copy, at least 0
 * @param haltReason why it is halted, with the position; present only then
 * @param columns what its columns differ in from the table's
 */
public record ShardProgress(
    ShardId shard,
    ServerName server,
    ShardPhase phase,
    Optional<Watermark> watermark,
    long copiedRows,
    long estimatedRows,
    Optional<String> haltReason,
    ColumnDifferences columns) {
  /**
   * @throws IllegalArgumentException when the parts contradict each other
   */
  public ShardProgress {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(columns, "columns");
    if (copiedRows < 0 || estimatedRows < 0) {
      throw new IllegalArgumentException(
          "Cannot use progress of shard " + shard + ": expected row counts not below 0");
    }
    if (phase == ShardPhase.ACTIVE && watermark.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot use progress of shard " + shard + ": expected a watermark of an active shard");
    }
    if (haltReason.isPresent() != (phase == ShardPhase.HALTED)) {
      throw new IllegalArgumentException(
          "Cannot use progress of shard " + shard + ": expected a halt reason exactly when halted");
    }
  }

  /** Of a shard that has the table's columns. */
  public ShardProgress(
      ShardId shard,
      ServerName server,
      ShardPhase phase,
      Optional<Watermark> watermark,
      long copiedRows,
      long estimatedRows,
      Optional<String> haltReason) {
    this(
        shard,
        server,
        phase,
        watermark,
        copiedRows,
        estimatedRows,
        haltReason,
        ColumnDifferences.NONE);
  }

  /** The same progress with other columns. */
  public ShardProgress with(ColumnDifferences other) {
    return new ShardProgress(
        shard, server, phase, watermark, copiedRows, estimatedRows, haltReason, other);
  }
}
