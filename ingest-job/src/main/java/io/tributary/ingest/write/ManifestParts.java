package io.tributary.ingest.write;

import io.tributary.ingest.seal.ShardFiles;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.WriteResult;

/**
 * Reads the manifests that the writers wrote, and writes them anew by shard, or many as one. A
 * manifest says itself with which spec and schema its files were written; those are kept.
 */
public final class ManifestParts implements ShardFiles {
  private static final String NAME = "memory:/manifest.avro";

  /** The files of manifests of one writer, as they are put together. */
  private static final class Files {
    private final WriteResult.Builder result = WriteResult.builder();
    private boolean any;
    private PartitionSpec spec;

    void add(ContentFile<?> file, PartitionSpec written) {
      if (file instanceof DataFile data) {
        result.addDataFiles(data);
      } else {
        result.addDeleteFiles((DeleteFile) file);
      }
      any = true;
      spec = written;
    }

    Optional<WrittenFiles> written(int formatVersion) throws IOException {
      return any ? ManifestBytes.of(result.build(), spec, formatVersion) : Optional.empty();
    }
  }

  private interface Taker {
    void take(ContentFile<?> file, PartitionSpec spec);
  }

  @Override
  public Parts split(WrittenFiles files, TableLayout layout, Set<ShardId> shards) {
    Map<ShardId, Files> byShard = new HashMap<>();
    Files others = new Files();
    Set<ShardId> found = new TreeSet<>();
    read(
        files,
        (file, spec) -> {
          ShardId shard = new ShardId(((Number) file.partition().get(0, Object.class)).intValue());
          found.add(shard);
          (shards.contains(shard) ? byShard.computeIfAbsent(shard, any -> new Files()) : others)
              .add(file, spec);
        });
    TreeMap<ShardId, WrittenFiles> of = new TreeMap<>();
    if (byShard.isEmpty()) {
      return new Parts(of, Optional.of(files));
    }
    if (found.size() == 1) {
      of.put(found.iterator().next(), files);
      return new Parts(of, Optional.empty());
    }
    try {
      for (Map.Entry<ShardId, Files> entry : byShard.entrySet()) {
        of.put(entry.getKey(), entry.getValue().written(layout.formatVersion()).orElseThrow());
      }
      return new Parts(of, others.written(layout.formatVersion()));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write manifests of shards " + byShard.keySet(), e);
    }
  }

  @Override
  public WrittenFiles merge(List<WrittenFiles> files, TableLayout layout) {
    Files all = new Files();
    files.forEach(some -> read(some, all::add));
    try {
      return all.written(layout.formatVersion()).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot write one manifest for those of %d writers".formatted(files.size()), e);
    }
  }

  private static void read(WrittenFiles files, Taker taker) {
    for (CommittableManifest manifest : files.manifests()) {
      if (!(manifest instanceof CommittableManifest.Inline inline)) {
        throw new IllegalArgumentException(
            "Cannot take a writer's manifests apart: expected them as bytes, found " + manifest);
      }
      FileIO io = new OneFile(new InMemoryInputFile(NAME, inline.bytes()));
      try {
        // No specs are given: the manifest's own is the one that counts.
        if (inline.content() == ManifestContent.DATA) {
          read(ManifestFiles.read(new Written(inline, true), io, null), taker);
        } else {
          read(ManifestFiles.readDeleteManifest(new Written(inline, false), io, null), taker);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(
            "Cannot read a writer's manifest of %d bytes".formatted(inline.length()), e);
      }
    }
  }

  private static <F extends ContentFile<F>> void read(ManifestReader<F> manifest, Taker taker)
      throws IOException {
    try (manifest) {
      PartitionSpec spec = manifest.spec();
      for (F file : manifest) {
        taker.take(file.copy(), spec);
      }
    }
  }

  /** A file system of one file, so that Iceberg's reader can read bytes from memory. */
  private record OneFile(InputFile file) implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      return file;
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new UnsupportedOperationException("Cannot write " + path + ": expected reads alone");
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException("Cannot delete " + path + ": expected reads alone");
    }
  }

  /** What Iceberg's reader wants to know of a manifest that no table has yet. */
  private record Written(CommittableManifest.Inline inline, boolean data) implements ManifestFile {
    @Override
    public String path() {
      return NAME;
    }

    @Override
    public long length() {
      return inline.length();
    }

    @Override
    public int partitionSpecId() {
      return 0;
    }

    @Override
    public org.apache.iceberg.ManifestContent content() {
      return data
          ? org.apache.iceberg.ManifestContent.DATA
          : org.apache.iceberg.ManifestContent.DELETES;
    }

    @Override
    public long sequenceNumber() {
      return 0;
    }

    @Override
    public long minSequenceNumber() {
      return 0;
    }

    @Override
    public Long snapshotId() {
      return 0L;
    }

    @Override
    public Integer addedFilesCount() {
      return null;
    }

    @Override
    public Long addedRowsCount() {
      return null;
    }

    @Override
    public Integer existingFilesCount() {
      return null;
    }

    @Override
    public Long existingRowsCount() {
      return null;
    }

    @Override
    public Integer deletedFilesCount() {
      return null;
    }

    @Override
    public Long deletedRowsCount() {
      return null;
    }

    @Override
    public List<PartitionFieldSummary> partitions() {
      return null;
    }

    @Override
    public ByteBuffer keyMetadata() {
      return null;
    }

    @Override
    public ManifestFile copy() {
      return this;
    }
  }
}
