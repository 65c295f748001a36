package io.tributary.registry;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * When shards of a server are copied by a reader of their own: while the changes of others there
 * flow already, since adding a shard to a running reader starves the others. Two readers need twice
 * the replica ids.
 */
public final class CopyReaders {
  private CopyReaders() {}

  /**
   * The shards whose changes flow already.
   *
   * @param table what the table knows of its shards
   */
  public static Set<ShardId> flowing(Collection<ShardId> shards, Map<ShardId, ShardState> table) {
    return shards.stream()
        .filter(shard -> table.containsKey(shard) && table.get(shard).phase() == ShardPhase.ACTIVE)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Why a job that is submitted now cannot copy the other shards of a server; empty when it can, or
   * when there is nothing to copy beside others.
   *
   * @param shards all that the job reads of the server
   * @param ids the group's replica ids there
   */
  public static Optional<String> problem(
      ServerName server,
      Collection<ShardId> shards,
      Map<ShardId, ShardState> table,
      ServerIdRange ids,
      int parallelism) {
    Set<ShardId> flowing = flowing(shards, table);
    return flowing.isEmpty() || flowing.size() == shards.size() || ids.width() >= 2L * parallelism
        ? Optional.empty()
        : Optional.of(
            "Cannot copy new shards of server %s beside shards %s whose changes flow: expected %d server ids, two for each of %d subtasks, found %s; widen server-ids of the group in the registry"
                .formatted(server, flowing, 2L * parallelism, parallelism, ids));
  }
}
