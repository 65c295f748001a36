package io.tributary.coordinator.iceberg;

import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestWriter;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.types.Types;

/**
 * Real Parquet files of a table (shard_id int, id bigint, name string, identifier shard_id and id,
 * bucketed by id into one bucket), as slices; and the table's rows as a reader sees them.
 */
public final class TableFiles {
  private final Table table;
  private final GenericFileWriterFactory writers;

  public TableFiles(Table table) {
    this.table = table;
    int[] key = {
      table.schema().findField("shard_id").fieldId(), table.schema().findField("id").fieldId()
    };
    this.writers =
        new GenericFileWriterFactory.Builder(table)
            .dataFileFormat(FileFormat.PARQUET)
            .dataSchema(table.schema())
            .deleteFileFormat(FileFormat.PARQUET)
            .equalityFieldIds(key)
            .equalityDeleteRowSchema(table.schema().select("shard_id", "id"))
            .build();
  }

  public record Row(long id, String name) {}

  public DataFile data(int shard, Row... rows) {
    try (DataWriter<Record> writer =
        writers.newDataWriter(output("data"), table.spec(), partition(shard))) {
      for (Row row : rows) {
        writer.write(record(shard, row));
      }
      writer.close();
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public DeleteFile equalityDeletes(int shard, long... ids) {
    try (EqualityDeleteWriter<Record> writer =
        writers.newEqualityDeleteWriter(output("eq"), table.spec(), partition(shard))) {
      for (long id : ids) {
        writer.write(record(shard, new Row(id, null)));
      }
      writer.close();
      return writer.toDeleteFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public DeleteFile positionDeletes(int shard, DataFile file, long... positions) {
    try (PositionDeleteWriter<Record> writer =
        writers.newPositionDeleteWriter(output("pos"), table.spec(), partition(shard))) {
      for (long position : positions) {
        PositionDelete<Record> delete = PositionDelete.create();
        writer.write(delete.set(file.location(), position));
      }
      writer.close();
      return writer.toDeleteFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A slice of files, its manifests inline. */
  public Slice slice(List<DataFile> data, List<DeleteFile> deletes) {
    List<CommittableManifest> manifests = new ArrayList<>();
    if (!data.isEmpty()) {
      manifests.add(CommittableManifest.Inline.of(ManifestContent.DATA, dataManifest(data)));
    }
    if (!deletes.isEmpty()) {
      manifests.add(
          CommittableManifest.Inline.of(ManifestContent.DELETES, deleteManifest(deletes)));
    }
    return Slice.of(manifests, new SliceFiles(data, deletes, List.of()).counts());
  }

  public Slice rows(int shard, Row... rows) {
    return slice(List.of(data(shard, rows)), List.of());
  }

  /** New versions of rows: deletes of what earlier snapshots hold of them, and the rows. */
  public Slice upsert(int shard, Row... rows) {
    return slice(
        List.of(data(shard, rows)),
        List.of(equalityDeletes(shard, Arrays.stream(rows).mapToLong(Row::id).toArray())));
  }

  static Slice emptying(int... shards) {
    TreeSet<ShardId> ids = new TreeSet<>();
    Arrays.stream(shards).forEach(shard -> ids.add(new ShardId(shard)));
    return new Slice(ids, List.of(), io.tributary.protocol.FileCounts.NONE);
  }

  byte[] dataManifest(List<DataFile> files) {
    InMemoryOutputFile out = new InMemoryOutputFile();
    try (ManifestWriter<DataFile> writer = ManifestFiles.write(2, table.spec(), out, 0L)) {
      files.forEach(writer::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  byte[] deleteManifest(List<DeleteFile> files) {
    InMemoryOutputFile out = new InMemoryOutputFile();
    try (ManifestWriter<DeleteFile> writer =
        ManifestFiles.writeDeleteManifest(2, table.spec(), out, 0L)) {
      files.forEach(writer::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** The rows as "shard/id" to name; a row that is there twice counts twice in its name. */
  public Map<String, String> visibleRows() {
    return visible("name");
  }

  /** As {@link #visibleRows}, with another column. */
  Map<String, String> visible(String column) {
    table.refresh();
    Map<String, String> rows = new TreeMap<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      for (Record row : records) {
        rows.merge(
            row.getField("shard_id") + "/" + row.getField("id"),
            String.valueOf(row.getField(column)),
            (a, b) -> a + "+" + b);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private Record record(int shard, Row row) {
    GenericRecord record = GenericRecord.create(table.schema());
    record.setField("shard_id", shard);
    record.setField("id", row.id());
    record.setField("name", row.name());
    table.schema().columns().stream()
        .skip(3)
        .filter(more -> more.type().equals(Types.LongType.get()))
        .forEach(more -> record.setField(more.name(), row.id()));
    return record;
  }

  private PartitionKey partition(int shard) {
    PartitionKey key = new PartitionKey(table.spec(), table.schema());
    key.partition(
        new InternalRecordWrapper(table.schema().asStruct()).wrap(record(shard, new Row(1, ""))));
    return key;
  }

  private EncryptedOutputFile output(String kind) {
    String path = table.location() + "/data/" + kind + "-" + UUID.randomUUID() + ".parquet";
    return EncryptedFiles.encryptedOutput(
        table.io().newOutputFile(path), EncryptionKeyMetadata.EMPTY);
  }
}
