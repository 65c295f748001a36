package io.tributary.loadtests.bench;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.types.Types;

/**
 * Files for a table's commits, each under a name of its own. Three real Parquet files (rows,
 * equality deletes, position deletes) are written once; all others are hard links to them, with
 * their statistics. So commits have everything that they look at, and nobody waits for Parquet. The
 * rows are those of the first file, whatever the partition: the table is not to be queried.
 */
final class BenchFiles {
  private static final int ROWS = 100;
  private static final int KEY_COLUMNS = 2;

  private final Table table;
  private final Path folder;
  private final DataFile data;
  private final DeleteFile equality;
  private final DeleteFile position;
  private Path dataFile;
  private Path equalityFile;
  private Path positionFile;

  BenchFiles(Table table) throws IOException {
    this.table = table;
    this.folder = path(table.location()).resolve("data");
    Files.createDirectories(folder);
    GenericFileWriterFactory writers =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(FileFormat.PARQUET)
            .dataSchema(table.schema())
            .deleteFileFormat(FileFormat.PARQUET)
            .equalityFieldIds(
                new int[] {
                  table.schema().columns().get(0).fieldId(),
                  table.schema().columns().get(1).fieldId()
                })
            .equalityDeleteRowSchema(
                table
                    .schema()
                    .select(
                        table.schema().columns().stream()
                            .limit(KEY_COLUMNS)
                            .map(Types.NestedField::name)
                            .toList()))
            .build();
    PartitionData first = partition(0, 0);
    DataWriter<Record> rows = writers.newDataWriter(output(), table.spec(), first);
    try (rows) {
      for (long i = 0; i < ROWS; i++) {
        rows.write(row(i));
      }
    }
    this.data = rows.toDataFile();
    EqualityDeleteWriter<Record> deletes =
        writers.newEqualityDeleteWriter(output(), table.spec(), first);
    try (deletes) {
      for (long i = 0; i < ROWS; i++) {
        deletes.write(row(i));
      }
    }
    this.equality = deletes.toDeleteFile();
    PositionDeleteWriter<Record> positions =
        writers.newPositionDeleteWriter(output(), table.spec(), first);
    try (positions) {
      for (long i = 0; i < ROWS; i += 10) {
        positions.write(PositionDelete.<Record>create().set(data.location(), i));
      }
    }
    this.position = positions.toDeleteFile();
    nextLinks();
  }

  private EncryptedOutputFile output() {
    return EncryptedFiles.encryptedOutput(
        table.io().newOutputFile(location(UUID.randomUUID() + "-first.parquet")),
        EncryptionKeyMetadata.EMPTY);
  }

  private String location(String name) {
    return table.location() + "/data/" + name;
  }

  private static Path path(String location) {
    return location.startsWith("file:")
        ? Path.of(URI.create(location).getPath())
        : Path.of(location);
  }

  private Record row(long id) {
    GenericRecord row = GenericRecord.create(table.schema());
    for (Types.NestedField column : table.schema().columns()) {
      Object value =
          switch (column.type().typeId()) {
            case INTEGER -> 0;
            case LONG -> id;
            default -> column.name() + " of row " + id;
          };
      row.setField(column.name(), value);
    }
    return row;
  }

  private PartitionData partition(int shard, int bucket) {
    PartitionData partition = new PartitionData(table.spec().partitionType());
    partition.set(0, shard);
    partition.set(1, bucket);
    return partition;
  }

  /** File systems limit the links to one file: every round has files of its own to link to. */
  void nextLinks() throws IOException {
    dataFile = copy(data.location());
    equalityFile = copy(equality.location());
    positionFile = copy(position.location());
  }

  private Path copy(String location) throws IOException {
    return Files.copy(path(location), folder.resolve(UUID.randomUUID() + "-links"));
  }

  private String link(Path to, String name) {
    try {
      Files.createLink(folder.resolve(name), to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return location(name);
  }

  /** A shard's files of one commit. */
  record Written(List<DataFile> data, List<DeleteFile> deletes) {}

  /**
   * For each bucket a data file, an equality-delete file and a position-delete file.
   *
   * @param prefix of the files' names, used once
   */
  Written write(String prefix, int shard, int buckets) {
    List<DataFile> rows = new ArrayList<>();
    List<DeleteFile> deletes = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      String name = prefix + "-" + shard + "-" + bucket;
      String dataLocation = link(dataFile, name + "-data.parquet");
      rows.add(
          DataFiles.builder(table.spec())
              .withPath(dataLocation)
              .withFormat(FileFormat.PARQUET)
              .withPartition(partition(shard, bucket))
              .withFileSizeInBytes(data.fileSizeInBytes())
              .withMetrics(metrics(data))
              .withSplitOffsets(data.splitOffsets())
              .build());
      deletes.add(
          FileMetadata.deleteFileBuilder(table.spec())
              .ofEqualityDeletes(
                  equality.equalityFieldIds().stream().mapToInt(Integer::intValue).toArray())
              .withPath(link(equalityFile, name + "-equality.parquet"))
              .withFormat(FileFormat.PARQUET)
              .withPartition(partition(shard, bucket))
              .withFileSizeInBytes(equality.fileSizeInBytes())
              .withMetrics(metrics(equality))
              .build());
      deletes.add(
          FileMetadata.deleteFileBuilder(table.spec())
              .ofPositionDeletes()
              .withReferencedDataFile(dataLocation)
              .withPath(link(positionFile, name + "-position.parquet"))
              .withFormat(FileFormat.PARQUET)
              .withPartition(partition(shard, bucket))
              .withFileSizeInBytes(position.fileSizeInBytes())
              .withRecordCount(position.recordCount())
              .build());
    }
    return new Written(rows, deletes);
  }

  private static Metrics metrics(ContentFile<?> file) {
    return new Metrics(
        file.recordCount(),
        file.columnSizes(),
        file.valueCounts(),
        file.nullValueCounts(),
        file.nanValueCounts(),
        file.lowerBounds(),
        file.upperBounds());
  }

  /** As an ingest job sends them: manifests in Iceberg's own bytes. */
  Slice slice(Written files) {
    long perEquality = equality.recordCount();
    long perPosition = position.recordCount();
    int each = files.data().size();
    return Slice.of(
        List.of(
            CommittableManifest.Inline.of(ManifestContent.DATA, dataManifest(files.data())),
            CommittableManifest.Inline.of(
                ManifestContent.DELETES, deleteManifest(files.deletes()))),
        new FileCounts(
            each,
            each * data.recordCount(),
            each,
            each * perEquality,
            each,
            each * perPosition,
            each
                * (data.fileSizeInBytes()
                    + equality.fileSizeInBytes()
                    + position.fileSizeInBytes())));
  }

  private byte[] dataManifest(List<DataFile> files) {
    InMemoryOutputFile out = new InMemoryOutputFile();
    try (ManifestWriter<DataFile> writer = ManifestFiles.write(2, table.spec(), out, 0L)) {
      files.forEach(writer::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private byte[] deleteManifest(List<DeleteFile> files) {
    InMemoryOutputFile out = new InMemoryOutputFile();
    try (ManifestWriter<DeleteFile> writer =
        ManifestFiles.writeDeleteManifest(2, table.spec(), out, 0L)) {
      files.forEach(writer::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
