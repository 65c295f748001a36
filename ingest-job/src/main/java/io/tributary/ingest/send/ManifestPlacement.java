package io.tributary.ingest.send;

import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which manifests travel in a message: all, unless together they are too large; then the
 * largest are stored beside the table until the rest fits. The chain hash names a manifest by its
 * content, so that it does not matter where it lies.
 */
final class ManifestPlacement {
  private final long inlineLimit;
  private final ManifestStore store;

  /**
   * @param inlineLimit bytes of manifests in one message at most
   */
  ManifestPlacement(long inlineLimit, ManifestStore store) {
    this.inlineLimit = inlineLimit;
    this.store = store;
  }

  /**
   * @throws RuntimeException when a manifest cannot be stored; try again
   */
  Committable place(Committable committable) {
    List<CommittableManifest.Inline> inline = new ArrayList<>();
    for (Slice slice : committable.slices()) {
      for (CommittableManifest manifest : slice.manifests()) {
        if (manifest instanceof CommittableManifest.Inline bytes) {
          inline.add(bytes);
        }
      }
    }
    long total = inline.stream().mapToLong(CommittableManifest::length).sum();
    if (total <= inlineLimit) {
      return committable;
    }
    inline.sort(Comparator.comparingLong(CommittableManifest::length).reversed());
    Set<CommittableManifest> away = new HashSet<>();
    for (CommittableManifest.Inline manifest : inline) {
      if (total <= inlineLimit) {
        break;
      }
      away.add(manifest);
      total -= manifest.length();
    }
    List<Slice> slices = new ArrayList<>();
    for (Slice slice : committable.slices()) {
      List<CommittableManifest> manifests =
          slice.manifests().stream()
              .map(
                  manifest ->
                      away.contains(manifest)
                          ? store.store(committable, (CommittableManifest.Inline) manifest)
                          : manifest)
              .toList();
      slices.add(new Slice(slice.emptyShards(), manifests, slice.counts()));
    }
    return new Committable(
        committable.table(),
        committable.tableUuid(),
        committable.group(),
        committable.incarnation(),
        committable.submission(),
        committable.epoch(),
        committable.previous(),
        committable.chain(),
        committable.schemaId(),
        committable.specId(),
        committable.formatVersion(),
        committable.registryVersion(),
        committable.checkpointId(),
        committable.sealedAt(),
        slices,
        committable.shards(),
        committable.sources());
  }
}
