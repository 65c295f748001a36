package io.tributary.coordinator.iceberg;

import java.util.List;
import org.apache.iceberg.ManifestFile;

/**
 * Manifests that list the same files as others do, in fewer and larger ones.
 *
 * @param replaced manifests of the table
 * @param written what is to take their place; referenced by nobody yet
 */
record MergedManifests(List<ManifestFile> replaced, List<ManifestFile> written) {
  static final MergedManifests NONE = new MergedManifests(List.of(), List.of());

  MergedManifests {
    replaced = List.copyOf(replaced);
    written = List.copyOf(written);
  }

  boolean isEmpty() {
    return replaced.isEmpty();
  }
}
