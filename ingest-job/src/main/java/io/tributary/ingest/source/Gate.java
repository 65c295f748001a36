package io.tributary.ingest.source;

import io.tributary.ingest.seal.SealerProtection;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Decides from what the table remembers whether a submission may read, and from where.
 *
 * @param group the group
 * @param incarnation this submission's
 * @param submission this submission
 * @param protections all of them, outside tests that show what one of them is for
 */
public record Gate(
    GroupName group,
    Incarnation incarnation,
    SubmissionId submission,
    Set<SealerProtection> protections)
    implements Serializable {
  public Gate {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(submission, "submission");
    protections = Set.copyOf(protections);
  }

  public Gate(GroupName group, Incarnation incarnation, SubmissionId submission) {
    this(group, incarnation, submission, EnumSet.allOf(SealerProtection.class));
  }

  /** What to do now. */
  sealed interface Decision {}

  /** The hello is not answered yet. */
  record Wait() implements Decision {}

  /**
   * Go on.
   *
   * @param answer the coordinator's
   */
  record Open(HelloAnswer answer) implements Decision {}

  /**
   * Never.
   *
   * @param reason for the operator
   */
  record Closed(String reason) implements Decision {}

  /** Where a source without Flink state begins. */
  sealed interface Start {}

  /** With the changes after a position. */
  record FromPosition(SourcePosition position) implements Start {}

  /** With a copy of all its shards. */
  record InitialSnapshot() implements Start {}

  /**
   * Not at all.
   *
   * @param reason for the operator
   */
  record Impossible(String reason) implements Start {}

  Decision decide(Optional<TableState> table) {
    Optional<GroupState> known = table.flatMap(state -> state.group(group));
    if (known.isEmpty() || known.get().incarnation().compareTo(incarnation) < 0) {
      return protections.contains(SealerProtection.GATE) || table.isEmpty()
          ? new Wait()
          // What is pending of a predecessor may still move the table on behind this look.
          : new Open(HelloAnswer.START_FROM_TABLE);
    }
    GroupState state = known.get();
    if (state.incarnation().compareTo(incarnation) > 0 || !state.submission().equals(submission)) {
      return new Closed(
          "Cannot read for group %s with incarnation %s (submission %s): superseded, expected no newer submission, found incarnation %s (submission %s)"
              .formatted(group, incarnation, submission, state.incarnation(), state.submission()));
    }
    if (state.answer() == HelloAnswer.REFUSED) {
      return new Closed(
          "Cannot read for group %s with incarnation %s: refused by the coordinator: %s"
              .formatted(
                  group,
                  incarnation,
                  state.halt().map(Halt::message).orElse("no reason was given")));
    }
    return new Open(state.answer());
  }

  /** Where a source without Flink state begins; the gate must be open. */
  Start start(TableState table, ServerName server, List<ShardId> shards) {
    List<ShardId> active = new ArrayList<>();
    List<ShardId> others = new ArrayList<>();
    for (ShardId shard : shards) {
      Optional<ShardState> state = table.shard(shard);
      ShardPhase phase = state.map(ShardState::phase).orElse(ShardPhase.SNAPSHOT);
      switch (phase) {
        case ACTIVE -> active.add(shard);
        case SNAPSHOT -> others.add(shard);
        case PAUSED, RETIRED, HALTED -> {
          return new Impossible(
              "Cannot read shard %s of server %s: expected it active or not yet copied, found %s%s; pause it in the registry, then resume it: it is copied anew"
                  .formatted(
                      shard,
                      server,
                      phase,
                      state
                          .flatMap(ShardState::haltReason)
                          .map(why -> " (" + why + ")")
                          .orElse("")));
        }
      }
    }
    if (active.isEmpty()) {
      return new InitialSnapshot();
    }
    if (!others.isEmpty()) {
      return new Impossible(
          "Cannot read server %s with one source: expected all of its shards active or none, found %s active and %s not yet copied; give the shards that are not copied a source of their own"
              .formatted(server, active, others));
    }
    return table
        .source(group, server)
        .<Start>map(FromPosition::new)
        .orElseGet(
            () ->
                new Impossible(
                    "Cannot read server %s for group %s: expected a position in the table, found none although its shards are active"
                        .formatted(server, group)));
  }
}
