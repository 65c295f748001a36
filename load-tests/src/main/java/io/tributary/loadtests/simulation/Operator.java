package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import java.util.List;
import java.util.Optional;

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
        world.timeline.note(() -> "the operator puts the newest metadata back");
        world.metastore.repair();
        tamperedSince = -1;
      }
    } else {
      tamperedSince = -1;
    }
    if (!working) {
      world.startCoordinator();
    }
    tablelessSince =
        world.metastore.truth() != null ? -1 : tablelessSince < 0 ? now : tablelessSince;
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
