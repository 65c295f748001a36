package io.tributary.registry.zookeeper;

import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryVersion;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.SourceChange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * From where the shards' numbers were last read, by all that was ever published: a number that went
 * and comes back stands for the source that it had.
 */
public final class SourceHistory {
  private final RegistryStore store;

  public SourceHistory(RegistryStore store) {
    this.store = store;
  }

  /**
   * The shards that a registry reads from another source than they were last read from, by the
   * newest published version that read each.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Map<RegistryVersion, List<SourceChange>> changes(Registry wanted) {
    Map<RegistryVersion, List<SourceChange>> changes = new TreeMap<>();
    Set<String> open = new HashSet<>();
    reads(wanted).forEach(shard -> open.add(key(shard)));
    List<RegistryVersion> versions = store.versions();
    for (int i = versions.size() - 1; i >= 0 && !open.isEmpty(); i--) {
      RegistryVersion version = versions.get(i);
      Registry before = store.version(version).orElseThrow().registry();
      List<SourceChange> here = new ArrayList<>();
      for (SourceChange change : SourceChange.between(before, wanted)) {
        if (open.contains(key(change.after()))) {
          here.add(change);
        }
      }
      if (!here.isEmpty()) {
        changes.put(version, here);
      }
      reads(before).forEach(shard -> open.remove(key(shard)));
    }
    return changes;
  }

  private static List<ShardSpec> reads(Registry registry) {
    return registry.shards().stream()
        .filter(shard -> shard.state() != DesiredState.RETIRED)
        .toList();
  }

  private static String key(ShardSpec shard) {
    return shard.table() + " " + shard.id();
  }
}
