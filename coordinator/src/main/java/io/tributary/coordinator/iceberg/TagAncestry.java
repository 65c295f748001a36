package io.tributary.coordinator.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * Whether main descends from a snapshot. The chain of parents answers it as long as nobody expired
 * snapshots in between; then the files that the snapshot added prove it when main still has one of
 * them, because a table that was rolled back behind it has none.
 */
final class TagAncestry {
  enum Answer {
    ANCESTOR,
    NO_ANCESTOR,
    UNPROVEN
  }

  private long provenHead = -1;
  private long provenFor = -1;

  Answer of(TableMetadata table, long snapshotId, FileIO io) {
    Snapshot head = table.currentSnapshot();
    Snapshot wanted = table.snapshot(snapshotId);
    if (head == null || wanted == null) {
      return Answer.NO_ANCESTOR;
    }
    if (head.snapshotId() == provenHead && snapshotId == provenFor) {
      return Answer.ANCESTOR;
    }
    Answer answer = byParents(table, head, wanted);
    if (answer == Answer.UNPROVEN && byFiles(table, head, wanted, io)) {
      answer = Answer.ANCESTOR;
    }
    if (answer == Answer.ANCESTOR) {
      provenHead = head.snapshotId();
      provenFor = snapshotId;
    }
    return answer;
  }

  private static Answer byParents(TableMetadata table, Snapshot head, Snapshot wanted) {
    Snapshot at = head;
    while (at.snapshotId() != wanted.snapshotId()) {
      if (at.sequenceNumber() <= wanted.sequenceNumber() || at.parentId() == null) {
        return Answer.NO_ANCESTOR;
      }
      Snapshot parent = table.snapshot(at.parentId());
      if (parent == null) {
        return Answer.UNPROVEN;
      }
      at = parent;
    }
    return Answer.ANCESTOR;
  }

  private static boolean byFiles(TableMetadata table, Snapshot head, Snapshot wanted, FileIO io) {
    long sequence = wanted.sequenceNumber();
    for (ManifestFile manifest : head.allManifests(io)) {
      if (manifest.snapshotId() != null && manifest.snapshotId() == wanted.snapshotId()) {
        return true;
      }
    }
    for (ManifestFile manifest : head.allManifests(io)) {
      if (manifest.minSequenceNumber() <= sequence && holds(table, manifest, sequence, io)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(
      TableMetadata table, ManifestFile manifest, long sequence, FileIO io) {
    try {
      if (manifest.content() == ManifestContent.DATA) {
        try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, io, table.specsById())) {
          for (DataFile file : files) {
            if (file.fileSequenceNumber() != null && file.fileSequenceNumber() == sequence) {
              return true;
            }
          }
        }
      } else {
        try (ManifestReader<DeleteFile> files =
            ManifestFiles.readDeleteManifest(manifest, io, table.specsById())) {
          for (DeleteFile file : files) {
            if (file.fileSequenceNumber() != null && file.fileSequenceNumber() == sequence) {
              return true;
            }
          }
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot close manifest " + manifest.path(), e);
    }
  }
}
