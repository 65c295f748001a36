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
 * @param late whether the table's watermark went on without it because it was too far behind: until
 *     it has caught up it is not covered
 * @param copiedRows rows of the running initial snapshot that are in the table
 * @param estimatedRows the server's estimate of the rows to copy
 * @param haltReason why it is halted, if it is
 * @param columns what its columns differ in from the table's, as far as committed epochs say
 * @param resync the registry's number of the copy that its rows are of, at least 0
 */
public record ShardState(
    GroupName group,
    ServerName server,
    ShardPhase phase,
    Optional<Watermark> watermark,
    boolean started,
    boolean covered,
    boolean late,
    long copiedRows,
    long estimatedRows,
    Optional<String> haltReason,
    ColumnDifferences columns,
    long resync) {
  /**
   * @throws IllegalArgumentException when the parts contradict each other
   */
  public ShardState {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(watermark, "watermark");
    Objects.requireNonNull(columns, "columns");
    if (copiedRows < 0 || estimatedRows < 0 || resync < 0) {
      throw new IllegalArgumentException(
          "Cannot use a shard's state: expected row counts and resync number not below 0");
    }
    if (late && (covered || (phase != ShardPhase.ACTIVE && phase != ShardPhase.HALTED))) {
      throw new IllegalArgumentException(
          "Cannot use a shard's state: expected a late shard to be active or halted and not covered, found phase %s%s"
              .formatted(phase, covered ? ", covered" : ""));
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

  /** Of a shard that has the table's columns and was never copied anew on purpose. */
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
        false,
        copiedRows,
        estimatedRows,
        haltReason,
        ColumnDifferences.NONE,
        0);
  }

  /** Of a shard that is not late and was never copied anew on purpose. */
  public ShardState(
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
        columns,
        0);
  }

  /** Of a shard that is not late. */
  public ShardState(
      GroupName group,
      ServerName server,
      ShardPhase phase,
      Optional<Watermark> watermark,
      boolean started,
      boolean covered,
      long copiedRows,
      long estimatedRows,
      Optional<String> haltReason,
      ColumnDifferences columns,
      long resync) {
    this(
        group,
        server,
        phase,
        watermark,
        started,
        covered,
        false,
        copiedRows,
        estimatedRows,
        haltReason,
        columns,
        resync);
  }

  /** The same state with another cover by the table's watermark. */
  public ShardState withCover(boolean nowCovered, boolean nowLate) {
    return covered == nowCovered && late == nowLate
        ? this
        : new ShardState(
            group,
            server,
            phase,
            watermark,
            started,
            nowCovered,
            nowLate,
            copiedRows,
            estimatedRows,
            haltReason,
            columns,
            resync);
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
        late,
        copiedRows,
        estimatedRows,
        haltReason,
        other,
        resync);
  }

  /** The same state with rows of another copy. */
  public ShardState withResync(long other) {
    return new ShardState(
        group,
        server,
        phase,
        watermark,
        started,
        covered,
        late,
        copiedRows,
        estimatedRows,
        haltReason,
        columns,
        other);
  }

  /**
   * Whether a job without Flink state reads its changes on from the table's position; else it is
   * copied, when it can be read at all.
   *
   * @param wanted the registry's number of the copy
   */
  public boolean goesOn(long wanted) {
    return phase == ShardPhase.ACTIVE && wanted <= resync;
  }
}
