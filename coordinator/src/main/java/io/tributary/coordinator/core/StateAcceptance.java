package io.tributary.coordinator.core;

import io.tributary.protocol.Acceptance;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.Halt;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Term;
import io.tributary.protocol.Watermark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * An operator's decision that a table is right as it is, although it is not as its coordinator left
 * it: rolled back, restored, created again, or with a control topic that lost records; or that a
 * table without a state becomes one of ours.
 *
 * <p>What the new state promises:
 *
 * <ul>
 *   <li>The rows and the positions belong together: the positions are those of the state that ended
 *       with main's snapshot. Shards of which that cannot be said are copied anew from emptied
 *       partitions.
 *   <li>No round number is announced twice, and no watermark is taken back: there is none until the
 *       table is as complete as was announced.
 *   <li>Nothing that was sent before gets in: every group has a submission of its own that nobody
 *       runs, a chain that no sealed epoch continues, and a control topic that begins behind all
 *       that was sent. Each group must be started anew, from the table.
 * </ul>
 */
public final class StateAcceptance {
  /** What an operator may do about a table. */
  public sealed interface Verdict {
    /** The table and its topics fit. */
    record Nothing(String reason) implements Verdict {}

    /** What is wrong cannot be accepted: its cause must be removed. */
    record Refused(String reason) implements Verdict {}

    /**
     * It can be accepted.
     *
     * @param found what is wrong, one sentence each
     * @param consequences what accepting it does, one sentence each
     * @param copied shards that are copied anew
     */
    record Acceptable(List<String> found, List<String> consequences, SortedSet<ShardId> copied)
        implements Verdict {
      public Acceptable {
        found = List.copyOf(found);
        consequences = List.copyOf(consequences);
        copied = java.util.Collections.unmodifiableSortedSet(new TreeSet<>(copied));
      }
    }
  }

  /**
   * What is new with a decision and was never used before.
   *
   * @param term above {@link #highestTerm}
   * @param incarnations for each of {@link #incarnations()} one above it
   * @param by who decides, for people
   */
  public record Fresh(
      Term term,
      OwnerId owner,
      PlanId plan,
      Map<GroupName, Incarnation> incarnations,
      SubmissionId submission,
      Instant at,
      String by) {
    public Fresh {
      Objects.requireNonNull(term, "term");
      Objects.requireNonNull(owner, "owner");
      Objects.requireNonNull(plan, "plan");
      Objects.requireNonNull(submission, "submission");
      Objects.requireNonNull(at, "at");
      Objects.requireNonNull(by, "by");
      incarnations = Map.copyOf(incarnations);
    }
  }

  private final TableFindings found;
  private final Members members;
  private final Optional<TableState> positions;

  private StateAcceptance(TableFindings found, Members members, Optional<TableState> positions) {
    this.found = found;
    this.members = members;
    this.positions = positions;
  }

  /**
   * A decision about a table with a state.
   *
   * @param positionsHold whether the operator says that compaction and expiry alone made it
   *     impossible to tell whether main descends from the last round; counts only then
   */
  public static StateAcceptance of(TableFindings found, Members members, boolean positionsHold) {
    boolean said =
        positionsHold
            && found
                .problem()
                .map(LedgerProblem::kind)
                .filter(LedgerProblem.Kind.UNPROVEN::equals)
                .isPresent();
    return new StateAcceptance(found, members, said ? found.recorded() : found.fitting());
  }

  // ------------------------------------------------------------------ what is wrong

  /** What an operator may do about a table with a state. */
  public Verdict judge() {
    if (found.recorded().isEmpty()) {
      return new Verdict.Refused(
          "Cannot accept table %s: expected the coordinator's state in its properties, found none; cure: tributary adopt %s"
              .formatted(found.table(), found.table()));
    }
    if (found.problem().filter(problem -> !problem.kind().isAcceptable()).isPresent()) {
      return new Verdict.Refused(found.problem().get().text());
    }
    List<String> wrong = new ArrayList<>();
    found.problem().map(LedgerProblem::text).ifPresent(wrong::add);
    TableState recorded = found.recorded().get();
    TailCheck.contradiction(recorded, tail(), recorded.term())
        .map(
            text ->
                "The commit-status topic does not fit: the table is at round %s of term %s, the topic has %s"
                    .formatted(recorded.round(), recorded.term(), text))
        .ifPresent(wrong::add);
    controlProblem(recorded.controlOffset()).ifPresent(wrong::add);
    return wrong.isEmpty()
        ? new Verdict.Nothing(
            "Cannot accept anything of table %s: expected something wrong, found round %s of term %s, which its tag, its topics and its control offset fit; start the coordinator"
                .formatted(found.table(), recorded.round(), recorded.term()))
        : new Verdict.Acceptable(wrong, consequences(), copied());
  }

  private Optional<String> controlProblem(long needed) {
    TableFindings.ControlRecords control = found.control();
    if (needed < control.first()) {
      return Optional.of(
          "The control topic lost records: the table needs it from offset %d, its first is %d"
              .formatted(needed, control.first()));
    }
    return needed > control.end()
        ? Optional.of(
            "The control topic was created again or lost records: the table has handled it up to offset %d, its end is %d"
                .formatted(needed, control.end()))
        : Optional.empty();
  }

  private Optional<StatusTail> tail() {
    return found
        .announced()
        .map(last -> new StatusTail(last.tableUuid(), last.round(), last.term()));
  }

  /**
   * A decision that a table without a state becomes one of ours, with nothing of it trusted.
   *
   * @param members who reads what; each of their shards is copied anew
   */
  public static StateAcceptance adopting(TableFindings found, Members members) {
    return new StateAcceptance(found, members, Optional.empty());
  }

  /**
   * What an operator may do about a table without a state.
   *
   * @param differences what keeps it from being one of ours, "expected ..., found ..." each
   */
  public Verdict judgeAdoption(List<String> differences) {
    if (found.recorded().isPresent()) {
      return new Verdict.Nothing(
          "Cannot adopt table %s: expected a table without the coordinator's state, found round %s of term %s; start the coordinator"
              .formatted(
                  found.table(), found.recorded().get().round(), found.recorded().get().term()));
    }
    if (members.shards().isEmpty()) {
      return new Verdict.Refused(
          "Cannot adopt table %s: expected shards in the registry, found none"
              .formatted(found.table()));
    }
    if (!differences.isEmpty()) {
      return new Verdict.Refused(
          "Cannot adopt table %s: %s; cure: change the table, or give the registry another table name"
              .formatted(found.table(), String.join("; ", differences)));
    }
    return new Verdict.Acceptable(
        List.of("The table has no state of a coordinator"), consequences(), copied());
  }

  // ------------------------------------------------------------------ what follows

  private List<String> consequences() {
    List<String> all = new ArrayList<>();
    all.add(
        "Main stays at %s; the tag is put there; this is round %s"
            .formatted(
                found.main().map(main -> "snapshot " + main.id()).orElse("no snapshot"), round()));
    all.add(
        positions
            .map(
                state ->
                    "Positions are those of round %s of term %s, whose rows main has"
                        .formatted(state.round(), state.term()))
            .orElse("No state is known whose rows main has: no position counts"));
    found.foreign().forEach(snapshot -> all.add("No round explains " + snapshot));
    SortedSet<ShardId> copied = copied();
    if (!copied.isEmpty()) {
      all.add("Shards " + copied + " are copied anew, from emptied partitions");
    }
    SortedSet<ShardId> unknown = unknownShards();
    if (!unknown.isEmpty()) {
      all.add(
          "Rows of shards %s, which the table does not know, stay as they are".formatted(unknown));
    }
    if (!incarnations().isEmpty()) {
      all.add(
          "Groups %s must be started anew (tributary run-group GROUP); what their submissions sent is void, and those still running end"
              .formatted(incarnations().keySet()));
    }
    promised()
        .ifPresent(
            promised ->
                all.add(
                    "The table has no watermark until it is complete up to %s again, as was announced"
                        .formatted(promised)));
    return all;
  }

  /** Shards whose rows and positions may not belong together. */
  private SortedSet<ShardId> copied() {
    SortedSet<ShardId> all = new TreeSet<>();
    if (positions.isEmpty()
        || found.foreign().stream().anyMatch(snapshot -> snapshot.shards().isEmpty())) {
      states().forEach(state -> all.addAll(state.shards().keySet()));
      all.addAll(members.shards().keySet());
      return all;
    }
    for (TableFindings.ForeignSnapshot snapshot : found.foreign()) {
      snapshot.shards().orElseThrow().stream().filter(this::isKnown).forEach(all::add);
    }
    return all;
  }

  private SortedSet<ShardId> unknownShards() {
    SortedSet<ShardId> unknown = new TreeSet<>();
    found
        .foreign()
        .forEach(
            snapshot ->
                snapshot.shards().stream()
                    .flatMap(Collection::stream)
                    .filter(shard -> !isKnown(shard))
                    .forEach(unknown::add));
    return unknown;
  }

  private boolean isKnown(ShardId shard) {
    return members.shards().containsKey(shard)
        || states().anyMatch(state -> state.shards().containsKey(shard));
  }

  /** Every state that is known, the one that counts first. */
  private Stream<TableState> states() {
    return Stream.of(positions.stream(), found.recorded().stream(), found.known().stream())
        .flatMap(all -> all);
  }

  private RoundNumber round() {
    long announced = found.announced().map(last -> last.round().value()).orElse(0L);
    long recorded = found.recorded().map(state -> state.round().value()).orElse(0L);
    // The round after the announced one may be in the table without having been announced.
    return new RoundNumber(
        (recorded == announced + 1 ? announced : Math.max(announced, recorded)) + 1);
  }

  private Optional<Watermark> promised() {
    return Stream.concat(
            found.announced().stream()
                .flatMap(
                    last ->
                        Stream.of(last.validThrough(), last.promisedThrough())
                            .flatMap(Optional::stream)),
            states()
                .flatMap(
                    state ->
                        Stream.of(
                                state.validThrough(),
                                state.acceptance().flatMap(Acceptance::promised))
                            .flatMap(Optional::stream)))
        .max(Watermark::compareTo);
  }

  /** The highest term that anybody is known to have used; a decision takes one above it. */
  public Term highestTerm() {
    return Stream.concat(
            states().map(TableState::term), found.announced().stream().map(CommitStatus::term))
        .max(Term::compareTo)
        .orElse(new Term(0));
  }

  /** The highest incarnation that each group is known to have used; 0 when none is known. */
  public SortedMap<GroupName, Long> incarnations() {
    SortedMap<GroupName, Long> highest = new TreeMap<>();
    heard().forEach((group, heard) -> highest.put(group, heard.incarnation()));
    return highest;
  }

  private SortedMap<GroupName, TableFindings.Heard> heard() {
    SortedMap<GroupName, TableFindings.Heard> all = new TreeMap<>(found.control().groups());
    // A group may have come after the state that is left, and its hello be gone.
    members
        .shards()
        .values()
        .forEach(
            member ->
                all.merge(member.group(), new TableFindings.Heard(0, 0), TableFindings.Heard::and));
    states()
        .forEach(
            state ->
                state
                    .groups()
                    .forEach(
                        (name, group) ->
                            all.merge(
                                name,
                                new TableFindings.Heard(
                                    group.incarnation().value(), group.epoch().value()),
                                TableFindings.Heard::and)));
    found
        .announced()
        .ifPresent(
            last ->
                last.shards().stream()
                    .forEach(
                        shard ->
                            all.merge(
                                shard.group(),
                                new TableFindings.Heard(0, shard.epoch().value()),
                                TableFindings.Heard::and)));
    return all;
  }

  // ------------------------------------------------------------------ the new state

  /**
   * The state to write, with the tag on main, in a swap of the very metadata that was examined.
   *
   * @param fresh numbers and ids that were never used before
   * @throws IllegalArgumentException when a number in it is not above those that are known
   */
  public TableState accept(Fresh fresh) {
    if (fresh.term().compareTo(highestTerm()) <= 0) {
      throw new IllegalArgumentException(
          "Cannot accept table %s in term %s: expected a term above %s"
              .formatted(found.table(), fresh.term(), highestTerm()));
    }
    SortedSet<ShardId> copied = copied();
    SortedMap<ShardId, ShardState> shards = shards(copied);
    Acceptance acceptance =
        new Acceptance(
            round(),
            fresh.at(),
            fresh.by(),
            found
                .announced()
                .map(last -> new Acceptance.Announced(last.tableUuid(), last.round(), last.term())),
            promised());
    return new TableState(
        found.tableUuid(),
        acceptance.round(),
        fresh.term(),
        fresh.owner(),
        fresh.plan(),
        states().findFirst().map(TableState::registryVersion).orElse(members.registryVersion()),
        found.control().end(),
        Optional.empty(),
        found.main(),
        false,
        FileCounts.NONE,
        FileCounts.NONE,
        states()
            .map(TableState::committedAt)
            .filter(fresh.at()::isBefore)
            .findFirst()
            .orElse(fresh.at()),
        groups(fresh),
        shards,
        sources(shards),
        Optional.of(acceptance));
  }

  private SortedMap<ShardId, ShardState> shards(SortedSet<ShardId> copied) {
    SortedMap<ShardId, ShardState> shards = new TreeMap<>();
    positions.ifPresent(
        state -> state.shards().forEach((id, shard) -> shards.put(id, uncovered(shard))));
    for (ShardId id : copied) {
      states()
          .flatMap(state -> state.shard(id).stream())
          .findFirst()
          .or(() -> Optional.ofNullable(members.shards().get(id)).map(StateAcceptance::registered))
          .ifPresent(shard -> shards.put(id, toCopy(shard)));
    }
    return shards;
  }

  private static ShardState registered(Members.Member member) {
    return ShardState.registered(member.group(), member.server());
  }

  private static ShardState uncovered(ShardState shard) {
    return new ShardState(
        shard.group(),
        shard.server(),
        shard.phase(),
        shard.watermark(),
        shard.started(),
        false,
        shard.copiedRows(),
        shard.estimatedRows(),
        shard.haltReason(),
        shard.columns());
  }

  /** Started, whatever was known of it: only then are its partitions emptied before the copy. */
  private static ShardState toCopy(ShardState shard) {
    boolean away = shard.phase() == ShardPhase.PAUSED || shard.phase() == ShardPhase.RETIRED;
    return new ShardState(
        shard.group(),
        shard.server(),
        away ? shard.phase() : ShardPhase.SNAPSHOT,
        Optional.empty(),
        true,
        false,
        0,
        shard.estimatedRows(),
        Optional.empty(),
        ColumnDifferences.renamed(shard.columns().renamed()));
  }

  /** Positions of servers of which a shard is read on. */
  private SortedMap<SourceKey, SourcePosition> sources(SortedMap<ShardId, ShardState> shards) {
    SortedMap<SourceKey, SourcePosition> sources = new TreeMap<>();
    positions.ifPresent(state -> sources.putAll(state.sources()));
    sources
        .keySet()
        .removeIf(
            key ->
                shards.values().stream()
                    .noneMatch(
                        shard ->
                            shard.group().equals(key.group())
                                && shard.server().equals(key.server())
                                && shard.watermark().isPresent()));
    return sources;
  }

  private SortedMap<GroupName, GroupState> groups(Fresh fresh) {
    SortedMap<GroupName, GroupState> groups = new TreeMap<>();
    heard()
        .forEach(
            (name, heard) -> {
              Incarnation incarnation = fresh.incarnations().get(name);
              if (incarnation == null || incarnation.value() <= heard.incarnation()) {
                throw new IllegalArgumentException(
                    "Cannot accept table %s: expected an incarnation of group %s above %d, found %s"
                        .formatted(found.table(), name, heard.incarnation(), incarnation));
              }
              Epoch epoch = new Epoch(heard.epoch());
              groups.put(
                  name,
                  new GroupState(
                      incarnation,
                      fresh.submission(),
                      Math.max(0, found.control().end() - 1),
                      HelloAnswer.START_FROM_TABLE,
                      epoch,
                      epoch,
                      ChainHash.anew(found.tableUuid(), name, fresh.owner()),
                      Optional.of(
                          new Halt(HaltCode.STATE_ACCEPTED, startAnew(name, fresh), fresh.at()))));
            });
    return groups;
  }

  private String startAnew(GroupName group, Fresh fresh) {
    return "Cannot go on with group %s of table %s: expected a submission from after %s accepted the table as it is, found none yet%s"
        .formatted(group, found.table(), fresh.by(), Judgement.startFromTable(group));
  }
}
