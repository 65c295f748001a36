package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes faults happen. Those that wait for a moment are counted when it has come. */
final class Faults {
  private static final long MINIMUM_AGE = 16_000;
  private static final FaultKind[] KINDS = FaultKind.values();

  private final World world;

  Faults(World world) {
    this.world = world;
  }

  void plan(int count, int from, int to) {
    for (int i = 0; i < count; i++) {
      FaultKind kind = KINDS[world.random.nextInt(KINDS.length)];
      world.timeline.after(world.between(from, to), "fault", kind.name(), () -> attempt(kind, 6));
    }
  }

  private void attempt(FaultKind kind, int tries) {
    if (world.calm) {
      return;
    }
    GroupModel group = world.oneOf(world.groups);
    if (happens(kind, group)) {
      world.timeline.note(() -> "FAULT " + kind);
    } else if (tries > 0) {
      world.timeline.after(900, "fault", kind.name(), () -> attempt(kind, tries - 1));
    }
  }

  private boolean happens(FaultKind kind, GroupModel group) {
    return switch (kind) {
      case COORDINATOR_CRASH,
          COORDINATOR_CRASH_AT_STEP,
          COORDINATOR_PAUSED_AT_STEP,
          SECOND_COORDINATOR,
          SLOW_TAKEOVER ->
          coordinator(kind);
      case ANSWER_LOST_APPLIED -> decide(Metastore.Fate.LOST_APPLIED);
      case ANSWER_LOST_NEVER_APPLIED -> decide(Metastore.Fate.LOST_NEVER);
      case ANSWER_LOST_APPLIED_LATE -> decide(Metastore.Fate.LOST_LATE);
      case REFUSAL_AFTER_APPLYING -> decide(Metastore.Fate.REFUSED_THOUGH_APPLIED);
      case METASTORE_DOWN -> {
        count(kind, MatrixLine.METASTORE_OR_REGISTRY_DOWN);
        world.metastore.setDown(true);
        world.timeline.after(
            world.between(500, 4_000),
            "metastore",
            "is back",
            () -> world.metastore.setDown(false));
        yield true;
      }
      case KAFKA_DOWN -> {
        count(kind, MatrixLine.KAFKA_DOWN);
        world.kafkaDown = true;
        world.timeline.after(
            world.between(500, 4_000), "Kafka", "is back", () -> world.kafkaDown = false);
        yield true;
      }
      case MESSAGE_UNANSWERED -> {
        world.setMessageFate(
            world.chance(50) ? World.MessageFate.LOST : World.MessageFate.UNANSWERED);
        yield true;
      }
      case REGISTRY_DOWN -> {
        count(kind, MatrixLine.METASTORE_OR_REGISTRY_DOWN);
        world.registry.setDown(true);
        world.timeline.after(
            world.between(1_000, 6_000),
            "registry",
            "is back",
            () -> world.registry.setDown(false));
        yield true;
      }
      case FOREIGN_COMMIT, SNAPSHOTS_EXPIRED, EAGER_CLEANUP, ORPHAN_CLEANUP ->
          maintenance(kind, group);
      case ROLLED_BACK,
          FOREIGN_ROWS,
          TAG_REMOVED,
          REPLACED,
          STATE_REMOVED,
          CREATED_BY_OTHERS,
          RESTORED,
          RESTORED_WITHOUT_COLUMNS,
          RESTORED_WITH_OTHER_COLUMNS,
          DROPPED,
          RECREATED ->
          tamper(kind, group);
      case CONTROL_RECORDS_DELETED, CONTROL_TOPIC_RECREATED -> tamperWithTopic(kind);
      case SHARD_ADDED, SHARD_PAUSED, ALL_PAUSED, SHARD_RETIRED, SHARD_MOVED ->
          membership(kind, group);
      case COLUMN_IN_SEVERAL_SHARDS -> {
        boolean several = world.statements.everywhere();
        if (several) {
          count(kind);
        }
        yield several;
      }
      case SHARD_TRUNCATED -> truncated(group);
      case COLUMNS_ANSWER_LOST -> {
        world.metastore.decideWithColumns(
            world.oneOf(
                List.of(
                    Metastore.Fate.LOST_APPLIED,
                    Metastore.Fate.LOST_NEVER,
                    Metastore.Fate.LOST_LATE)));
        world.statements.soon(group);
        yield true;
      }
      case COORDINATOR_CRASH_WITH_COLUMNS -> {
        world.trap(CoordinatorProcess.Step.COLUMNS_CHECKED, World.Catch.KILL);
        world.statements.soon(group);
        yield true;
      }
      case REQUEST_LOST,
          REQUEST_SENT_TWICE,
          JOB_CRASH_WHILE_ASKING,
          RESTART_WHILE_ASKING,
          ZOMBIE_ASKS -> {
        group.whenAsking = Optional.of(kind);
        world.statements.soon(group);
        yield true;
      }
      default -> job(kind, group);
    };
  }

  private void count(FaultKind kind) {
    world.tally.count(kind);
  }

  private void count(FaultKind kind, MatrixLine line) {
    world.tally.count(kind);
    world.tally.count(line);
  }

  // ------------------------------------------------------------------ coordinators

  private boolean coordinator(FaultKind kind) {
    List<CoordinatorProcess> alive =
        world.coordinators.stream().filter(CoordinatorProcess::isAlive).toList();
    if (alive.isEmpty()) {
      return false;
    }
    switch (kind) {
      case COORDINATOR_CRASH -> {
        count(kind, MatrixLine.COORDINATOR_DIES);
        world.oneOf(alive).kill();
      }
      case SECOND_COORDINATOR -> {
        count(kind);
        world.startCoordinator();
      }
      case SLOW_TAKEOVER -> {
        world.trap(CoordinatorProcess.Step.BEFORE_MESSAGE, World.Catch.STOP);
        world.slowTakeover = world.between(4_000, 9_000);
      }
      default -> {
        CoordinatorProcess.Step[] steps = CoordinatorProcess.Step.values();
        CoordinatorProcess.Step step = steps[world.random.nextInt(steps.length)];
        world.trap(
            step,
            kind == FaultKind.COORDINATOR_CRASH_AT_STEP ? World.Catch.KILL : World.Catch.STOP);
        if (step == CoordinatorProcess.Step.CLAIM_CHECKED
            || step == CoordinatorProcess.Step.FENCED) {
          world.startCoordinator();
        }
      }
    }
    return true;
  }

  private boolean decide(Metastore.Fate fate) {
    world.metastore.decide(fate);
    if (world.chance(30)) {
      world.timeline.after(
          world.between(500, 3_000),
          "a",
          "foreign commit",
          () -> {
            if (world.metastore.pointer() != null) {
              world.metastore.foreignCommit();
            }
          });
    }
    return true;
  }

  // ------------------------------------------------------------------ the table

  private boolean maintenance(FaultKind kind, GroupModel group) {
    TableVersion table = world.metastore.pointer();
    if (table == null || table.main() == null || world.metastore.isTampered()) {
      return false;
    }
    switch (kind) {
      case FOREIGN_COMMIT -> {
        count(kind, MatrixLine.MAINTENANCE);
        for (int i = world.random.nextInt(12); i >= 0; i--) {
          world.metastore.foreignCommit();
        }
      }
      case SNAPSHOTS_EXPIRED -> {
        count(kind, MatrixLine.MAINTENANCE);
        if (world.chance(70)) {
          world.metastore.foreignCommit();
        }
        world.metastore.expire(world.chance(50));
        world.checks.expired(world.metastore.pointer());
      }
      case EAGER_CLEANUP -> {
        List<ModelFile> pending =
            world.files.all().stream()
                .filter(f -> f.exists && !f.referenced && !f.requested)
                .filter(f -> f.group.equals(group.name))
                .toList();
        if (pending.isEmpty()) {
          return false;
        }
        count(kind, MatrixLine.MAINTENANCE);
        group.excuses.add(HaltCode.MISSING_FILES);
        // A job that goes on from its newest state finds the epochs since then void.
        group.excuses.add(HaltCode.GAP);
        pending.forEach(world::delete);
      }
      default -> {
        List<ModelFile> orphans =
            world.files.all().stream()
                // Between the look at a file and the swap nobody can protect it.
                .filter(f -> f.exists && !f.referenced && !f.requested)
                .filter(f -> f.writtenAt < world.timeline.now() - MINIMUM_AGE)
                .toList();
        if (orphans.isEmpty()) {
          return false;
        }
        count(kind, MatrixLine.MAINTENANCE);
        for (ModelFile file : orphans) {
          if (world.checks.mayBePending(file)) {
            // The minimum age is too small for as long as nothing was committed.
            world.group(file.group).excuses.add(HaltCode.MISSING_FILES);
            world.group(file.group).excuses.add(HaltCode.GAP);
          }
          world.delete(file);
        }
      }
    }
    return true;
  }

  private boolean tamper(FaultKind kind, GroupModel one) {
    TableVersion table = world.metastore.pointer();
    if (table == null || world.metastore.isTampered() || world.status.size() < 3) {
      return false;
    }
    switch (kind) {
      case ROLLED_BACK, FOREIGN_ROWS -> {
        if (table.tag() == null || table.tag().parent() == null) {
          return false;
        }
        TableVersion back = table.withMain(world.nextNumber(), table.tag().parent());
        if (kind == FaultKind.FOREIGN_ROWS) {
          back = withForeignRow(back);
        } else if (world.chance(50)) {
          Snapshot foreign =
              new Snapshot(
                  world.nextNumber(), back.main(), back.lastSequence() + 1, back.main().rows());
          back = back.withMain(world.nextNumber(), foreign);
        }
        world.metastore.tamper(back);
      }
      case RESTORED, RESTORED_WITHOUT_COLUMNS, RESTORED_WITH_OTHER_COLUMNS -> {
        List<TableVersion> older =
            world.metastore.history().stream()
                .filter(v -> v.state().round().value() < world.status.size() - 1)
                .filter(
                    v ->
                        kind == FaultKind.RESTORED
                            || v.schemas().current().schemaId()
                                < table.schemas().current().schemaId())
                .toList();
        if (older.isEmpty()) {
          return false;
        }
        TableVersion back = world.oneOf(older);
        if (kind == FaultKind.RESTORED_WITH_OTHER_COLUMNS) {
          // Another engine adds what is missing again, behind a column of its own.
          back = back.withSchemas(back.schemas().addedByOthers(table.schemas().current()));
          one.current.filter(SimulatedProcess::isAlive).ifPresent(GroupJob::crash);
        }
        if (!table.schemas().holds(back.schemas().current())) {
          // What is written meanwhile, for those columns, is not committed. An older version may
          // have other columns too: one from before a decision to go on from an even older one.
          for (GroupModel group : world.groups) {
            group.excuses.add(HaltCode.WRONG_LAYOUT);
            group.excuses.add(HaltCode.GAP);
          }
        }
        world.metastore.restore(back);
      }
      case TAG_REMOVED -> {
        if (table.tag() == null) {
          return false;
        }
        world.metastore.tamper(table.withoutTag(world.nextNumber()));
      }
      case REPLACED -> {
        for (GroupModel group : world.groups) {
          group.excuses.add(HaltCode.OTHER_TABLE);
        }
        world.metastore.tamper(table.replacedBy(world.nextNumber(), world.metastore.newUuid()));
      }
      case STATE_REMOVED -> world.metastore.tamper(table.withoutState(world.nextNumber()));
      case CREATED_BY_OTHERS -> {
        for (GroupModel group : world.groups) {
          group.excuses.add(HaltCode.OTHER_TABLE);
        }
        Snapshot theirs = new Snapshot(world.nextNumber(), null, 1, Map.of());
        world.metastore.replaceByOthers(
            withForeignRow(
                table.createdByOthers(world.nextNumber(), world.metastore.newUuid(), theirs)));
      }
      case DROPPED -> world.metastore.drop();
      default -> recreate();
    }
    world.tampered();
    count(kind, MatrixLine.TABLE_TAMPERED);
    return true;
  }

  private TableVersion withForeignRow(TableVersion table) {
    ShardId shard = world.oneOf(List.copyOf(world.registry.members().shards().keySet()));
    long sequence = table.lastSequence() + 1;
    Snapshot appended =
        Snapshot.appended(
            table.main(),
            world.nextNumber(),
            sequence,
            shard,
            new Snapshot.Row(world.random.nextInt(Server.KEYS), -1, sequence));
    world.foreignRows.put(appended.id(), shard);
    return table.withMain(world.nextNumber(), appended);
  }

  private boolean tamperWithTopic(FaultKind kind) {
    TableVersion table = world.metastore.truth();
    if (table == null || world.metastore.isTampered() || world.status.size() < 3) {
      return false;
    }
    long needed = table.state().controlOffset();
    if (kind == FaultKind.CONTROL_TOPIC_RECREATED) {
      if (needed == 0) {
        return false;
      }
      world.control.recreate();
    } else {
      if (needed >= world.control.end()) {
        return false;
      }
      world.control.deleteBelow(needed + 1);
    }
    for (GroupModel group : world.groups) {
      group.excuses.add(HaltCode.GAP);
      group.excuses.add(HaltCode.REWOUND);
      group.excuses.add(HaltCode.UNKNOWN_INCARNATION);
    }
    world.tampered();
    count(kind, MatrixLine.TABLE_TAMPERED);
    return true;
  }

  /** Meant to be gone, its messages too; nobody thought of the control topic and the jobs. */
  private void recreate() {
    world.coordinators.forEach(CoordinatorProcess::kill);
    world.metastore.forget();
    world.status.recreate();
    world.files.all().forEach(file -> file.referenced = false);
    for (GroupModel group : world.groups) {
      group.excuses.add(HaltCode.OTHER_TABLE);
      // A new table reads what is left in the topic, and refuses hellos that continue the old one.
      if (group.saidContinuation
          || group.current.filter(job -> job.isAlive() && job.isOpen()).isEmpty()) {
        group.excuses.add(HaltCode.GAP);
        group.excuses.add(HaltCode.REWOUND);
      }
    }
  }

  // ------------------------------------------------------------------ the registry

  private boolean membership(FaultKind kind, GroupModel group) {
    Map<ShardId, Members.Member> shards = world.registry.members().shards();
    if (world.metastore.truth() == null || world.registry.isDown()) {
      return false;
    }
    List<ShardId> active = group.wantedShards();
    boolean paused = shards.values().stream().anyMatch(m -> m.desired() == Members.Desired.PAUSED);
    if (active.isEmpty() || paused) {
      return false;
    }
    ShardId shard = world.oneOf(active);
    switch (kind) {
      case SHARD_ADDED -> {
        ShardId added = new ShardId(6);
        if (shards.containsKey(added)) {
          return false;
        }
        Members.Member like = shards.get(new ShardId(5));
        world.fill(world.server(like.server()), added);
        world.registry.put(added, Members.Member.active(like.group(), like.server()));
      }
      case SHARD_PAUSED -> {
        group.restartsOnPause = world.chance(60);
        world.pause(List.of(shard));
      }
      case ALL_PAUSED -> {
        boolean restart = world.chance(40);
        world.groups.forEach(each -> each.restartsOnPause = restart);
        world.pause(world.groups.stream().flatMap(each -> each.wantedShards().stream()).toList());
      }
      case SHARD_RETIRED -> {
        if (active.size() < 2) {
          return false;
        }
        world.registry.desire(shard, Members.Desired.RETIRED);
      }
      default -> {
        Optional<ShardState> known =
            Optional.ofNullable(world.metastore.truth().state().shards().get(shard));
        GroupModel other = world.oneOf(world.groups);
        if (known.filter(ShardState::started).isEmpty() || other == group) {
          return false;
        }
        for (GroupModel each : List.of(group, other)) {
          each.excuses.add(HaltCode.NOT_OWNED);
          // Behind an epoch that does not get in, the newest state is none to go on from.
          each.excuses.add(HaltCode.GAP);
        }
        Members.Member was = shards.get(shard);
        world.registry.put(shard, Members.Member.active(other.name, was.server()));
        world.moving = true;
        world.timeline.after(
            world.between(1_500, 4_000),
            shard,
            "is moved back",
            () -> {
              world.moving = false;
              world.registry.put(shard, was);
            });
      }
    }
    count(kind, MatrixLine.MEMBERSHIP);
    return true;
  }

  // ------------------------------------------------------------------ jobs

  private boolean job(FaultKind kind, GroupModel group) {
    if (group.current.filter(GroupJob::isAlive).isEmpty()) {
      return false;
    }
    GroupJob job = group.current.get();
    switch (kind) {
      case RECORD_LOST -> {
        group.excuses.add(HaltCode.GAP);
        job.loseNextMessage();
      }
      case JOB_CRASH -> {
        if (world.chance(50)) {
          job.decide(GroupJob.CheckpointFate.CRASH);
        } else {
          count(kind);
          job.crash();
        }
      }
      case JOB_CRASH_WHILE_SENDING -> job.dieWhileSending();
      case CHECKPOINT_ABORTED -> job.decide(GroupJob.CheckpointFate.ABORTED);
      case CHECKPOINT_ABORTED_MIDWAY -> job.decide(GroupJob.CheckpointFate.ABORTED_MIDWAY);
      case SAVEPOINT_UNREPORTED -> job.decide(GroupJob.CheckpointFate.UNREPORTED);
      case RESTART_FROM_STATE -> {
        count(kind);
        job.kill();
        group.submit(job.newestState());
      }
      case RESTART_FROM_OLD_STATE -> {
        if (group.retained.size() < 3) {
          return false;
        }
        group.excuses.add(HaltCode.REWOUND);
        group.excuses.add(HaltCode.GAP);
        count(kind, MatrixLine.REWOUND);
        job.kill();
        group.submit(Optional.of(world.oneOf(group.retained)));
      }
      case START_WITHOUT_STATE -> {
        count(kind);
        job.kill();
        group.submit(Optional.empty());
      }
      case ZOMBIE_JOB -> {
        group.excuses.add(HaltCode.REWOUND);
        count(kind, MatrixLine.ZOMBIE);
        group.submit(world.chance(50) ? job.newestState() : Optional.empty());
      }
      case PAUSED_JOB -> {
        group.excuses.add(HaltCode.REWOUND);
        count(kind, MatrixLine.ZOMBIE);
        job.stop();
        group.submit(world.chance(50) ? job.newestState() : Optional.empty());
        world.timeline.after(world.between(800, 7_000), job, "is woken", job::wake);
      }
      case SAME_INCARNATION -> {
        count(kind, MatrixLine.ZOMBIE);
        group.submit(Optional.empty(), job.submission().incarnation());
      }
      case SLOW_SENDER -> {
        count(kind);
        job.slowDown(world.between(3_000, 7_000));
      }
      case FOREIGN_SHARD_READ -> {
        GroupModel other = world.oneOf(world.groups);
        if (other == group || other.wantedShards().isEmpty()) {
          return false;
        }
        count(kind);
        group.excuses.add(HaltCode.NOT_OWNED);
        group.excuses.add(HaltCode.GAP);
        group.foreignShard = Optional.of(world.oneOf(other.wantedShards()));
        job.kill();
        group.submit(Optional.empty());
      }
      case FILE_MISPLACED -> {
        GroupModel other = world.oneOf(world.groups);
        if (other == group || other.wantedShards().isEmpty()) {
          return false;
        }
        group.excuses.add(HaltCode.NOT_OWNED);
        group.excuses.add(HaltCode.GAP);
        job.misplaceNextFile(world.oneOf(other.wantedShards()));
      }
      case SOURCE_FAULT -> sourceFault(job);
      default -> throw new IllegalStateException("Cannot make fault " + kind);
    }
    return true;
  }

  /** A shard is emptied, and something happens to its job's next barrier. */
  private boolean truncated(GroupModel group) {
    if (!world.statements.truncate(group.wantedShards())) {
      return false;
    }
    count(FaultKind.SHARD_TRUNCATED);
    if (world.chance(60)) {
      group.current.ifPresent(
          job -> job.decide(world.oneOf(List.of(GroupJob.CheckpointFate.values()))));
    }
    return true;
  }

  private void sourceFault(GroupJob job) {
    List<Reader> readers = new ArrayList<>(job.readers());
    Reader reader = world.oneOf(readers);
    count(FaultKind.SOURCE_FAULT);
    reader.fail("the server's binlog is gone");
  }
}
