package io.tributary.ingest.write;

import static io.tributary.ingest.table.OrdersTable.copy;
import static io.tributary.ingest.table.OrdersTable.insert;
import static io.tributary.ingest.table.OrdersTable.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.seal.ShardFiles;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.ingest.seal.WrittenFiles;
import io.tributary.ingest.table.OrdersTable;
import io.tributary.protocol.CommittableManifest;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.ManifestContent;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.Slice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.avro.AvroIterable;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestPartsTest {
  private static final ShardId ONE = new ShardId(1);
  private static final ShardId TWO = new ShardId(2);
  private static final ShardId THREE = new ShardId(3);

  @TempDir Path warehouse;
  private final ManifestParts parts = new ManifestParts();
  private OrdersTable orders;
  private Table table;

  @BeforeEach
  void open() {
    orders = new OrdersTable(warehouse);
    table = orders.create();
  }

  @AfterEach
  void close() throws IOException {
    orders.close();
  }

  private WriterResult written(ShardRow... rows) throws IOException {
    EpochWriters writers =
        new EpochWriters(
            OrdersTable.NAME,
            table,
            OrdersTable.SCHEMA.columns().stream().map(Types.NestedField::name).toList(),
            0,
            0);
    for (ShardRow row : rows) {
      writers.write(row);
    }
    return writers.flush(1).orElseThrow();
  }

  private void commit(WrittenFiles files) {
    orders.commit(Slice.of(files.manifests(), files.counts()));
  }

  private static FileCounts sum(ShardFiles.Parts found) {
    return found.of().values().stream()
        .map(WrittenFiles::counts)
        .reduce(FileCounts.NONE, FileCounts::plus)
        .plus(found.others().map(WrittenFiles::counts).orElse(FileCounts.NONE));
  }

  @Test
  void changesAreTakenApartWithTheirDeletes() throws IOException {
    commit(written(copy(1, 1, "a"), copy(2, 1, "a"), copy(3, 1, "a")).appended().orElseThrow());
    WriterResult changes =
        written(
            update(1, 1, "b"),
            update(2, 1, "b"),
            update(3, 1, "b"),
            // A second change in one epoch: a position delete.
            update(2, 1, "c"),
            insert(2, 7, "new"));
    WrittenFiles all = changes.changed().orElseThrow();

    ShardFiles.Parts found = parts.split(all, changes.layout(), Set.of(TWO, new ShardId(9)));

    assertThat(found.of()).containsOnlyKeys(TWO);
    assertThat(found.of().get(TWO).manifests()).hasSize(2);
    assertThat(found.of().get(TWO).counts().positionDeleteRecords())
        .isEqualTo(all.counts().positionDeleteRecords());
    assertThat(sum(found)).isEqualTo(all.counts());
    commit(found.others().orElseThrow());
    assertThat(orders.rows()).containsExactly("1/00001=b", "2/00001=a", "3/00001=b");
    commit(found.of().get(TWO));
    assertThat(orders.rows()).containsExactly("1/00001=b", "2/00001=c", "2/00007=new", "3/00001=b");
  }

  @Test
  void whatNeedsNoPartingKeepsItsBytes() throws IOException {
    WriterResult result = written(copy(1, 1, "a"), copy(1, 2, "b"));
    WrittenFiles files = result.appended().orElseThrow();

    ShardFiles.Parts foreign = parts.split(files, result.layout(), Set.of(TWO));
    ShardFiles.Parts own = parts.split(files, result.layout(), Set.of(ONE, TWO));

    assertThat(foreign.of()).isEmpty();
    assertThat(foreign.others()).containsSame(files);
    assertThat(own.of().get(ONE)).isSameAs(files);
    assertThat(own.others()).isEmpty();
  }

  @Test
  void manyManifestsBecomeOneWithAllFiles() throws IOException {
    List<WrittenFiles> many = new ArrayList<>();
    FileCounts counts = FileCounts.NONE;
    WriterResult result = null;
    for (int i = 0; i < 40; i++) {
      result = written(copy(1, 2 * i, "a"), copy(2, 2 * i + 1, "b"), copy(3, i, "c"));
      many.add(result.appended().orElseThrow());
      counts = counts.plus(result.appended().orElseThrow().counts());
    }

    WrittenFiles one = parts.merge(many, result.layout());

    assertThat(one.manifests())
        .singleElement()
        .satisfies(manifest -> assertThat(manifest.content()).isEqualTo(ManifestContent.DATA));
    assertThat(one.counts()).isEqualTo(counts);
    commit(one);
    assertThat(orders.rows()).hasSize(120);
    // And may be taken apart again.
    assertThat(parts.split(one, result.layout(), Set.of(ONE, TWO, THREE)).of()).hasSize(3);
  }

  @Test
  void theSchemaThatFilesWereWrittenWithStays() throws IOException {
    WriterResult before = written(copy(1, 1, "a"));
    table.updateSchema().addColumn("late", Types.StringType.get()).commit();

    WrittenFiles merged = parts.merge(List.of(before.appended().orElseThrow()), before.layout());

    assertThat(table.schema().findField("late")).isNotNull();
    assertThat(schemaOf(merged.manifests().get(0)).sameSchema(table.schemas().get(0))).isTrue();
  }

  private static Schema schemaOf(CommittableManifest manifest) throws IOException {
    InMemoryInputFile bytes =
        new InMemoryInputFile(((CommittableManifest.Inline) manifest).bytes());
    try (AvroIterable<Object> file = Avro.read(bytes).project(new Schema()).build()) {
      return SchemaParser.fromJson(file.getMetadata().get("schema"));
    }
  }
}
