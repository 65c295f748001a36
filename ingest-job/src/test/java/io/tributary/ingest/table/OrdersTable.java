package io.tributary.ingest.table;

import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.registry.PassThroughProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Types;

/**
 * A table {@code shop.orders (shard_id, id, name)} in a folder, with what the coordinator would do
 * to it, as plainly as possible.
 */
public final class OrdersTable implements AutoCloseable {
  public static final TableName NAME = new TableName("shop.orders");
  public static final int BUCKETS = 3;
  public static final Schema SCHEMA =
      new Schema(
          List.of(
              Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
              Types.NestedField.required(2, "id", Types.LongType.get()),
              Types.NestedField.optional(3, "name", Types.StringType.get())),
          Set.of(1, 2));
  public static final TableProposal PROPOSAL =
      new TableProposal(SchemaParser.toJson(SCHEMA), "shard_id", "id", BUCKETS);

  private static final TableIdentifier IDENTIFIER = TableIdentifier.of("shop", "orders");

  private final HadoopCatalog catalog;
  private final TableAccess access;

  public OrdersTable(Path warehouse) {
    this.catalog = new HadoopCatalog(new Configuration(), warehouse.toUri().toString());
    this.access =
        new TableAccess(
            "test",
            "hadoop",
            PassThroughProperties.plain(Map.of("warehouse", warehouse.toUri().toString())),
            NAME);
  }

  public TableAccess access() {
    return access;
  }

  public Table create() {
    return create(SCHEMA);
  }

  public Table create(Schema schema) {
    return catalog.createTable(
        IDENTIFIER,
        schema,
        PartitionSpec.builderFor(schema).identity("shard_id").bucket("id", BUCKETS).build(),
        Map.of(TableProperties.FORMAT_VERSION, "2"));
  }

  public Table load() {
    return catalog.loadTable(IDENTIFIER);
  }

  public boolean exists() {
    try {
      load();
      return true;
    } catch (NoSuchTableException e) {
      return false;
    }
  }

  /** Commits a slice as one snapshot. */
  public void commit(Slice slice) {
    Table table = load();
    RowDelta delta = table.newRowDelta();
    for (CommittableManifest manifest : slice.manifests()) {
      dataFiles(manifest).forEach(delta::addRows);
      deleteFiles(manifest).forEach(delta::addDeletes);
    }
    delta.commit();
  }

  public List<DataFile> dataFiles(CommittableManifest manifest) {
    if (manifest.content() != ManifestContent.DATA) {
      return List.of();
    }
    byte[] bytes = bytes(manifest);
    List<DataFile> files = new ArrayList<>();
    try (ManifestReader<DataFile> reader =
        ManifestFiles.read(
            new Manifest(bytes.length, org.apache.iceberg.ManifestContent.DATA),
            new OneFile(bytes),
            load().specs())) {
      reader.forEach(file -> files.add(file.copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  public List<DeleteFile> deleteFiles(CommittableManifest manifest) {
    if (manifest.content() != ManifestContent.DELETES) {
      return List.of();
    }
    byte[] bytes = bytes(manifest);
    List<DeleteFile> files = new ArrayList<>();
    try (ManifestReader<DeleteFile> reader =
        ManifestFiles.readDeleteManifest(
            new Manifest(bytes.length, org.apache.iceberg.ManifestContent.DELETES),
            new OneFile(bytes),
            load().specs())) {
      reader.forEach(file -> files.add(file.copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  private byte[] bytes(CommittableManifest manifest) {
    if (manifest instanceof CommittableManifest.Inline inline) {
      return inline.bytes();
    }
    CommittableManifest.Stored stored = (CommittableManifest.Stored) manifest;
    try (InputStream in = load().io().newInputFile(stored.path()).newStream()) {
      byte[] bytes = in.readAllBytes();
      if (!CommittableManifest.hash(bytes).equals(stored.sha256())) {
        throw new IllegalStateException("Stored manifest has other content: " + stored);
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes every file of data that no snapshot references. */
  public void deleteOrphans() {
    Table table = load();
    Set<String> live = new HashSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      for (ManifestFile manifest : snapshot.allManifests(table.io())) {
        boolean data = manifest.content() == org.apache.iceberg.ManifestContent.DATA;
        try (ManifestReader<? extends ContentFile<?>> reader =
            data
                ? ManifestFiles.read(manifest, table.io(), table.specs())
                : ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())) {
          reader.forEach(file -> live.add(URI.create(file.location()).getPath()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    Path folder = Path.of(URI.create(table.location()).getPath(), "data");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!live.contains(file.toString())) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All rows as {@code shard/id=name}, sorted. */
  public List<String> rows() {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(load()).build()) {
      for (Record row : records) {
        rows.add(
            "%d/%05d=%s"
                .formatted(row.getField("shard_id"), row.getField("id"), row.getField("name")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows.sort(Comparator.naturalOrder());
    return rows;
  }

  public static ShardRow copy(int shard, long id, String name) {
    return row(RowKind.INSERT, ShardRow.Origin.COPY, shard, id, name);
  }

  public static ShardRow insert(int shard, long id, String name) {
    return row(RowKind.INSERT, ShardRow.Origin.CHANGE, shard, id, name);
  }

  public static ShardRow update(int shard, long id, String name) {
    return row(RowKind.UPDATE_AFTER, ShardRow.Origin.CHANGE, shard, id, name);
  }

  public static ShardRow delete(int shard, long id) {
    return row(RowKind.DELETE, ShardRow.Origin.CHANGE, shard, id, null);
  }

  private static ShardRow row(
      RowKind kind, ShardRow.Origin origin, int shard, long id, String name) {
    return new ShardRow(
        new ShardId(shard),
        origin,
        IcebergColumns.fingerprint(SCHEMA),
        GenericRowData.ofKind(kind, shard, id, name == null ? null : StringData.fromString(name)));
  }

  @Override
  public void close() throws IOException {
    catalog.close();
  }

  /** What Iceberg's reader wants to know of bytes that no table owns. */
  private record Manifest(long length, org.apache.iceberg.ManifestContent content)
      implements ManifestFile {
    @Override
    public String path() {
      return "manifest.avro";
    }

    @Override
    public int partitionSpecId() {
      return 0;
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

  private record OneFile(byte[] bytes) implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      return new InMemoryInputFile(path, bytes);
    }

    @Override
    public OutputFile newOutputFile(String path) {
      throw new UnsupportedOperationException("Only one file to read");
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException("Only one file to read");
    }
  }
}
