package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.LedgerProblem;
import io.tributary.coordinator.core.Members;
import io.tributary.coordinator.core.StateAcceptance;
import io.tributary.coordinator.core.TableFindings;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Hello;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.OwnerId;
import io.tributary.protocol.PlanId;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Looks after what stands still, the way the messages of the product say. */
final class Operator {
  private static final long INTERVAL = 600;
  private static final long PATIENCE = 5_000;

  private final World world;
  private long tamperedSince = -1;
  private long tablelessSince = -1;

  Operator(World world) {
    this.world = world;
  }

  void begin() {
    world.timeline.after(INTERVAL, "the operator", "looks", this::look);
  }

  private void look() {
    coordinators();
    if (!world.metastore.isTampered()) {
      haltedShards();
      movedShards();
      for (GroupModel group : world.groups) {
        lookAfter(group);
      }
    }
    world.timeline.after(INTERVAL, "the operator", "looks", this::look);
  }

  private void coordinators() {
    boolean working = world.coordinators.stream().anyMatch(c -> c.isAlive() && !c.isStopped());
    long now = world.timeline.now();
    if (world.metastore.isTampered()) {
      tamperedSince = tamperedSince < 0 ? now : tamperedSince;
      if (!working || now - tamperedSince > PATIENCE) {
        boolean accepts = world.metastore.pointer() != null && world.chance(60);
        if (accepts && world.metastore.pointer().stateless() && !differences().isEmpty()) {
          submitAnyGroup();
        } else if (!accepts || !accept()) {
          world.timeline.note(() -> "the operator puts the newest metadata back");
          world.metastore.repair();
        }
        tamperedSince = -1;
      }
    } else if (!working && topicIsUnfit()) {
      accept();
    } else {
      tamperedSince = -1;
    }
    if (!working) {
      world.startCoordinator();
    }
    tablelessSince =
        world.metastore.truth() != null ? -1 : tablelessSince < 0 ? now : tablelessSince;
  }

  private boolean topicIsUnfit() {
    TableVersion table = world.metastore.truth();
    return table != null
        && (table.state().controlOffset() < world.control.first()
            || table.state().controlOffset() > world.control.end());
  }

  /**
   * What the verb does: the product decides, no coordinator works meanwhile, one swap.
   *
   * @return whether the table goes on from what it is
   */
  private boolean accept() {
    if (world.metastore.isDown() || world.registry.isDown()) {
      return false;
    }
    TableVersion table = world.metastore.pointer();
    List<TableState> known = new ArrayList<>();
    for (TableVersion version : world.metastore.log()) {
      known.add(0, version.state());
    }
    TableFindings findings = findings(table, known);
    StateAcceptance acceptance =
        table.stateless()
            ? StateAcceptance.adopting(findings, world.registry.members())
            : StateAcceptance.of(findings, world.registry.members(), false);
    StateAcceptance.Verdict verdict =
        table.stateless() ? acceptance.judgeAdoption(differences()) : acceptance.judge();
    if (!(verdict instanceof StateAcceptance.Verdict.Acceptable acceptable)) {
      return false;
    }
    world.timeline.note(() -> "the operator accepts the table: " + acceptable);
    world.coordinators.stream().filter(c -> !c.isStopped()).forEach(CoordinatorProcess::kill);
    Map<GroupName, Incarnation> incarnations = new TreeMap<>();
    acceptance
        .incarnations()
        .forEach(
            (name, highest) ->
                incarnations.put(name, world.registry.countIncarnation(name, highest)));
    world.metastore.accept(
        acceptance.accept(
            new StateAcceptance.Fresh(
                world.registry.countTerm(acceptance.highestTerm()).next(),
                new OwnerId(world.nextId()),
                new PlanId(world.nextId()),
                incarnations,
                new SubmissionId(world.nextId()),
                world.timeline.instant(),
                "the operator")),
        findings.fitting());
    for (GroupModel group : world.groups) {
      group.excuses.add(HaltCode.STATE_ACCEPTED);
      group.excuses.add(HaltCode.REWOUND);
      group.excuses.add(HaltCode.GAP);
    }
    world.tally.count(table.stateless() ? MatrixLine.TABLE_ADOPTED : MatrixLine.STATE_ACCEPTED);
    return true;
  }

  /** The cure of a hello that is missing: it says what the sources need, and its job waits. */
  private void submitAnyGroup() {
    GroupModel group = world.oneOf(world.groups);
    group.current.ifPresent(GroupJob::kill);
    group.submit(Optional.empty());
  }

  /** A hello says what the sources need; each table here has it, once somebody says so. */
  private List<String> differences() {
    for (long offset = world.control.first(); offset < world.control.end(); offset++) {
      if (world.control.at(offset).filter(Hello.class::isInstance).isPresent()) {
        return List.of();
      }
    }
    return List.of("expected a group's hello, found none");
  }

  private TableFindings findings(TableVersion table, List<TableState> known) {
    List<TableState> newestFirst = new ArrayList<>(table.said().stream().toList());
    newestFirst.addAll(known);
    List<Snapshot> lineage = table.lineage();
    Optional<TableState> fitting =
        TableFindings.fitting(lineage.stream().map(Snapshot::id).toList(), newestFirst);
    List<TableFindings.ForeignSnapshot> foreign = new ArrayList<>();
    for (Snapshot snapshot : lineage) {
      if (fitting
          .flatMap(TableState::snapshot)
          .filter(explained -> explained.id() == snapshot.id())
          .isPresent()) {
        break;
      }
      foreign.add(0, foreign(snapshot));
    }
    return new TableFindings(
        World.TABLE,
        table.uuid(),
        Optional.ofNullable(table.main()).map(Snapshot::named),
        table.said(),
        problem(table),
        fitting,
        foreign,
        known,
        world.status.last(),
        world.control.heard());
  }

  /** A layer of a round that main ends in the midst of changes what nobody can tell. */
  private TableFindings.ForeignSnapshot foreign(Snapshot snapshot) {
    ShardId shard = world.foreignRows.get(snapshot.id());
    boolean rewrites =
        snapshot.parent() != null && snapshot.rows().equals(snapshot.parent().rows());
    return new TableFindings.ForeignSnapshot(
        snapshot.id(),
        rewrites ? "replace" : "append",
        1,
        rewrites
            ? Optional.of(new TreeSet<>())
            : Optional.ofNullable(shard)
                .map(touched -> (SortedSet<ShardId>) new TreeSet<>(List.of(touched))));
  }

  private static Optional<LedgerProblem> problem(TableVersion table) {
    if (table.stateless()) {
      return Optional.empty();
    }
    LedgerProblem.Kind kind =
        !table.uuid().equals(table.state().tableUuid())
            ? LedgerProblem.Kind.OTHER_UUID
            : table.tag() == null ? LedgerProblem.Kind.TAG : LedgerProblem.Kind.ROLLED_BACK;
    boolean wrong =
        !table.uuid().equals(table.state().tableUuid())
            || table.state().snapshot().isPresent()
                && (table.tag() == null
                    || table.tag().id() != table.state().snapshot().get().id()
                    || !table.main().descendsFrom(table.tag()));
    return wrong
        ? Optional.of(new LedgerProblem(kind, "Cannot use the table: " + kind))
        : Optional.empty();
  }

  private void lookAfter(GroupModel group) {
    if (group.current.isEmpty()) {
      group.submit(Optional.empty());
      return;
    }
    GroupJob job = group.current.get();
    if (!job.isAlive()) {
      if (job.isGone() && !group.submit(Optional.empty())) {
        group.current = Optional.empty();
      }
      return;
    }
    List<ShardId> wanted = group.wantedShards();
    List<ShardId> read = job.submission().shards();
    if (!read.containsAll(wanted)) {
      job.kill();
      group.submit(world.chance(25) ? job.newestState() : Optional.empty());
    } else if (!wanted.containsAll(read) && mustLeave(group, job, wanted)) {
      job.kill();
      if (!group.submit(world.chance(40) ? job.newestState() : Optional.empty())) {
        group.current = Optional.empty();
      }
    } else if (isHalted(group, job) || group.isAlarmed(job) || isTableless()) {
      // The first hello creates a missing table; the other groups show what they need then.
      tablelessSince = -1;
      job.kill();
      group.submit(Optional.empty());
    }
  }

  /** The cure of a source's fault: the shard is paused, and resumed when the cause is gone. */
  private void haltedShards() {
    TableVersion table = world.metastore.truth();
    if (table == null || world.registry.isDown()) {
      return;
    }
    table
        .state()
        .shards()
        .forEach(
            (shard, state) -> {
              Members.Member member = world.registry.members().shards().get(shard);
              if (state.phase() == ShardPhase.HALTED
                  && member != null
                  && member.desired() == Members.Desired.ACTIVE) {
                world.group(state.group()).restartsOnPause = true;
                world.pause(List.of(shard));
              }
            });
  }

  /** The cure of a refused registry: the owner that the table knows. */
  private void movedShards() {
    TableVersion table = world.metastore.truth();
    if (table == null || world.moving || world.registry.isDown()) {
      return;
    }
    table
        .state()
        .shards()
        .forEach(
            (shard, state) -> {
              Members.Member member = world.registry.members().shards().get(shard);
              if (state.started() && member != null && !member.group().equals(state.group())) {
                world.timeline.note(() -> "the operator restores the group of shard " + shard);
                world.registry.put(
                    shard, new Members.Member(state.group(), state.server(), member.desired()));
              }
            });
  }

  private boolean mustLeave(GroupModel group, GroupJob job, List<ShardId> wanted) {
    return group.restartsOnPause
        || job.submission().shards().stream()
            .filter(shard -> !wanted.contains(shard))
            // Nobody knows of it before the coordinator says so.
            .filter(shard -> job.foreignShard().filter(shard::equals).isEmpty())
            .anyMatch(
                shard ->
                    world.registry.members().shards().get(shard).desired()
                            == Members.Desired.RETIRED
                        || !world
                            .registry
                            .members()
                            .shards()
                            .get(shard)
                            .group()
                            .equals(group.name));
  }

  private static boolean isHalted(GroupModel group, GroupJob job) {
    return group
        .ledger()
        .filter(state -> state.submission().equals(job.submission().id()))
        .flatMap(GroupState::halt)
        .isPresent();
  }

  /** The hellos in the topic are gone with the table: nothing tells what to create. */
  private boolean isTableless() {
    return tablelessSince >= 0 && world.timeline.now() - tablelessSince > PATIENCE;
  }
}
