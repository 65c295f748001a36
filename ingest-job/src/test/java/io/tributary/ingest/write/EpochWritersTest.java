package io.tributary.ingest.write;

import static io.tributary.ingest.table.OrdersTable.copy;
import static io.tributary.ingest.table.OrdersTable.delete;
import static io.tributary.ingest.table.OrdersTable.insert;
import static io.tributary.ingest.table.OrdersTable.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WriterResultCodec;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.ingest.table.IcebergColumns;
import io.tributary.ingest.table.OrdersTable;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.source.DataIterator;
import org.apache.iceberg.flink.source.RowDataFileScanTaskReader;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochWritersTest {
  @TempDir Path warehouse;
  private OrdersTable orders;

  @BeforeEach
  void open() {
    orders = new OrdersTable(warehouse);
  }

  @AfterEach
  void close() throws IOException {
    orders.close();
  }

  private static List<String> names(Schema schema) {
    return schema.columns().stream().map(Types.NestedField::name).toList();
  }

  private EpochWriters writers(Table table) {
    return new EpochWriters(OrdersTable.NAME, table, names(OrdersTable.SCHEMA), 0, 0);
  }

  private static void write(EpochWriters writers, ShardRow... rows) throws IOException {
    for (ShardRow row : rows) {
      writers.write(row);
    }
  }

  private void commit(WriterResult result) {
    Stream.of(result.appended(), result.changed())
        .flatMap(java.util.Optional::stream)
        .forEach(files -> orders.commit(Slice.of(files.manifests(), files.counts())));
  }

  private List<String> fileNames() throws IOException {
    try (Stream<Path> files = Files.walk(warehouse)) {
      return files
          .filter(file -> file.toString().endsWith(".parquet"))
          .map(Path::toString)
          .toList();
    }
  }

  @Test
  void writesNothingWithoutRows() throws IOException {
    EpochWriters writers = writers(orders.create());

    assertThat(writers.flush(1)).isEmpty();
    assertThat(fileNames()).isEmpty();
  }

  @Test
  void aRowCopiedAndChangedInOneEpochIsThereOnce() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(
        writers,
        copy(1, 1, "a"),
        copy(1, 2, "b"),
        copy(1, 3, "c"),
        update(1, 2, "b2"),
        update(1, 2, "b3"),
        delete(1, 3),
        insert(1, 4, "d"));

    WriterResult result = writers.flush(1).orElseThrow();
    commit(result);

    assertThat(orders.rows()).containsExactly("1/00001=a", "1/00002=b3", "1/00004=d");
    assertThat(result.copiedRows()).isEqualTo(Map.of(new ShardId(1), 3L));
  }

  @Test
  void copiedRowsWriteNoDelete() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(writers, copy(1, 1, "a"), copy(2, 1, "b"));

    WriterResult result = writers.flush(1).orElseThrow();

    assertThat(result.changed()).isEmpty();
    FileCounts counts = result.appended().map(WrittenFiles::counts).orElseThrow();
    assertThat(counts.dataRecords()).isEqualTo(2);
    assertThat(counts.hasDeletes()).isFalse();
  }

  @Test
  void changesReachRowsOfEarlierEpochsAndOfTheSameOne() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(writers, insert(1, 1, "a"), insert(1, 2, "b"), insert(2, 1, "other shard"));
    commit(writers.flush(1).orElseThrow());
    write(writers, update(1, 1, "a2"), delete(1, 2), insert(1, 3, "c"), delete(1, 3));
    WriterResult second = writers.flush(2).orElseThrow();
    commit(second);

    assertThat(orders.rows()).containsExactly("1/00001=a2", "2/00001=other shard");
    assertThat(second.changed().orElseThrow().counts().equalityDeleteRecords()).isPositive();
    assertThat(writers.flush(3)).isEmpty();
  }

  @Test
  void resultsSurviveTheirCodec() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(writers, copy(1, 1, "a"), update(1, 1, "a2"), delete(2, 7));
    WriterResult result = writers.flush(5).orElseThrow();

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    WriterResultCodec.write(result, new DataOutputStream(bytes));
    WriterResult read =
        WriterResultCodec.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));

    assertThat(read).isEqualTo(result);
  }

  @Test
  void abortRemovesTheFilesThatNobodyWasToldOf() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(writers, copy(1, 1, "a"), update(1, 1, "a2"));
    writers.flush(1);
    int handedOver = fileNames().size();
    write(writers, copy(1, 2, "b"), update(1, 2, "b2"), delete(2, 7));

    writers.abort();

    assertThat(fileNames()).hasSize(handedOver);
  }

  @Test
  void columnsAreMatchedByNameAndOnesTheSourceLacksAreNull() throws IOException {
    Table table =
        orders.create(
            new Schema(
                List.of(
                    Types.NestedField.optional(1, "note", Types.StringType.get()),
                    Types.NestedField.optional(2, "name", Types.StringType.get()),
                    Types.NestedField.required(3, "id", Types.LongType.get()),
                    Types.NestedField.required(4, "shard_id", Types.IntegerType.get())),
                java.util.Set.of(3, 4)));
    EpochWriters writers = writers(table);
    for (ShardRow row :
        List.of(copy(1, 1, "a"), update(1, 1, "a2"), copy(2, 9, null), delete(2, 8))) {
      write(writers, row(row, table.schema(), Optional.empty()));
    }

    commit(writers.flush(1).orElseThrow());

    assertThat(orders.rows()).containsExactly("1/00001=a2", "2/00009=null");
  }

  /** The same row in another version of the table's schema, with one more column. */
  private static ShardRow row(ShardRow row, Schema schema, Optional<Object> more) {
    GenericRowData longer = new GenericRowData(row.row().getRowKind(), row.row().getArity() + 1);
    for (int i = 0; i < row.row().getArity(); i++) {
      longer.setField(i, row.row().getField(i));
    }
    longer.setField(row.row().getArity(), more.orElse(null));
    return new ShardRow(row.shard(), row.origin(), IcebergColumns.fingerprint(schema), longer);
  }

  @Test
  void rowsOfAnOlderSchemaAreWidenedAndLackWhatCameLater() throws IOException {
    Table table =
        orders.create(
            new Schema(
                List.of(
                    Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                    Types.NestedField.required(2, "id", Types.IntegerType.get()),
                    Types.NestedField.optional(3, "name", Types.StringType.get())),
                java.util.Set.of(1, 2)));
    table
        .updateSchema()
        .updateColumn("id", Types.LongType.get())
        .addColumn("price", Types.DoubleType.get())
        .commit();
    table.refresh();
    Schema newest = table.schema();
    long oldest = IcebergColumns.fingerprint(table.schemas().get(0));
    EpochWriters writers = writers(table);
    assertThat(writers.knows(oldest)).isTrue();
    assertThat(writers.knows(IcebergColumns.fingerprint(newest))).isTrue();
    Schema putBack =
        new Schema(
            newest.schemaId(),
            List.of(
                Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                Types.NestedField.required(2, "id", Types.LongType.get()),
                Types.NestedField.optional(3, "name", Types.StringType.get()),
                Types.NestedField.optional(4, "weight", Types.DoubleType.get())),
            java.util.Set.of(1, 2));
    assertThat(writers.knows(IcebergColumns.fingerprint(putBack))).isFalse();
    write(
        writers,
        new ShardRow(
            new ShardId(1),
            ShardRow.Origin.CHANGE,
            oldest,
            GenericRowData.of(1, 7, StringData.fromString("old"))),
        row(insert(1, 8, "new"), newest, Optional.of(2.5)));
    commit(writers.flush(1).orElseThrow());

    assertThat(readByIceberg(List.of("id", "name", "price")))
        .containsExactly("7,old,null", "8,new,2.5");
  }

  @Test
  void rowsThatWereReadBeforeAColumnWasRenamedAreWrittenToItsField() throws IOException {
    Table table = orders.create();
    long before = IcebergColumns.fingerprint(table.schema());
    table.updateSchema().renameColumn("name", "title").commit();
    table.refresh();
    EpochWriters writers = writers(table);
    ShardRow old = insert(1, 7, "old");
    write(writers, new ShardRow(old.shard(), old.origin(), before, old.row()));
    commit(writers.flush(1).orElseThrow());

    assertThat(readByIceberg(List.of("id", "title"))).containsExactly("7,old");
  }

  @Test
  void aValueWithoutAColumnIsNotDropped() throws IOException {
    Table table = orders.create();
    table.updateSchema().deleteColumn("name").commit();
    table.refresh();
    EpochWriters writers = writers(table);
    assertThatThrownBy(() -> write(writers, insert(1, 8, "lost")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected a column for the value of 'name', found none");
    write(writers, insert(1, 9, null));
    commit(writers.flush(1).orElseThrow());
    assertThat(readByIceberg(List.of("id"))).containsExactly("9");
  }

  @Test
  void aKeyThatChangesItsBucketOrIsSwappedLeavesOneRowEach() throws IOException {
    EpochWriters writers = writers(orders.create());
    write(writers, copy(1, 1, "a"), copy(1, 2, "b"), copy(1, 3, "moves"));
    commit(writers.flush(1).orElseThrow());
    // Far enough from each other to be in all three buckets.
    for (long to = 100; to < 110; to++) {
      write(writers, delete(1, to == 100 ? 3 : to - 1), insert(1, to, "moves"));
      commit(writers.flush(to).orElseThrow());
    }
    write(
        writers,
        delete(1, 1),
        insert(1, 9, "a"),
        delete(1, 2),
        insert(1, 1, "b"),
        delete(1, 9),
        insert(1, 2, "a"));
    commit(writers.flush(200).orElseThrow());

    assertThat(orders.rows()).containsExactly("1/00001=b", "1/00002=a", "1/00109=moves");
  }

  /** Field case B5. */
  @Test
  void b5_aRowOfAKeyThatIsNotAdjacentIsGoneInEveryProjectionAndForTwoReaders() throws IOException {
    Schema schema =
        new Schema(
            List.of(
                Types.NestedField.optional(1, "note", Types.StringType.get()),
                Types.NestedField.required(2, "id", Types.LongType.get()),
                Types.NestedField.optional(3, "v", Types.IntegerType.get()),
                Types.NestedField.required(4, "region", Types.StringType.get()),
                Types.NestedField.required(5, "shard_id", Types.IntegerType.get())),
            java.util.Set.of(2, 4, 5));
    Table table = orders.create(schema);
    EpochWriters writers = new EpochWriters(OrdersTable.NAME, table, names(schema), 0, 0);
    write(
        writers,
        row(RowKind.INSERT, "kept", 1, 10, "north"),
        row(RowKind.INSERT, "gone", 1, 20, "south"),
        row(RowKind.INSERT, "kept too", 2, 30, "south"));
    commit(writers.flush(1).orElseThrow());
    write(writers, row(RowKind.DELETE, "gone", 1, 20, "south"));
    commit(writers.flush(2).orElseThrow());

    Map<List<String>, List<String>> expected =
        Map.of(
            List.of("note"), List.of("kept", "kept too"),
            List.of("region", "v"), List.of("north,10", "south,30"),
            List.of("id"), List.of("1", "2"));
    for (Map.Entry<List<String>, List<String>> one : expected.entrySet()) {
      List<String> columns = one.getKey();
      assertThat(readByIceberg(columns)).as("%s", columns).isEqualTo(one.getValue());
      assertThat(readByFlink(columns)).as("%s", columns).isEqualTo(one.getValue());
    }
  }

  private ShardRow row(RowKind kind, String note, long id, int v, String region) {
    return new ShardRow(
        new ShardId(1),
        ShardRow.Origin.CHANGE,
        IcebergColumns.fingerprint(orders.load().schema()),
        GenericRowData.ofKind(
            kind, StringData.fromString(note), id, v, StringData.fromString(region), 1));
  }

  private List<String> readByIceberg(List<String> columns) throws IOException {
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<Record> found =
        IcebergGenerics.read(orders.load()).select(columns).build()) {
      for (Record row : found) {
        rows.add(
            columns.stream()
                .map(column -> String.valueOf(row.getField(column)))
                .collect(Collectors.joining(",")));
      }
    }
    Collections.sort(rows);
    return rows;
  }

  private List<String> readByFlink(List<String> columns) throws IOException {
    Table table = orders.load();
    Schema projected = table.schema().select(columns);
    RowType type = FlinkSchemaUtil.convert(projected);
    List<String> rows = new ArrayList<>();
    try (CloseableIterable<CombinedScanTask> tasks =
        table.newScan().project(projected).planTasks()) {
      for (CombinedScanTask task : tasks) {
        try (DataIterator<RowData> found =
            new DataIterator<>(
                new RowDataFileScanTaskReader(table.schema(), projected, null, true, List.of()),
                task,
                table.io(),
                table.encryption())) {
          while (found.hasNext()) {
            RowData row = found.next();
            // In the table's order, whatever was asked for.
            rows.add(
                columns.stream()
                    .map(
                        column -> {
                          int place = type.getFieldIndex(column);
                          return String.valueOf(
                              RowData.createFieldGetter(type.getTypeAt(place), place)
                                  .getFieldOrNull(row));
                        })
                    .collect(Collectors.joining(",")));
          }
        }
      }
    }
    Collections.sort(rows);
    return rows;
  }

  @Test
  void saysEveryColumnThatTheTableCannotTake() {
    Table table =
        orders.create(
            new Schema(
                List.of(
                    Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
                    Types.NestedField.required(2, "id", Types.LongType.get()),
                    Types.NestedField.required(3, "token", Types.UUIDType.get()),
                    Types.NestedField.required(4, "other", Types.UUIDType.get())),
                java.util.Set.of(1, 2)));

    ShardRow row = row(insert(1, 8, "a"), table.schema(), Optional.empty());
    assertThatThrownBy(() -> write(writers(table), row))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Cannot write rows to table shop.orders")
        .hasMessageContaining("required column 'token'")
        .hasMessageContaining("required column 'other'");
  }
}
