package io.tributary.registry;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import java.util.Objects;

/**
 * One shard: one physical MySQL table.
 *
 * @param id its number within the Iceberg table, never reused
 * @param table the Iceberg table it belongs to, which is its group's
 * @param group the group that reads it
 * @param server the server it lies on
 * @param source its exact database and table there
 * @param state what the operator wants of it
 * @param resync the number of the copy that is wanted of its rows, at least 0: while the table's is
 *     below it the shard is copied anew at the next start of its group
 */
public record ShardSpec(
    ShardId id,
    TableName table,
    GroupName group,
    ServerName server,
    SourceTable source,
    DesiredState state,
    int resync) {
  /**
   * @throws IllegalArgumentException when the resync number is below 0
   */
  public ShardSpec {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(state, "state");
    if (resync < 0) {
      throw new IllegalArgumentException(
          "Cannot use shard %s: expected a resync number not below 0, found %d"
              .formatted(id, resync));
    }
  }

  /** A shard that is not to be copied anew. */
  public ShardSpec(
      ShardId id,
      TableName table,
      GroupName group,
      ServerName server,
      SourceTable source,
      DesiredState state) {
    this(id, table, group, server, source, state, 0);
  }
}
