package io.tributary.registry.zookeeper;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.TableName;
import java.util.Objects;

/**
 * What only one job may do at a time.
 *
 * @param node the lease's node below the registry's path
 * @param what for people
 */
public record LeaseName(String node, String what) {
  public LeaseName {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(what, "what");
  }

  /** Reading the shards of a group. */
  public static LeaseName group(GroupName group) {
    return new LeaseName("group-" + group, "group '" + group + "'");
  }

  /** Committing to a table. */
  public static LeaseName coordinator(TableName table) {
    return new LeaseName("coordinator-" + table, "the coordinator of table '" + table + "'");
  }

  @Override
  public String toString() {
    return what;
  }
}
