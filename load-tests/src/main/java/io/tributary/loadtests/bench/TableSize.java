package io.tributary.loadtests.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.cli.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;

/**
 * How large a table's metadata is.
 *
 * @param metadataBytes of its newest metadata file
 * @param snapshots that it knows
 * @param manifests of its newest snapshot
 * @param files in its metadata folder
 * @param filesBytes of all of these
 */
record TableSize(long metadataBytes, int snapshots, int manifests, int files, long filesBytes) {
  static TableSize of(Table table) throws IOException {
    int snapshots = 0;
    for (var unused : table.snapshots()) {
      snapshots++;
    }
    Path folder = path(table.location()).resolve("metadata");
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> !file.getFileName().toString().endsWith(".crc")).toList();
    }
    long bytes = 0;
    int count = 0;
    for (Path file : files) {
      // A coordinator at work removes some meanwhile.
      if (Files.exists(file)) {
        bytes += file.toFile().length();
        count++;
      }
    }
    return new TableSize(
        path(((HasTableOperations) table).operations().current().metadataFileLocation())
            .toFile()
            .length(),
        snapshots,
        table.currentSnapshot() == null
            ? 0
            : table.currentSnapshot().allManifests(table.io()).size(),
        count,
        bytes);
  }

  private static Path path(String location) {
    return location.startsWith("file:")
        ? Path.of(URI.create(location).getPath())
        : Path.of(location);
  }

  ObjectNode json() {
    return Json.object()
        .put("metadataBytes", metadataBytes)
        .put("snapshots", snapshots)
        .put("manifests", manifests)
        .put("metadataFiles", files)
        .put("metadataFilesBytes", filesBytes);
  }
}
