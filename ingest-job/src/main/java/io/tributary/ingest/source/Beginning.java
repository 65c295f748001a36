package io.tributary.ingest.source;

import io.tributary.ingest.seal.SealerProtection;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where a reader of active shards begins. A shard that came from another group stands at a position
 * of its own, the others where their group has read the server. The reader begins with the earliest
 * of them, and leaves out what lies before a shard's own.
 *
 * @param position where to begin
 * @param ends of the shards whose rows in the table end behind that: where they do
 */
public record Beginning(SourcePosition position, SortedMap<ShardId, SourcePosition> ends) {
  public Beginning {
    Objects.requireNonNull(position, "position");
    ends = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, SourcePosition>) ends));
  }

  /**
   * @param shards active ones
   * @return empty when the table has no position of one of them
   * @throws TerminalSourceException when positions are of different servers
   */
  public static Optional<Beginning> of(
      TableState table,
      GroupName group,
      ServerName server,
      List<ShardId> shards,
      Set<SealerProtection> protections) {
    SortedMap<ShardId, SourcePosition> all = new TreeMap<>();
    for (ShardId shard : shards) {
      Optional<SourcePosition> own =
          protections.contains(SealerProtection.OWN_POSITIONS)
              ? table.shard(shard).flatMap(ShardState::ownPosition)
              : Optional.empty();
      Optional<SourcePosition> its = own.or(() -> table.source(group, server));
      if (its.isEmpty()) {
        return Optional.empty();
      }
      all.put(shard, its.get());
    }
    List<String> servers =
        all.values().stream().flatMap(p -> p.serverIdentity().stream()).distinct().toList();
    if (servers.size() > 1) {
      throw new TerminalSourceException(
          "Cannot read server %s for group %s: expected positions of one server, found those of %s (%s); cure: pause the shards that came to the group, start it anew, then resume them: they are copied anew"
              .formatted(server, group, servers, all));
    }
    Optional<SourcePosition> first = all.values().stream().min(BinlogOrder::compareExactly);
    return first.map(
        position -> {
          all.values().removeIf(its -> BinlogOrder.compareExactly(its, position) <= 0);
          return new Beginning(
              position,
              protections.contains(SealerProtection.OWN_ENDS) ? all : Collections.emptySortedMap());
        });
  }
}
