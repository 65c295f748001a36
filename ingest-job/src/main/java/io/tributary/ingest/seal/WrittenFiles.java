package io.tributary.ingest.seal;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import java.util.List;
import java.util.Objects;

/**
 * Files that one writer closed at one barrier and that may share a sequence number.
 *
 * @param manifests at least one
 * @param counts what the manifests hold, not empty
 */
public record WrittenFiles(List<CommittableManifest> manifests, FileCounts counts) {
  /**
   * @throws IllegalArgumentException when there are no files
   */
  public WrittenFiles {
    manifests = List.copyOf(manifests);
    Objects.requireNonNull(counts, "counts");
    if (manifests.isEmpty() || counts.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot hand over written files: expected at least one manifest and one file, found "
              + manifests.size()
              + " manifests with "
              + counts);
    }
  }
}
