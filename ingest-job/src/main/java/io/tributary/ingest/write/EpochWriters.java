package io.tributary.ingest.write;

import io.tributary.ingest.row.RowForm;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableUuid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.TableUtil;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.sink.RowDataTaskWriterFactory;
import org.apache.iceberg.io.TaskWriter;
import org.apache.iceberg.util.PropertyUtil;

/**
 * The two writers of one subtask between two barriers: copied rows are appended as they come,
 * without a map of keys; changes are upserts. Each is made at its first row. Written is with the
 * newest schema of the table as it was loaded; rows of the versions before are widened to it.
 */
final class EpochWriters {
  private final TableLayout layout;
  private final Table table;
  private final int subtask;
  private final TableName name;
  private final List<String> begun;

  /** The versions of the table's schema, by fingerprint. */
  private final Map<Long, Schema> versions = new HashMap<>();

  private final Map<Long, ColumnMapping> mappings = new HashMap<>();
  private final RowDataTaskWriterFactory appends;
  private final RowDataTaskWriterFactory upserts;
  private final Map<ShardId, Long> copiedRows = new HashMap<>();
  private ColumnMapping mapping;

  /** The fingerprint of the schema of the rows that the mapping is for. */
  private long mapped;

  private TaskWriter<RowData> appender;
  private TaskWriter<RowData> upserter;

  /**
   * @param name for messages
   * @param begun the columns that the job began with, the shard's first
   * @param attempt the task's attempt, part of the files' names
   * @throws IllegalStateException when the table has no key
   */
  EpochWriters(TableName name, Table table, List<String> begun, int subtask, int attempt) {
    this.name = name;
    this.table = table;
    this.begun = List.copyOf(begun);
    this.subtask = subtask;
    table
        .schemas()
        .values()
        .forEach(version -> versions.put(IcebergColumns.fingerprint(version), version));
    this.layout =
        new TableLayout(
            new TableUuid(table.uuid()),
            table.schema().schemaId(),
            table.spec().specId(),
            TableUtil.formatVersion(table));
    Set<Integer> key = table.schema().identifierFieldIds();
    if (key.isEmpty()) {
      throw new IllegalStateException(
          "Cannot write to table "
              + name
              + ": expected identifier fields in its schema, found none");
    }
    this.appends = factory(null);
    this.upserts = factory(List.copyOf(key));
    appends.initialize(subtask, attempt);
    upserts.initialize(subtask, attempt);
  }

  private RowDataTaskWriterFactory factory(List<Integer> equalityFields) {
    Map<String, String> properties = table.properties();
    RowType rowType = FlinkSchemaUtil.convert(table.schema());
    FileFormat format =
        FileFormat.valueOf(
            properties
                .getOrDefault(
                    TableProperties.DEFAULT_FILE_FORMAT,
                    TableProperties.DEFAULT_FILE_FORMAT_DEFAULT)
                .toUpperCase(Locale.ROOT));
    long targetSize =
        PropertyUtil.propertyAsLong(
            properties,
            TableProperties.WRITE_TARGET_FILE_SIZE_BYTES,
            TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    return new RowDataTaskWriterFactory(
        table, rowType, targetSize, format, properties, equalityFields, equalityFields != null);
  }

  /** Whether rows of a version of the schema can be written; if not, the table is to be loaded. */
  boolean knows(long fingerprint) {
    return isAsBefore(fingerprint) || versions.containsKey(fingerprint);
  }

  /** Whether a row has the columns of the one before it, as nearly all have. */
  private boolean isAsBefore(long fingerprint) {
    return mapping != null && fingerprint == mapped;
  }

  private ColumnMapping mapping(long fingerprint) {
    Schema rows = versions.get(fingerprint);
    List<String> places = new ArrayList<>(begun.subList(0, 1));
    places.addAll(
        RowForm.of(IcebergColumns.of(rows), begun.get(0), begun.subList(1, begun.size()))
            .columns());
    return ColumnMapping.of(name, places, rows, table.schema());
  }

  /**
   * @throws IllegalStateException when the table cannot take the row
   */
  void write(ShardRow row) throws IOException {
    if (!isAsBefore(row.schemaFingerprint())) {
      mapping = mappings.computeIfAbsent(row.schemaFingerprint(), this::mapping);
      mapped = row.schemaFingerprint();
    }
    RowData fitting = mapping.map(row.row());
    if (row.origin() == ShardRow.Origin.COPY) {
      if (appender == null) {
        appender = appends.create();
      }
      appender.write(fitting);
      copiedRows.merge(row.shard(), 1L, Long::sum);
    } else {
      if (upserter == null) {
        upserter = upserts.create();
      }
      upserter.write(fitting);
    }
  }

  /**
   * Closes the files.
   *
   * @return empty when no row came since the last barrier
   */
  Optional<WriterResult> flush(long checkpointId) throws IOException {
    Optional<WrittenFiles> appended = complete(appender);
    Optional<WrittenFiles> changed = complete(upserter);
    // Only now: files that were closed but not handed over are still the writers' to abort.
    appender = null;
    upserter = null;
    TreeMap<ShardId, Long> copied = new TreeMap<>(copiedRows);
    copiedRows.clear();
    if (appended.isEmpty() && changed.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new WriterResult(checkpointId, subtask, layout, appended, changed, copied));
  }

  private Optional<WrittenFiles> complete(TaskWriter<RowData> writer) throws IOException {
    return writer == null
        ? Optional.empty()
        : ManifestBytes.of(writer.complete(), table.spec(), layout.formatVersion());
  }

  /** Closes and deletes the files of rows since the last barrier: nobody was told of them. */
  void abort() throws IOException {
    List<TaskWriter<RowData>> writers = new ArrayList<>();
    if (appender != null) {
      writers.add(appender);
    }
    if (upserter != null) {
      writers.add(upserter);
    }
    appender = null;
    upserter = null;
    for (TaskWriter<RowData> writer : writers) {
      writer.abort();
    }
  }
}
