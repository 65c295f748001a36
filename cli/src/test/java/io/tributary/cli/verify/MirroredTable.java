package io.tributary.cli.verify;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.iceberg.types.Types;

/**
 * A MySQL table of many types with a composite key, and an Iceberg table in local files that is
 * filled with the same rows by hand: two shards, a row of each changed by an equality delete.
 */
final class MirroredTable {
  static final String CREATE_COLUMNS =
      """
      (
        k1 INT NOT NULL,
        k2 VARCHAR(20) NOT NULL,
        name VARCHAR(50) CHARACTER SET utf8mb4 NULL,
        exact DECIMAL(38,10) NULL,
        big BIGINT UNSIGNED NULL,
        raw VARBINARY(8) NULL,
        day DATE NULL,
        local_time DATETIME(3) NULL,
        happened TIMESTAMP(6) NULL,
        ratio FLOAT NULL,
        bits BIT(10) NULL,
        flag TINYINT(1) NULL,
        PRIMARY KEY (k1, k2)
      )""";

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
              Types.NestedField.required(2, "k1", Types.IntegerType.get()),
              Types.NestedField.required(3, "k2", Types.StringType.get()),
              Types.NestedField.optional(4, "name", Types.StringType.get()),
              Types.NestedField.optional(5, "exact", Types.DecimalType.of(38, 10)),
              Types.NestedField.optional(6, "big", Types.DecimalType.of(20, 0)),
              Types.NestedField.optional(7, "raw", Types.BinaryType.get()),
              Types.NestedField.optional(8, "day", Types.DateType.get()),
              Types.NestedField.optional(9, "local_time", Types.TimestampType.withoutZone()),
              Types.NestedField.optional(10, "happened", Types.TimestampType.withZone()),
              Types.NestedField.optional(11, "ratio", Types.FloatType.get()),
              Types.NestedField.optional(12, "bits", Types.LongType.get()),
              Types.NestedField.optional(13, "flag", Types.IntegerType.get())),
          java.util.Set.of(1, 2, 3));
  private static final int[] KEY_IDS = {1, 2, 3};

  private final Table table;

  MirroredTable(Path folder) {
    table =
        new HadoopTables(new Configuration())
            .create(
                SCHEMA,
                PartitionSpec.builderFor(SCHEMA).identity("shard_id").bucket("k2", 2).build(),
                Map.of("format-version", "2"),
                folder.toUri().toString());
  }

  Table table() {
    return table;
  }

  /** Fills a shard's MySQL table with the rows of the keys (0, "k0") to (n - 1, "k(n-1)"). */
  static void fillSource(Connection connection, ShardToVerify shard, int rows) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      statement.execute("CREATE DATABASE IF NOT EXISTS " + ShardToVerify.quote(shard.database()));
      statement.execute("DROP TABLE IF EXISTS " + shard.quotedName());
      statement.execute("CREATE TABLE " + shard.quotedName() + " " + CREATE_COLUMNS);
      for (int i = 0; i < rows; i++) {
        statement.execute(
            "INSERT INTO "
                + shard.quotedName()
                + (i % 7 == 6
                    ? " (k1, k2) VALUES (%d, 'k%d')".formatted(i, i)
                    : " VALUES (%1$d, 'k%1$d', '상품 👍 %2$d-%1$d', '-1234567890123456789012345678.0000000%2$d%1$02d', 18446744073709551%1$03d, x'00ff%1$02d00', '2024-02-29', '2024-01-02 03:04:05.6', '2024-06-07 08:09:10.12345%2$d', 0.1, b'1000000001', 2)"
                        .formatted(i, shard.shard().value())));
      }
    }
  }

  /** The row that {@link #fillSource} writes, as the table should hold it. */
  static Record row(int shard, int i) {
    Record row = GenericRecord.create(SCHEMA);
    row.setField("shard_id", shard);
    row.setField("k1", i);
    row.setField("k2", "k" + i);
    if (i % 7 != 6) {
      row.setField("name", "상품 👍 %d-%d".formatted(shard, i));
      row.setField(
          "exact",
          new BigDecimal("-1234567890123456789012345678.0000000%d%02d".formatted(shard, i)));
      row.setField("big", new BigDecimal("18446744073709551%03d".formatted(i)));
      row.setField(
          "raw",
          ByteBuffer.wrap(
              new byte[] {0, (byte) 0xff, (byte) Integer.parseInt("%02d".formatted(i), 16), 0}));
      row.setField("day", LocalDate.of(2024, 2, 29));
      row.setField("local_time", LocalDateTime.of(2024, 1, 2, 3, 4, 5, 600_000_000));
      row.setField(
          "happened",
          OffsetDateTime.of(2024, 6, 7, 8, 9, 10, 123_450_000 + shard * 1_000, ZoneOffset.UTC));
      row.setField("ratio", 0.1f);
      row.setField("bits", 513L);
      row.setField("flag", 2);
    }
    return row;
  }

  /** Fills the Iceberg table with the same rows; the first of each shard in a second version. */
  void fillTable(int shard, int rows) throws IOException {
    List<Record> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(row(shard, i));
    }
    all.get(0).setField("name", "an older version");
    RowDelta delta = table.newRowDelta();
    addRows(delta, all);
    delta.commit();
    upsert(row(shard, 0));
  }

  void append(Record row) throws IOException {
    RowDelta delta = table.newRowDelta();
    addRows(delta, List.of(row));
    delta.commit();
  }

  void upsert(Record row) throws IOException {
    RowDelta delta = table.newRowDelta();
    addDelete(delta, row);
    addRows(delta, List.of(row));
    delta.commit();
  }

  void delete(Record row) throws IOException {
    RowDelta delta = table.newRowDelta();
    addDelete(delta, row);
    delta.commit();
  }

  private void addRows(RowDelta delta, List<Record> rows) throws IOException {
    Map<PartitionKey, List<Record>> byPartition =
        rows.stream().collect(Collectors.groupingBy(this::partition));
    for (Map.Entry<PartitionKey, List<Record>> entry : byPartition.entrySet()) {
      PartitionKey partition = entry.getKey();
      DataWriter<Record> writer =
          writers()
              .newDataWriter(
                  files().newOutputFile(table.spec(), partition), table.spec(), partition);
      try (writer) {
        writer.write(entry.getValue());
      }
      delta.addRows(writer.toDataFile());
    }
  }

  private void addDelete(RowDelta delta, Record row) throws IOException {
    PartitionKey partition = partition(row);
    EqualityDeleteWriter<Record> writer =
        writers()
            .newEqualityDeleteWriter(
                files().newOutputFile(table.spec(), partition), table.spec(), partition);
    Record key = GenericRecord.create(SCHEMA.select("shard_id", "k1", "k2"));
    key.setField("shard_id", row.getField("shard_id"));
    key.setField("k1", row.getField("k1"));
    key.setField("k2", row.getField("k2"));
    try (writer) {
      writer.write(key);
    }
    delta.addDeletes(writer.toDeleteFile());
  }

  private PartitionKey partition(Record row) {
    PartitionKey key = new PartitionKey(table.spec(), SCHEMA);
    key.partition(new InternalRecordWrapper(SCHEMA.asStruct()).wrap(row));
    return key;
  }

  private OutputFileFactory files() {
    return OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PARQUET).build();
  }

  private GenericFileWriterFactory writers() {
    return new GenericFileWriterFactory.Builder(table)
        .dataSchema(SCHEMA)
        .dataFileFormat(FileFormat.PARQUET)
        .deleteFileFormat(FileFormat.PARQUET)
        .equalityFieldIds(KEY_IDS)
        .equalityDeleteRowSchema(SCHEMA.select("shard_id", "k1", "k2"))
        .build();
  }
}
