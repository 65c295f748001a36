package io.tributary.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A shard's number that stands for another source than before. Its rows in the table are those of
 * the old source, and the new source's old rows would never be copied: nothing in the pipeline can
 * tell one table's rows from another's.
 *
 * @param before the shard as it was last to be read
 * @param after the shard as it is now to be read, from another server, database or table
 */
public record SourceChange(ShardSpec before, ShardSpec after) {
  /**
   * @throws IllegalArgumentException when both are not one number, or name one source
   */
  public SourceChange {
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
    if (!isSame(before, after) || !differs(before, after)) {
      throw new IllegalArgumentException(
          "Cannot compare sources: expected one shard with two, found %s and %s"
              .formatted(before, after));
    }
  }

  /**
   * The shards that both registries read, and not from the same place. A shard that either has
   * retired is not read, so it is none of them.
   */
  public static List<SourceChange> between(Registry before, Registry after) {
    Map<RegistryPlaces.Numbered, ShardSpec> read = new HashMap<>();
    for (ShardSpec was : before.shards()) {
      if (was.state() != DesiredState.RETIRED) {
        read.put(new RegistryPlaces.Numbered(was.table(), was.id()), was);
      }
    }
    List<SourceChange> changes = new ArrayList<>();
    for (ShardSpec now : after.shards()) {
      ShardSpec was = read.get(new RegistryPlaces.Numbered(now.table(), now.id()));
      if (was != null && now.state() != DesiredState.RETIRED && differs(was, now)) {
        changes.add(new SourceChange(was, now));
      }
    }
    return changes;
  }

  private static boolean isSame(ShardSpec one, ShardSpec other) {
    return one.table().equals(other.table()) && one.id().equals(other.id());
  }

  private static boolean differs(ShardSpec before, ShardSpec after) {
    return !before.server().equals(after.server()) || !before.source().equals(after.source());
  }

  /** Whether it is to be read from another server of the registry. */
  public boolean ofServer() {
    return !before.server().equals(after.server());
  }

  /** {@code shard 3 of shop.orders: shop.orders_3 on a -> shop.orders_4 on a}. */
  @Override
  public String toString() {
    return "shard %s of %s: %s on %s -> %s on %s"
        .formatted(
            after.id(),
            after.table(),
            before.source(),
            before.server(),
            after.source(),
            after.server());
  }
}
