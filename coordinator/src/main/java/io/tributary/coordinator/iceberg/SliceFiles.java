package io.tributary.coordinator.iceberg;

import io.tributary.protocol.FileCounts;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;

/** The files that manifests list. */
record SliceFiles(List<DataFile> data, List<DeleteFile> deletes) {
  SliceFiles {
    data = List.copyOf(data);
    deletes = List.copyOf(deletes);
  }

  Stream<ContentFile<?>> all() {
    return Stream.concat(data.stream(), deletes.stream());
  }

  FileCounts counts() {
    FileCounts counts = FileCounts.NONE;
    for (DataFile file : data) {
      counts =
          counts.plus(new FileCounts(1, file.recordCount(), 0, 0, 0, 0, file.fileSizeInBytes()));
    }
    for (DeleteFile file : deletes) {
      counts =
          counts.plus(
              file.content() == FileContent.EQUALITY_DELETES
                  ? new FileCounts(0, 0, 1, file.recordCount(), 0, 0, file.fileSizeInBytes())
                  : new FileCounts(0, 0, 0, 0, 1, file.recordCount(), file.fileSizeInBytes()));
    }
    return counts;
  }
}
