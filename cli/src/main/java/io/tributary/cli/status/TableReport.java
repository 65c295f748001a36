package io.tributary.cli.status;

import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a table stands.
 *
 * @param table its name
 * @param round the last committed round; empty when no coordinator has claimed the table
 * @param publishedRound the last round announced on the status topic
 * @param snapshot the Iceberg snapshot of the last data round
 * @param validThrough the table's watermark
 * @param promisedThrough what was announced before, while there is no watermark because an operator
 *     accepted an older state
 * @param lag how far the watermark is behind this machine's clock
 * @param committedAt when the last round was built
 * @param coordinator the coordinator's job
 * @param groups the groups that feed it
 * @param shards all shards of the registry, and those only the table knows
 * @param columns columns in which shards differ from the table
 * @param alarms what the coordinator raised since it was started
 * @param unknown why nobody can say how the table itself stands
 * @param jobsUnknown why nobody can say how the jobs stand
 * @param problems what could not be asked, and what stopped the table
 */
public record TableReport(
    TableName table,
    Optional<RoundNumber> round,
    Optional<RoundNumber> publishedRound,
    Optional<IcebergSnapshot> snapshot,
    Optional<Watermark> validThrough,
    Optional<Watermark> promisedThrough,
    Optional<Duration> lag,
    Optional<Instant> committedAt,
    Optional<FlinkJobs.JobView> coordinator,
    List<Group> groups,
    List<Shard> shards,
    List<ColumnReport> columns,
    List<FlinkJobs.AlarmView> alarms,
    Optional<String> unknown,
    Optional<String> jobsUnknown,
    List<String> problems) {

  /**
   * One group.
   *
   * @param epoch its last committed epoch
   * @param job its ingest job
   * @param halt why it stands still
   */
  public record Group(
      GroupName group,
      Optional<Epoch> epoch,
      Optional<FlinkJobs.JobView> job,
      Optional<String> halt) {}

  /**
   * One shard.
   *
   * @param source its database and table
   * @param phase snapshot, active, paused, retired, halted; or what the registry wants of it when
   *     the table does not know it
   * @param copiedRows rows of the initial snapshot in the table
   * @param estimatedRows the server's estimate of all of them
   * @param eta how long the initial snapshot still takes at its present rate
   * @param watermark up to when its rows are complete
   * @param lag how far that is behind this machine's clock
   * @param epoch its group's last committed epoch
   * @param lastError why it or its group stands still, else the last failure of its job
   */
  public record Shard(
      ShardId shard,
      GroupName group,
      ServerName server,
      String source,
      String phase,
      OptionalLong copiedRows,
      OptionalLong estimatedRows,
      Optional<Duration> eta,
      Optional<Watermark> watermark,
      Optional<Duration> lag,
      Optional<Epoch> epoch,
      Optional<String> lastError) {

    /** Part of the initial snapshot that is done, in percent from 0 to 100; empty when unknown. */
    public Optional<Integer> percent() {
      if (phase.equals("active")) {
        return Optional.of(100);
      }
      if (estimatedRows.isEmpty() || copiedRows.isEmpty() || estimatedRows.getAsLong() == 0) {
        return Optional.empty();
      }
      // The estimate may be short; only the end of the snapshot is 100.
      return Optional.of(
          (int) Math.min(99, 100 * copiedRows.getAsLong() / estimatedRows.getAsLong()));
    }
  }

  public TableReport {
    Objects.requireNonNull(table, "table");
    groups = List.copyOf(groups);
    shards = List.copyOf(shards);
    columns = List.copyOf(columns);
    alarms = List.copyOf(alarms);
    Objects.requireNonNull(unknown, "unknown");
    Objects.requireNonNull(jobsUnknown, "jobsUnknown");
    problems = List.copyOf(problems);
  }

  /** Whether nothing stands still and nothing that was asked failed. */
  public boolean healthy() {
    return round.isPresent()
        && problems.isEmpty()
        && groups.stream().allMatch(group -> group.halt().isEmpty())
        && shards.stream().noneMatch(shard -> shard.phase().equals("halted"));
  }
}
