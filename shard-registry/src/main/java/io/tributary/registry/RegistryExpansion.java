package io.tributary.registry;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The exact list of source tables that a registry stands for, patterns expanded: what a dry run
 * shows. Names are exact; no other table is ever read.
 */
public record RegistryExpansion(List<Entry> entries) {
  /** One shard and the server it is read from. */
  public record Entry(ShardSpec shard, String hostname, int port) {
    @Override
    public String toString() {
      return "%s\tshard %s\t%s\tgroup %s\tserver %s (%s:%d)\t%s"
          .formatted(
              shard.table(),
              shard.id(),
              shard.state().word(),
              shard.group(),
              shard.server(),
              hostname,
              port,
              shard.source());
    }
  }

  public RegistryExpansion {
    entries = List.copyOf(entries);
  }

  /** The expansion of a registry, by table and shard number. */
  public static RegistryExpansion of(Registry registry) {
    return new RegistryExpansion(
        registry.shards().stream()
            .map(
                shard -> {
                  ServerSpec server = registry.server(shard.server());
                  return new Entry(shard, server.hostname(), server.port());
                })
            .toList());
  }

  /** One line a shard, columns separated by tabs. */
  public String render() {
    return entries.stream().map(entry -> entry + "\n").collect(Collectors.joining());
  }
}
