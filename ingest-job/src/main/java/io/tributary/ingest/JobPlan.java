package io.tributary.ingest;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.registry.CopyReaders;
import io.tributary.registry.ServerIdRange;
import io.tributary.registry.ShardSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The readers of a job. A server has one, unless some of its shards are still to be copied while
 * the changes of others flow already: a new shard is copied by a reader of its own, since adding it
 * to a running one starves the others.
 *
 * @param readers at least one
 */
record JobPlan(List<Reader> readers) {
  private static final Logger LOG = LoggerFactory.getLogger(JobPlan.class);

  /**
   * One reader of a server.
   *
   * @param plan its name and shards
   * @param spec how to read them
   */
  record Reader(SourcePlan plan, SourceSpec spec) {
    Reader {
      Objects.requireNonNull(plan, "plan");
      Objects.requireNonNull(spec, "spec");
    }
  }

  JobPlan {
    readers = List.copyOf(readers);
  }

  /**
   * The shards that a job reads when it is submitted now: those that the table says are halted stay
   * so until the operator acts, and keep none of the others from going on. Their tables are not
   * even looked at: they may be what is wrong.
   *
   * @param shards the active ones of the group in the registry
   * @param table what the table knows now, if it is there
   * @throws IllegalArgumentException when all of them are halted; names each with its reason
   */
  static List<ShardSpec> toRead(
      GroupName group,
      List<ShardSpec> shards,
      Optional<TableState> table,
      Map<ShardId, Long> resyncs) {
    Map<ShardId, ShardState> known =
        table.map(TableState::shards).orElseGet(Collections::emptySortedMap);
    Set<ShardId> halted = 
        CopyReaders.halted(shards.stream().map(ShardSpec::id).toList(), known, resyncs);
    List<ShardSpec> read = shards.stream().filter(shard -> !halted.contains(shard.id())).toList();
    if (read.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot start group %s: expected at least one active shard that is not halted in the table, found %s"
              .formatted(group, haltText(halted, known)));
    }
    if (!halted.isEmpty()) {
      LOG.warn("Group {} goes on without {}", group, haltText(halted, known));
    }
    return read;
  }

  private static String haltText(Set<ShardId> halted, Map<ShardId, ShardState> known) {
    return halted.stream()
            .map(
                shard ->
                    "shard %s halted (%s)"
                        .formatted(shard, known.get(shard).haltReason().orElse("no reason given")))
            .collect(Collectors.joining(", "))
        + "; cure: remove the cause, raise the shard's 'resync' in the registry and start the group anew without Flink state: it is copied anew";
  }

  /**
   * @param sources one per server
   * @param parallelism of each reader, at least 1
   * @param table what the table knows now, if it is there
   * @param resyncs the registry's number of the copy of each shard; 0 where missing
   * @throws IllegalArgumentException when a server has too few replica ids for two readers
   */
  static JobPlan of(
      List<SourceSpec> sources,
      int parallelism,
      Optional<TableState> table,
      Map<ShardId, Long> resyncs) {
    List<Reader> readers = new ArrayList<>();
    Map<ShardId, ShardState> known =
        table.map(TableState::shards).orElseGet(Collections::emptySortedMap);
    for (SourceSpec source : sources) {
      Map<String, SortedSet<ShardId>> wanted =
          CopyReaders.of(source.server(), source.shardIds(), known, resyncs);
      Optional<String> problem =
          CopyReaders.problem(
              source.server(),
              source.shardIds(),
              known,
              resyncs,
              new ServerIdRange(source.firstServerId(), source.lastServerId()),
              parallelism);
      if (problem.isPresent()) {
        throw new IllegalArgumentException(problem.get());
      }
      long first = source.firstServerId();
      int left = wanted.size();
      for (Map.Entry<String, SortedSet<ShardId>> one : wanted.entrySet()) {
        // The last takes the rest of the ids.
        long last = --left == 0 ? source.lastServerId() : first + parallelism - 1;
        readers.add(
            reader(
                one.getKey(),
                source.withShards(
                    source.shards().stream()
                        .filter(shard -> one.getValue().contains(shard.id()))
                        .toList(),
                    first,
                    last)));
        first = last + 1;
      }
    }
    return new JobPlan(readers);
  }

  private static Reader reader(String name, SourceSpec spec) {
    return new Reader(new SourcePlan(new SourceId(name), spec.server(), spec.shardIds()), spec);
  }

  List<SourcePlan> sources() {
    return readers.stream().map(Reader::plan).toList();
  }
}
