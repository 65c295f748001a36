package io.tributary.protocol;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The message of one round: what the table holds now, and up to when it is complete. It is a
 * function of the table's state, so the same round always gives the same message.
 *
 * @param table the Iceberg table
 * @param tableUuid the table's UUID
 * @param round the round it announces
 * @param term the fencing number of the coordinator that committed it
 * @param snapshot the Iceberg snapshot that holds it; absent before the table's first data
 * @param dataRound whether this round brought files
 * @param validThrough every transaction that the covered shards' sources committed before this time
 *     is in the snapshot; absent while the first initial snapshots run
 * @param promisedThrough the highest watermark that was announced before, while there is none
 *     because an operator accepted an older state of the table: it comes back once the table is as
 *     complete again
 * @param notCovered shards the watermark does not speak for
 * @param shards every shard
 * @param sources where the table stands in each source's binlog
 * @param registryVersion the registry version in force
 * @param added files and rows the round added
 * @param removed files and rows the round removed, other than by delete files
 * @param committedAt when the round was built, by the coordinator's clock, in microseconds
 */
public record CommitStatus(
    TableName table,
    TableUuid tableUuid,
    RoundNumber round,
    Term term,
    Optional<IcebergSnapshot> snapshot,
    boolean dataRound,
    Optional<Watermark> validThrough,
    Optional<Watermark> promisedThrough,
    List<NotCovered> notCovered,
    List<Shard> shards,
    List<Source> sources,
    long registryVersion,
    FileCounts added,
    FileCounts removed,
    Instant committedAt) {

  /**
   * A shard that the watermark does not speak for.
   *
   * @param reason why
   * @param detail more for people, where there is more to say
   */
  public record NotCovered(ShardId shard, NotCoveredReason reason, Optional<String> detail) {
    public NotCovered {
      Objects.requireNonNull(shard, "shard");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(detail, "detail");
    }

    @Override
    public String toString() {
      return "shard " + shard + " (" + reason + detail.map(text -> ": " + text).orElse("") + ")";
    }
  }

  /**
   * @param epoch the group's last committed epoch, 0 before its first
   */
  public record Shard(
      ShardId shard,
      GroupName group,
      ShardPhase phase,
      Optional<Watermark> watermark,
      Epoch epoch) {
    public Shard {
      Objects.requireNonNull(shard, "shard");
      Objects.requireNonNull(group, "group");
      Objects.requireNonNull(phase, "phase");
      Objects.requireNonNull(watermark, "watermark");
      Objects.requireNonNull(epoch, "epoch");
    }
  }

  /** Where the table stands in a source's binlog. */
  public record Source(GroupName group, ServerName server, SourcePosition position) {
    public Source {
      Objects.requireNonNull(group, "group");
      Objects.requireNonNull(server, "server");
      Objects.requireNonNull(position, "position");
    }
  }

  /**
   * @throws IllegalArgumentException when the registry version is negative
   */
  public CommitStatus {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(tableUuid, "tableUuid");
    Objects.requireNonNull(round, "round");
    Objects.requireNonNull(term, "term");
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(validThrough, "validThrough");
    Objects.requireNonNull(promisedThrough, "promisedThrough");
    Objects.requireNonNull(added, "added");
    Objects.requireNonNull(removed, "removed");
    // As precise as the watermarks, so that one form of a time serves the whole message.
    committedAt = committedAt.truncatedTo(ChronoUnit.MICROS);
    if (validThrough.isPresent() && promisedThrough.isPresent()) {
      throw new IllegalArgumentException(
          "Cannot use a commit status of table %s: expected a watermark or an earlier promise, found %s and %s"
              .formatted(table, validThrough.get(), promisedThrough.get()));
    }
    if (registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot use a commit status of table "
              + table
              + ": expected a registry version not below 0, found "
              + registryVersion);
    }
    notCovered = List.copyOf(notCovered);
    shards = List.copyOf(shards);
    sources = List.copyOf(sources);
  }

  /** The CloudEvents id: no two rounds share one, and a round always has the same. */
  public String id() {
    return tableUuid + "-" + round;
  }

  /** The message of the round that the state ended with. */
  public static CommitStatus of(TableName table, TableState state) {
    List<NotCovered> notCovered = new ArrayList<>();
    List<Shard> shards = new ArrayList<>();
    state
        .shards()
        .forEach(
            (id, shard) -> {
              shards.add(
                  new Shard(
                      id,
                      shard.group(),
                      shard.phase(),
                      shard.watermark(),
                      state.group(shard.group()).map(GroupState::epoch).orElse(new Epoch(0))));
              reason(state, shard)
                  .ifPresent(why -> notCovered.add(new NotCovered(id, why, shard.haltReason())));
            });
    List<Source> sources = new ArrayList<>();
    state
        .sources()
        .forEach((key, position) -> sources.add(new Source(key.group(), key.server(), position)));
    return new CommitStatus(
        table,
        state.tableUuid(),
        state.round(),
        state.term(),
        state.snapshot(),
        state.dataRound(),
        state.validThrough(),
        state.promisedThrough(),
        notCovered,
        shards,
        sources,
        state.registryVersion(),
        state.added(),
        state.removed(),
        state.committedAt());
  }

  /** Absent when the table's watermark speaks for the shard; it is a minimum of active shards. */
  private static Optional<NotCoveredReason> reason(TableState state, ShardState shard) {
    return switch (shard.phase()) {
      case SNAPSHOT ->
          Optional.of(
              shard.started() ? NotCoveredReason.INITIAL_SNAPSHOT : NotCoveredReason.NOT_STARTED);
      // Without a watermark of the table there is nothing that could speak for any shard.
      case ACTIVE ->
          shard.covered() || state.validThrough().isEmpty()
              ? Optional.empty()
              : Optional.of(NotCoveredReason.CATCHING_UP);
      case PAUSED -> Optional.of(NotCoveredReason.PAUSED);
      case RETIRED -> Optional.empty();
      case HALTED -> Optional.of(NotCoveredReason.HALTED);
    };
  }
}
