package io.tributary.loadtests.fleet;

import java.time.Duration;

/**
 * How many of everything.
 *
 * @param shards 1 to 1,000, a multiple of the groups
 * @param groups 1 to 64, each within one server
 * @param servers 1 to 16
 * @param rowsOfAShard before the copy, at least 1
 * @param checkpointInterval of the groups and the coordinator; whole seconds, at least 1 s
 * @param resubmissions of groups' jobs, one after the other, at least 0
 */
record FleetSize(
    int shards,
    int groups,
    int servers,
    int rowsOfAShard,
    Duration checkpointInterval,
    int resubmissions) {
  /**
   * @throws IllegalArgumentException naming what is out of its range
   */
  FleetSize {
    require("shards", shards, 1, 1_000);
    require("groups", groups, 1, 64);
    require("servers", servers, 1, 16);
    require("rows of a shard", rowsOfAShard, 1, 1_000_000);
    require("resubmissions", resubmissions, 0, 10_000);
    if (shards % groups != 0) {
      throw new IllegalArgumentException(
          "Cannot run %d shards in %d groups: expected a multiple of the groups"
              .formatted(shards, groups));
    }
    if (checkpointInterval.toSeconds() < 1 || checkpointInterval.toNanosPart() != 0) {
      throw new IllegalArgumentException(
          "Cannot run with a checkpoint interval of %s: expected whole seconds, at least one"
              .formatted(checkpointInterval));
    }
  }

  int shardsOfAGroup() {
    return shards / groups;
  }

  private static void require(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "Cannot run %d %s: expected %d to %d".formatted(value, what, least, most));
    }
  }
}
