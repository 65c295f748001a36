package io.tributary.coordinator.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.PlannedDataReader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Types;

/**
 * Writes the entries of many small manifests into few, in the order of shards and buckets, so that
 * a reader of one shard opens few of them. Nothing of the table changes by it. The smallest come
 * first, and one merge reads at most twice the size of one merged manifest, which bounds its memory
 * and its time.
 *
 * <p>Every entry keeps its sequence numbers, which say what an equality delete reaches, and the
 * snapshot that added it.
 */
final class ManifestMerger {
  private static final int MOST_INPUT = 2;

  /** From this part of the wanted size on, a manifest is left alone. */
  private static final double LARGE = 0.75;

  /** How many entries are written before the size is looked at. */
  private static final int SIZE_STRIDE = 50;

  private static final Comparator<ContentFile<?>> BY_SHARD_AND_BUCKET =
      Comparator.<ContentFile<?>>comparingLong(file -> number(file, 0))
          .thenComparingLong(file -> number(file, 1));

  /** Two columns of an entry, by the field ids of Iceberg's specification. */
  private static final Schema ENTRY =
      new Schema(
          Types.NestedField.required(0, "status", Types.IntegerType.get()),
          Types.NestedField.optional(1, "snapshot_id", Types.LongType.get()));

  private ManifestMerger() {}

  /**
   * @param table stands still
   * @return nothing when there are too few small manifests
   * @throws RuntimeException when the file system does not answer
   */
  static MergedManifests merge(FixedBase table, Retention retention) {
    Snapshot head = table.current().currentSnapshot();
    if (head == null) {
      return MergedManifests.NONE;
    }
    List<ManifestFile> replaced = new ArrayList<>();
    List<ManifestFile> written = new ArrayList<>();
    List<ManifestFile> data = small(head.dataManifests(table.io()), table, retention);
    if (!data.isEmpty()) {
      replaced.addAll(data);
      written.addAll(
          write(
              table,
              retention,
              entries(table, data, ManifestMerger::readData),
              (spec, out) -> ManifestFiles.write(LedgerChecks.FORMAT_VERSION, spec, out, null)));
    }
    List<ManifestFile> deletes = small(head.deleteManifests(table.io()), table, retention);
    if (!deletes.isEmpty()) {
      replaced.addAll(deletes);
      written.addAll(
          write(
              table,
              retention,
              entries(table, deletes, ManifestMerger::readDeletes),
              (spec, out) ->
                  ManifestFiles.writeDeleteManifest(LedgerChecks.FORMAT_VERSION, spec, out, null)));
    }
    return new MergedManifests(replaced, written);
  }

  private static List<ManifestFile> small(
      List<ManifestFile> manifests, FixedBase table, Retention retention) {
    List<ManifestFile> candidates =
        manifests.stream()
            .filter(manifest -> manifest.partitionSpecId() == table.current().defaultSpecId())
            .filter(manifest -> manifest.length() < LARGE * retention.manifestBytes())
            .sorted(Comparator.comparingLong(ManifestFile::length))
            .toList();
    if (candidates.size() < retention.manifestsToMerge()) {
      return List.of();
    }
    List<ManifestFile> taken = new ArrayList<>();
    long bytes = 0;
    for (ManifestFile candidate : candidates) {
      bytes += candidate.length();
      if (bytes > MOST_INPUT * retention.manifestBytes() && taken.size() > 1) {
        break;
      }
      taken.add(candidate);
    }
    return taken;
  }

  /** A file with the snapshot that added it. */
  private record Entry<F extends ContentFile<F>>(F file, long snapshotId) {}

  private interface Reading<F extends ContentFile<F>> {
    ManifestReader<F> open(ManifestFile manifest, FixedBase table);
  }

  private static ManifestReader<DataFile> readData(ManifestFile manifest, FixedBase table) {
    return ManifestFiles.read(manifest, table.io(), table.current().specsById());
  }

  private static ManifestReader<DeleteFile> readDeletes(ManifestFile manifest, FixedBase table) {
    return ManifestFiles.readDeleteManifest(manifest, table.io(), table.current().specsById());
  }

  private static <F extends ContentFile<F>> List<Entry<F>> entries(
      FixedBase table, List<ManifestFile> manifests, Reading<F> reading) {
    List<Entry<F>> entries = new ArrayList<>();
    for (ManifestFile manifest : manifests) {
      List<Long> snapshots = addedBy(manifest, table.io());
      try (ManifestReader<F> files = reading.open(manifest, table)) {
        for (F file : files) {
          // An entry's number in its file counts those of removed files, too.
          entries.add(new Entry<>(file.copy(), snapshots.get(Math.toIntExact(file.pos()))));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot close manifest " + manifest.path(), e);
      }
    }
    entries.sort(Comparator.comparing(Entry::file, BY_SHARD_AND_BUCKET));
    return entries;
  }

  /** Iceberg's own reader keeps this to itself. Entries without one are their manifest's. */
  private static List<Long> addedBy(ManifestFile manifest, FileIO io) {
    List<Long> snapshots = new ArrayList<>();
    try (CloseableIterable<Record> rows =
        Avro.read(io.newInputFile(manifest.path(), manifest.length()))
            .project(ENTRY)
            .createResolvingReader(PlannedDataReader::create)
            .build()) {
      for (Record row : rows) {
        Object snapshot = row.get(1);
        snapshots.add(snapshot == null ? manifest.snapshotId() : (Long) snapshot);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot close manifest " + manifest.path(), e);
    }
    return snapshots;
  }

  private interface Opening<F extends ContentFile<F>> {
    ManifestWriter<F> open(PartitionSpec spec, OutputFile out);
  }

  private static <F extends ContentFile<F>> List<ManifestFile> write(
      FixedBase table, Retention retention, List<Entry<F>> entries, Opening<F> opening) {
    List<ManifestFile> written = new ArrayList<>();
    int next = 0;
    while (next < entries.size()) {
      ManifestWriter<F> writer =
          opening.open(
              table.current().spec(),
              table
                  .io()
                  .newOutputFile(
                      table.metadataFileLocation("merged-" + UUID.randomUUID() + ".avro")));
      try (writer) {
        int inThis = 0;
        while (next < entries.size()
            && (inThis % SIZE_STRIDE != 0 || writer.length() < retention.manifestBytes())) {
          Entry<F> entry = entries.get(next++);
          writer.existing(
              entry.file(),
              entry.snapshotId(),
              entry.file().dataSequenceNumber(),
              entry.file().fileSequenceNumber());
          inThis++;
        }
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot close a merged manifest", e);
      }
      written.add(writer.toManifestFile());
    }
    return written;
  }

  /** Whether every manifest that is to be replaced is still one of main's. */
  static boolean fits(MergedManifests merged, TableMetadata table, FileIO io) {
    Snapshot head = table.currentSnapshot();
    return head != null && new HashSet<>(head.allManifests(io)).containsAll(merged.replaced());
  }

  /** Removes manifests that no request has ever named. */
  static void discard(MergedManifests merged, FileIO io) {
    merged.written().forEach(manifest -> io.deleteFile(manifest.path()));
  }

  private static long number(ContentFile<?> file, int field) {
    return file.partition().get(field, Object.class) instanceof Number number
        ? number.longValue()
        : Long.MIN_VALUE;
  }
}
