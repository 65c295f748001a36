package io.tributary.registry;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which readers a job has of a server. Shards are copied by a reader of their own while the changes
 * of others there flow already, since adding a shard to a running reader starves the others; two
 * readers need twice the replica ids. A shard that is halted is not read.
 */
public final class CopyReaders {
  private CopyReaders() {}

  /**
   * The shards whose changes flow already.
   *
   * @param table what the table knows of its shards
   * @param resyncs the registry's number of the copy of each; 0 where missing
   */
  public static SortedSet<ShardId> flowing(
      Collection<ShardId> shards, Map<ShardId, ShardState> table, Map<ShardId, Long> resyncs) {
    return shards.stream()
        .filter(
            shard ->
                table.containsKey(shard)
                    && table.get(shard).goesOn(resyncs.getOrDefault(shard, 0L)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The shards that a fault has stopped, and that nothing but the operator brings back.
   *
   * @param table what the table knows of its shards
   * @param resyncs the registry's number of the copy of each, which brings one back when it is
   *     raised; 0 where missing
   */
  public static SortedSet<ShardId> halted(
      Collection<ShardId> shards, Map<ShardId, ShardState> table, Map<ShardId, Long> resyncs) {
    return shards.stream()
        .filter(
            shard ->
                table.containsKey(shard)
                    && table.get(shard).phase() == ShardPhase.HALTED
                    && resyncs.getOrDefault(shard, 0L) <= table.get(shard).resync())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * The readers that a job has of a server when it is submitted now.
   *
   * @param shards all of the server that the group's job is to read
   * @param table what the table knows of its shards
   * @param resyncs the registry's number of the copy of each; 0 where missing
   * @return the shards of each by its name, the one whose changes flow first; none when all are
   *     halted
   */
  public static Map<String, SortedSet<ShardId>> of(
      ServerName server,
      Collection<ShardId> shards,
      Map<ShardId, ShardState> table,
      Map<ShardId, Long> resyncs) {
    SortedSet<ShardId> read = new TreeSet<>(shards);
    read.removeAll(halted(shards, table, resyncs));
    SortedSet<ShardId> flowing = flowing(read, table, resyncs);
    Map<String, SortedSet<ShardId>> readers = new LinkedHashMap<>();
    String name = "source-" + server;
    if (read.isEmpty()) {
      return readers;
    }
    if (flowing.isEmpty() || flowing.size() == read.size()) {
      readers.put(name, read);
      return readers;
    }
    SortedSet<ShardId> added = new TreeSet<>(read);
    added.removeAll(flowing);
    readers.put(name, flowing);
    readers.put(name + "-added", added);
    return readers;
  }

  /** Readers in one line, the same for the same ones: {@code source-db1=0,1;source-db1-added=2}. */
  public static String text(Map<String, ? extends Collection<ShardId>> readers) {
    return new TreeMap<>(readers)
        .entrySet().stream()
            .map(
                reader ->
                    reader.getKey()
                        + "="
                        + new TreeSet<>(reader.getValue())
                            .stream().map(ShardId::toString).collect(Collectors.joining(",")))
            .collect(Collectors.joining(";"));
  }

  /**
   * Why a job that is submitted now cannot copy the other shards of a server; empty when it can, or
   * when there is nothing to copy beside others.
   *
   * @param shards all that the job reads of the server
   * @param resyncs the registry's number of the copy of each; 0 where missing
   * @param ids the group's replica ids there
   */
  public static Optional<String> problem(
      ServerName server,
      Collection<ShardId> shards,
      Map<ShardId, ShardState> table,
      Map<ShardId, Long> resyncs,
      ServerIdRange ids,
      int parallelism) {
    Set<ShardId> flowing = flowing(shards, table, resyncs);
    return of(server, shards, table, resyncs).size() < 2 || ids.width() >= 2L * parallelism
        ? Optional.empty()
        : Optional.of(
            "Cannot copy shards of server %s beside shards %s whose changes flow: expected %d server ids, two for each of %d subtasks, found %s; widen server-ids of the group in the registry"
                .formatted(server, flowing, 2L * parallelism, parallelism, ids));
  }
}
