package io.tributary.ingest;

import io.tributary.ingest.seal.SourceId;
import io.tributary.ingest.seal.SourcePlan;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.registry.CopyReaders;
import io.tributary.registry.ServerIdRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The readers of a job. A server has one, unless some of its shards are still to be copied while
 * the changes of others flow already: a new shard is copied by a reader of its own, since adding it
 * to a running one starves the others.
 *
 * @param readers at least one
 */
record JobPlan(List<Reader> readers) {
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
   * @param sources one per server
   * @param parallelism of each reader, at least 1
   * @param table what the table knows now, if it is there
   * @throws IllegalArgumentException when a server has too few replica ids for two readers
   */
  static JobPlan of(List<SourceSpec> sources, int parallelism, Optional<TableState> table) {
    List<Reader> readers = new ArrayList<>();
    Map<ShardId, ShardState> known =
        table.map(TableState::shards).orElseGet(Collections::emptySortedMap);
    for (SourceSpec source : sources) {
      Set<ShardId> active = CopyReaders.flowing(source.shardIds(), known);
      String name = "source-" + source.server();
      if (active.isEmpty() || active.size() == source.shards().size()) {
        readers.add(reader(name, source));
        continue;
      }
      Optional<String> problem =
          CopyReaders.problem(
              source.server(),
              source.shardIds(),
              known,
              new ServerIdRange(source.firstServerId(), source.lastServerId()),
              parallelism);
      if (problem.isPresent()) {
        throw new IllegalArgumentException(problem.get());
      }
      readers.add(
          reader(
              name,
              source.withShards(
                  source.shards().stream().filter(shard -> active.contains(shard.id())).toList(),
                  source.firstServerId(),
                  source.firstServerId() + parallelism - 1)));
      readers.add(
          reader(
              name + "-added",
              source.withShards(
                  source.shards().stream().filter(shard -> !active.contains(shard.id())).toList(),
                  source.firstServerId() + parallelism,
                  source.lastServerId())));
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
