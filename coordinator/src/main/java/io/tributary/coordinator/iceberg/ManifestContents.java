package io.tributary.coordinator.iceberg;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ManifestContent;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.avro.AvroIterable;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;

/**
 * Reads the manifests of committables. What was read is kept for as long as somebody holds the
 * manifest itself, so that a round that is built twice reads once. Safe for several threads.
 */
final class ManifestContents {
  private final Map<CommittableManifest, SliceFiles> read = new WeakHashMap<>();

  /**
   * @param specs the table's partition specs
   * @param specId the spec the files were written with
   * @throws RefusedFilesException when the manifest is gone, changed or no manifest
   * @throws RuntimeException when the file system does not answer
   */
  SliceFiles of(
      CommittableManifest manifest, FileIO io, Map<Integer, PartitionSpec> specs, int specId) {
    synchronized (read) {
      SliceFiles known = read.get(manifest);
      if (known != null) {
        return known;
      }
    }
    SliceFiles files = parse(manifest.content(), bytes(manifest, io), specs, specId);
    synchronized (read) {
      read.put(manifest, files);
    }
    return files;
  }

  private static byte[] bytes(CommittableManifest manifest, FileIO io) {
    if (manifest instanceof CommittableManifest.Inline inline) {
      return inline.bytes();
    }
    CommittableManifest.Stored stored = (CommittableManifest.Stored) manifest;
    byte[] bytes;
    try (InputStream in = io.newInputFile(stored.path()).newStream()) {
      // One byte more than expected shows that a file is too long without reading all of it.
      bytes = in.readNBytes(Math.toIntExact(stored.length() + 1));
    } catch (NotFoundException e) {
      throw new RefusedFilesException(
          HaltCode.MISSING_FILES,
          "expected manifest %s of %d bytes, found no file"
              .formatted(stored.path(), stored.length()),
          e);
    } catch (IOException e) {
      throw new RuntimeIOException(e, "Cannot read manifest %s", stored.path());
    }
    if (bytes.length != stored.length()
        || !CommittableManifest.hash(bytes).equals(stored.sha256())) {
      throw new RefusedFilesException(
          HaltCode.UNREADABLE,
          "expected manifest %s of %d bytes with SHA-256 %s, found %s bytes with %s"
              .formatted(
                  stored.path(),
                  stored.length(),
                  stored.sha256(),
                  bytes.length > stored.length() ? "more" : bytes.length,
                  CommittableManifest.hash(bytes)));
    }
    return bytes;
  }

  private static SliceFiles parse(
      ManifestContent content, byte[] bytes, Map<Integer, PartitionSpec> specs, int specId) {
    String path = "in-message-" + CommittableManifest.hash(bytes) + ".avro";
    InputFile input = new InMemoryInputFile(path, bytes);
    FileIO io = new OneInputFile(input);
    List<DataFile> data = new ArrayList<>();
    List<DeleteFile> deletes = new ArrayList<>();
    Schema schema;
    try {
      schema = schema(input);
      if (content == ManifestContent.DATA) {
        MessageManifest manifest =
            new MessageManifest(
                path, bytes.length, specId, org.apache.iceberg.ManifestContent.DATA);
        try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, io, specs)) {
          files.forEach(file -> data.add(file.copy()));
        }
      } else {
        MessageManifest manifest =
            new MessageManifest(
                path, bytes.length, specId, org.apache.iceberg.ManifestContent.DELETES);
        try (ManifestReader<DeleteFile> files =
            ManifestFiles.readDeleteManifest(manifest, io, specs)) {
          files.forEach(file -> deletes.add(file.copy()));
        }
      }
    } catch (IOException | RuntimeException e) {
      // The bytes are in memory and have the promised hash: no other try can read them better.
      throw new RefusedFilesException(
          HaltCode.UNREADABLE,
          "expected an Iceberg manifest of %s in %d bytes, found %s"
              .formatted(content, bytes.length, e.getMessage()),
          e);
    }
    return new SliceFiles(data, deletes, List.of(schema));
  }

  /** The table's schema as the writer of a manifest knew it: Iceberg keeps it in the header. */
  private static Schema schema(InputFile manifest) throws IOException {
    try (AvroIterable<Object> file = Avro.read(manifest).project(new Schema()).build()) {
      return SchemaParser.fromJson(file.getMetadata().get("schema"));
    }
  }
}
