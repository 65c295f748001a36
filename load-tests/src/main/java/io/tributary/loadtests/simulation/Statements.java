package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Members;
import io.tributary.ingest.row.ColumnType;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Alters and empties the shards' tables, as their owners do, while the very rows are changed. */
final class Statements {
  private static final List<String> NAMES = List.of("price", "note_id", "stock");
  private static final List<ColumnType> TYPES =
      List.of(ColumnType.of(ColumnType.Kind.INT), ColumnType.of(ColumnType.Kind.LONG));
  private static final int MOST = 3;

  private final World world;

  Statements(World world) {
    this.world = world;
  }

  /** A few statements between two times. */
  void plan(int from, int to) {
    for (int i = world.random.nextInt(MOST + 1); i > 0; i--) {
      boolean several = world.chance(40);
      boolean empties = world.chance(25);
      world.timeline.after(
          world.between(from, to),
          "a shard's owner",
          "alters or empties it",
          () -> {
            if (empties) {
              truncate(active());
            } else if (several) {
              everywhere();
            } else {
              one(active());
            }
          });
    }
  }

  /** One shard of the group gets a column, or a wider one, within a second. */
  void soon(GroupModel group) {
    world.timeline.after(
        world.between(50, 900), group.name, "is altered", () -> one(group.wantedShards()));
  }

  /**
   * The same column comes at once in several shards, not everywhere of the same width.
   *
   * @return whether there were any
   */
  boolean everywhere() {
    String name = world.oneOf(NAMES);
    int altered = 0;
    for (ShardId shard : active()) {
      if (world.chance(70) && alter(shard, name, world.oneOf(TYPES))) {
        altered++;
      }
    }
    return altered > 1;
  }

  private void one(List<ShardId> shards) {
    if (!shards.isEmpty() && !world.calm) {
      alter(world.oneOf(shards), world.oneOf(NAMES), world.oneOf(TYPES));
    }
  }

  private boolean alter(ShardId shard, String name, ColumnType type) {
    if (world.calm) {
      return false;
    }
    Server server = world.server(world.registry.members().shards().get(shard).server());
    List<Integer> busy =
        List.of(world.random.nextInt(Server.KEYS), world.random.nextInt(Server.KEYS));
    busy.forEach(key -> server.write(world.timeline.now(), shard, key, false));
    boolean altered = server.alter(world.timeline.now(), shard, name, type);
    busy.forEach(key -> server.write(world.timeline.now(), shard, key, false));
    if (altered) {
      world.timeline.note(() -> "shard " + shard + " gets column " + name + " " + type);
    }
    return altered;
  }

  /**
   * One of these shards loses all of its rows and gets some anew.
   *
   * @return whether there was one
   */
  boolean truncate(List<ShardId> shards) {
    if (shards.isEmpty() || world.calm) {
      return false;
    }
    ShardId shard = world.oneOf(shards);
    Server server = world.server(world.registry.members().shards().get(shard).server());
    long now = world.timeline.now();
    for (int i = world.random.nextInt(3); i > 0; i--) {
      server.write(now, shard, world.random.nextInt(Server.KEYS), false);
    }
    server.truncate(now, shard);
    for (int i = world.random.nextInt(3); i > 0; i--) {
      server.write(now, shard, world.random.nextInt(Server.KEYS), false);
    }
    world.timeline.note(() -> "shard " + shard + " is truncated");
    return true;
  }

  private List<ShardId> active() {
    List<ShardId> shards = new ArrayList<>();
    for (Map.Entry<ShardId, Members.Member> each : world.registry.members().shards().entrySet()) {
      if (each.getValue().desired() == Members.Desired.ACTIVE) {
        shards.add(each.getKey());
      }
    }
    return shards;
  }
}
