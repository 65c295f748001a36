package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.seal.Submission;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.TableState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A shard group and its jobs, the superseded ones included. */
final class GroupModel {
  final GroupName name;

  /** Faults that were made, for which the group may be halted. */
  final Set<HaltCode> excuses = EnumSet.noneOf(HaltCode.class);

  /** Since then the earliest position of two readers is the server's. */
  boolean hadTwoReaders;

  /** Whether a hello with Flink state may still lie in the control topic. */
  boolean saidContinuation;

  /** A shard of another group that the next submission reads too. */
  Optional<ShardId> foreignShard = Optional.empty();

  /** Whether the job is submitted anew when one of its shards is paused. */
  boolean restartsOnPause;

  /** What happens when one of its jobs asks for columns next. */
  Optional<FaultKind> whenAsking = Optional.empty();

  /** The newest submission's current attempt; empty before the first. */
  Optional<GroupJob> current = Optional.empty();

  /** Every checkpoint and savepoint that can be restored, the newest last. */
  final List<GroupJob.State> retained = new ArrayList<>();

  private final World world;
  private Optional<SubmissionId> alarmed = Optional.empty();

  GroupModel(World world, GroupName name) {
    this.world = world;
    this.name = name;
  }

  /** A coordinator said that the group stands still. */
  void alarm() {
    alarmed = current.map(job -> job.submission().id());
  }

  boolean isAlarmed(GroupJob job) {
    return alarmed.filter(job.submission().id()::equals).isPresent();
  }

  Optional<TableState> table() {
    return Optional.ofNullable(world.metastore.pointer()).flatMap(TableVersion::said);
  }

  Optional<GroupState> ledger() {
    return table().flatMap(state -> state.group(name));
  }

  /** The shards to read, by server, as the registry says. */
  private Map<ServerName, List<ShardId>> wanted() {
    Map<ServerName, List<ShardId>> byServer = new TreeMap<>();
    world
        .registry
        .members()
        .shards()
        .forEach(
            (shard, member) -> {
              boolean mine =
                  member.group().equals(name) && member.desired() == Members.Desired.ACTIVE;
              if (mine || foreignShard.filter(shard::equals).isPresent()) {
                byServer.computeIfAbsent(member.server(), any -> new ArrayList<>()).add(shard);
              }
            });
    return byServer;
  }

  List<ShardId> wantedShards() {
    return wanted().values().stream().flatMap(List::stream).sorted().toList();
  }

  /** One reader per server, or two while some of its shards are still to be copied. */
  private List<SourcePlan> plans() {
    List<SourcePlan> plans = new ArrayList<>();
    wanted()
        .forEach(
            (server, shards) -> {
              List<ShardId> active = shards.stream().filter(this::isActive).toList();
              List<ShardId> others = shards.stream().filter(s -> !active.contains(s)).toList();
              String source = "source-" + server;
              if (active.isEmpty() || others.isEmpty()) {
                plans.add(new SourcePlan(new SourceId(source), server, shards));
              } else {
                hadTwoReaders = true;
                plans.add(new SourcePlan(new SourceId(source), server, active));
                plans.add(new SourcePlan(new SourceId(source + "-added"), server, others));
              }
            });
    return plans;
  }

  private boolean isActive(ShardId shard) {
    return table()
        .flatMap(state -> state.shard(shard))
        .filter(known -> known.phase() == ShardPhase.ACTIVE)
        .isPresent();
  }

  /**
   * Submits the group's job, as {@code flink run} does.
   *
   * @param state what to restore
   * @return whether there was a shard to read
   */
  boolean submit(Optional<GroupJob.State> state) {
    long known = ledger().map(group -> group.incarnation().value()).orElse(0L);
    return submit(state, world.registry.countIncarnation(name, known));
  }

  boolean submit(Optional<GroupJob.State> state, Incarnation incarnation) {
    List<SourcePlan> plans = plans();
    Optional<ShardId> foreign = foreignShard;
    foreignShard = Optional.empty();
    if (plans.isEmpty()) {
      return false;
    }
    Submission submission =
        new Submission(
            World.TABLE,
            name,
            incarnation,
            new SubmissionId(world.nextId()),
            plans,
            new TreeMap<>(),
            world.registry.members().registryVersion());
    if (state.isPresent()) {
      excuseIfDoubtful(state.get());
    }
    boolean pending =
        ledger().isPresent()
            && current.filter(job -> job.lastSealed() > ledger().get().epoch().value()).isPresent();
    if (pending) {
      world.tally.count(MatrixLine.PREDECESSOR_PENDING);
    }
    current = Optional.of(GroupJob.start(world, this, submission, state));
    current.get().readsForeign(foreign);
    return true;
  }

  /** Only the newest submission's newest state is surely one to go on from. */
  private void excuseIfDoubtful(GroupJob.State state) {
    boolean newest =
        current.isPresent()
            && current.get().newestState().filter(s -> s == state).isPresent()
            && state
                .sealer()
                .chain()
                .filter(
                    chain ->
                        world.metastore.truth() != null
                            && chain.tableUuid().equals(world.metastore.truth().uuid()))
                .isPresent();
    if (!newest) {
      excuses.add(HaltCode.REWOUND);
      excuses.add(HaltCode.GAP);
    }
  }
}
