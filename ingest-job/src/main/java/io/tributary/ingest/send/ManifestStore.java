package io.tributary.ingest.send;

import io.tributary.protocol.Committable;
import io.tributary.protocol.CommittableManifest;

/** Where manifests lie that are too large for a message. */
@FunctionalInterface
interface ManifestStore {
  /**
   * Stores a manifest; storing it again is harmless.
   *
   * @throws RuntimeException when it is not known to be stored; try again
   */
  CommittableManifest.Stored store(Committable committable, CommittableManifest.Inline manifest);
}
