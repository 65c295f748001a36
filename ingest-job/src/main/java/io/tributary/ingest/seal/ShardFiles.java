package io.tributary.ingest.seal;

import io.tributary.protocol.ShardId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Takes manifests apart by shard and puts them together again; only they say whose files are. */
public interface ShardFiles {
  /**
   * What a writer closed, in parts.
   *
   * @param of the files of each shard that was asked for and has any
   * @param others those of all other shards
   */
  record Parts(SortedMap<ShardId, WrittenFiles> of, Optional<WrittenFiles> others) {
    public Parts {
      of = Collections.unmodifiableSortedMap(new TreeMap<>((Map<ShardId, WrittenFiles>) of));
      Objects.requireNonNull(others, "others");
    }
  }

  /**
   * @param layout the files were written for
   * @param shards whose files are wanted apart
   * @throws RuntimeException when the manifests cannot be read
   */
  Parts split(WrittenFiles files, TableLayout layout, Set<ShardId> shards);

  /**
   * The same files in as few manifests as can be.
   *
   * @param files at least one, all written for the layout
   * @throws RuntimeException when the manifests cannot be read
   */
  WrittenFiles merge(List<WrittenFiles> files, TableLayout layout);
}
