package io.tributary.coordinator.core;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a registry says about one table's shards.
 *
 * @param registryVersion the version it was published as, 0 when read from a file
 * @param shards every shard of the table, the paused and retired ones included
 */
public record Members(long registryVersion, SortedMap<ShardId, Member> shards) {
  /** What the operator wants of a shard. */
  public enum Desired {
    ACTIVE,
    PAUSED,
    RETIRED
  }

  /** Who reads a shard, from where, and whether it should be read. */
  public record Member(GroupName group, ServerName server, Desired desired) {
    public Member {
      Objects.requireNonNull(group, "group");
      Objects.requireNonNull(server, "server");
      Objects.requireNonNull(desired, "desired");
    }

    public static Member active(GroupName group, ServerName server) {
      return new Member(group, server, Desired.ACTIVE);
    }
  }

  /**
   * @throws IllegalArgumentException when the version is negative
   */
  public Members {
    shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
    if (registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot use a registry version: expected at least 0, found " + registryVersion);
    }
  }

  public static Members of(long registryVersion, Map<ShardId, Member> shards) {
    return new Members(registryVersion, new TreeMap<>(shards));
  }
}
