package io.tributary.coordinator.iceberg;

import io.tributary.protocol.FileCounts;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.Schema;

/**
 * The files that manifests list.
 *
 * @param schemas those that the files were written with, as their manifests say
 */
record SliceFiles(List<DataFile> data, List<DeleteFile> deletes, List<Schema> schemas) {
  SliceFiles {
    data = List.copyOf(data);
    deletes = List.copyOf(deletes);
    schemas = List.copyOf(schemas);
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
