package io.tributary.protocol;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything the coordinator remembers, written into the table's properties in the same metadata
 * swap as the data: from this alone the coordinator and every ingest job can start again.
 *
 * @param tableUuid the table it belongs to; another one means that properties were copied
 * @param round the last committed round
 * @param term the fencing number of the coordinator that wrote it
 * @param owner that coordinator's identity
 * @param plan the attempt that wrote it
 * @param registryVersion the registry version in force, 0 when read from a file
 * @param controlOffset everything on the control topic below this offset is committed or void
 * @param validThrough the table's watermark; absent until every shard of the first applied registry
 *     has finished its initial snapshot
 * @param snapshot the snapshot the last data round ended with; absent before the first
 * @param dataRound whether the last round brought files
 * @param added files and rows that the last round added
 * @param removed files and rows that the last round removed, other than by delete files
 * @param committedAt when the last round was built, by the coordinator's clock
 * @param acceptance what an operator last decided about the table; absent when nobody had to
 */
public record TableState(
    TableUuid tableUuid,
    RoundNumber round,
    Term term,
    OwnerId owner,
    PlanId plan,
    long registryVersion,
    long controlOffset,
    Optional<Watermark> validThrough,
    Optional<IcebergSnapshot> snapshot,
    boolean dataRound,
    FileCounts added,
    FileCounts removed,
    Instant committedAt,
    SortedMap<GroupName, GroupState> groups,
    SortedMap<ShardId, ShardState> shards,
    SortedMap<SourceKey, SourcePosition> sources,
    Optional<Acceptance> acceptance) {
  /**
   * @throws IllegalArgumentException when an offset or version is negative
   */
  public TableState {
    Objects.requireNonNull(tableUuid, "tableUuid");
    Objects.requireNonNull(round, "round");
    Objects.requireNonNull(term, "term");
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(plan, "plan");
    Objects.requireNonNull(validThrough, "validThrough");
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(added, "added");
    Objects.requireNonNull(removed, "removed");
    Objects.requireNonNull(committedAt, "committedAt");
    Objects.requireNonNull(acceptance, "acceptance");
    if (registryVersion < 0 || controlOffset < 0) {
      throw new IllegalArgumentException(
          "Cannot use a table's state: expected registry version and control offset not below 0");
    }
    groups = sorted(groups);
    shards = sorted(shards);
    sources = sorted(sources);
  }

  /** A state of a table about which nobody had to decide anything. */
  public TableState(
      TableUuid tableUuid,
      RoundNumber round,
      Term term,
      OwnerId owner,
      PlanId plan,
      long registryVersion,
      long controlOffset,
      Optional<Watermark> validThrough,
      Optional<IcebergSnapshot> snapshot,
      boolean dataRound,
      FileCounts added,
      FileCounts removed,
      Instant committedAt,
      SortedMap<GroupName, GroupState> groups,
      SortedMap<ShardId, ShardState> shards,
      SortedMap<SourceKey, SourcePosition> sources) {
    this(
        tableUuid,
        round,
        term,
        owner,
        plan,
        registryVersion,
        controlOffset,
        validThrough,
        snapshot,
        dataRound,
        added,
        removed,
        committedAt,
        groups,
        shards,
        sources,
        Optional.empty());
  }

  private static <K extends Comparable<K>, V> SortedMap<K, V> sorted(Map<K, V> map) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  public Optional<GroupState> group(GroupName group) {
    return Optional.ofNullable(groups.get(group));
  }

  public Optional<ShardState> shard(ShardId shard) {
    return Optional.ofNullable(shards.get(shard));
  }

  /**
   * The highest watermark that readers were ever told, while the table has none because an older
   * state was accepted; absent otherwise.
   */
  public Optional<Watermark> promisedThrough() {
    return validThrough.isPresent() ? Optional.empty() : acceptance.flatMap(Acceptance::promised);
  }

  public Optional<SourcePosition> source(GroupName group, ServerName server) {
    return Optional.ofNullable(sources.get(new SourceKey(group, server)));
  }

  /** The same state under another coordinator: what a claim writes. */
  public TableState claimed(Term newTerm, OwnerId newOwner, PlanId newPlan) {
    return new TableState(
        tableUuid,
        round,
        newTerm,
        newOwner,
        newPlan,
        registryVersion,
        controlOffset,
        validThrough,
        snapshot,
        dataRound,
        added,
        removed,
        committedAt,
        groups,
        shards,
        sources,
        acceptance);
  }

  /** The same state with what was built for its round: where it ended and what it changed. */
  public TableState built(
      Optional<IcebergSnapshot> newSnapshot,
      boolean newDataRound,
      FileCounts newAdded,
      FileCounts newRemoved) {
    return new TableState(
        tableUuid,
        round,
        term,
        owner,
        plan,
        registryVersion,
        controlOffset,
        validThrough,
        newSnapshot,
        newDataRound,
        newAdded,
        newRemoved,
        committedAt,
        groups,
        shards,
        sources,
        acceptance);
  }

  /**
   * The same state for a table with these columns: what a shard differs in no more is left out.
   *
   * @param names the table's columns by field id
   */
  public TableState withColumns(Map<Integer, String> names) {
    SortedMap<ShardId, ShardState> compared = new TreeMap<>(shards);
    compared.replaceAll(
        (id, shard) ->
            shard.columns().isEmpty() ? shard : shard.with(shard.columns().against(names)));
    return new TableState(
        tableUuid,
        round,
        term,
        owner,
        plan,
        registryVersion,
        controlOffset,
        validThrough,
        snapshot,
        dataRound,
        added,
        removed,
        committedAt,
        groups,
        compared,
        sources,
        acceptance);
  }
}
