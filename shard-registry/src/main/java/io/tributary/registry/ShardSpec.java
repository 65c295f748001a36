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
 */
public record ShardSpec(
    ShardId id,
    TableName table,
    GroupName group,
    ServerName server,
    SourceTable source,
    DesiredState state) {
  public ShardSpec {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(state, "state");
  }
}
