package io.tributary.ingest.write;

import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ManifestContent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.WriteResult;

/**
 * Writes files down as Iceberg manifests, in memory: the form in which they travel between the
 * operators, lie in Flink state and reach the coordinator, so that they are encoded once.
 */
final class ManifestBytes {
  private ManifestBytes() {}

  /**
   * @return empty when the writer wrote no file
   */
  static Optional<WrittenFiles> of(WriteResult result, PartitionSpec spec, int formatVersion)
      throws IOException {
    List<CommittableManifest> manifests = new ArrayList<>();
    if (result.dataFiles().length > 0) {
      InMemoryOutputFile out = inMemory();
      // A snapshot id of null is inherited from the commit that adds the files.
      ManifestWriter<DataFile> writer = ManifestFiles.write(formatVersion, spec, out, null);
      manifests.add(write(writer, out, result.dataFiles(), ManifestContent.DATA));
    }
    if (result.deleteFiles().length > 0) {
      InMemoryOutputFile out = inMemory();
      ManifestWriter<DeleteFile> writer =
          ManifestFiles.writeDeleteManifest(formatVersion, spec, out, null);
      manifests.add(write(writer, out, result.deleteFiles(), ManifestContent.DELETES));
    }
    return manifests.isEmpty()
        ? Optional.empty()
        : Optional.of(new WrittenFiles(manifests, counts(result)));
  }

  private static InMemoryOutputFile inMemory() {
    return new InMemoryOutputFile("memory:/" + UUID.randomUUID() + ".avro");
  }

  private static <F extends ContentFile<F>> CommittableManifest write(
      ManifestWriter<F> writer, InMemoryOutputFile out, F[] files, ManifestContent content)
      throws IOException {
    try (writer) {
      for (F file : files) {
        writer.add(file);
      }
    }
    return CommittableManifest.Inline.of(content, out.toByteArray());
  }

  static FileCounts counts(WriteResult result) {
    FileCounts counts = FileCounts.NONE;
    for (DataFile file : result.dataFiles()) {
      counts =
          counts.plus(new FileCounts(1, file.recordCount(), 0, 0, 0, 0, file.fileSizeInBytes()));
    }
    for (DeleteFile file : result.deleteFiles()) {
      boolean equality = file.content() == FileContent.EQUALITY_DELETES;
      long rows = file.recordCount();
      counts =
          counts.plus(
              new FileCounts(
                  0,
                  0,
                  equality ? 1 : 0,
                  equality ? rows : 0,
                  equality ? 0 : 1,
                  equality ? 0 : rows,
                  file.fileSizeInBytes()));
    }
    return counts;
  }
}
