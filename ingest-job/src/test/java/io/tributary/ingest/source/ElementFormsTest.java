package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardRow;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.SubmissionId;
import io.tributary.protocol.Watermark;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.BinlogPendingSplitsState;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class ElementFormsTest {
  private static final RowLayout LAYOUT =
      new RowLayout(
          "shard_id",
          List.of(
              new RowLayout.Column("id", ColumnType.of(ColumnType.Kind.LONG), "bigint(20)", false),
              new RowLayout.Column(
                  "note", ColumnType.of(ColumnType.Kind.TEXT), "varchar(9)", true)),
          List.of(0));

  @Test
  void rowsAndStandingsSurviveTheNetwork() throws IOException {
    TypeSerializer<SourceElement> serializer =
        SourceElementTypeInfo.INSTANCE.createSerializer(new SerializerConfigImpl());
    GenericRowData row = new GenericRowData(RowKind.DELETE, 3);
    row.setField(0, 4);
    row.setField(1, 9L);
    row.setField(2, StringData.fromString("한글"));
    SourceElement.Row out =
        (SourceElement.Row)
            again(
                serializer,
                new SourceElement.Row(
                    new ShardRow(new ShardId(4), ShardRow.Origin.CHANGE, 7, row)));
    assertThat(out.row().shard()).isEqualTo(new ShardId(4));
    assertThat(out.row().origin()).isEqualTo(ShardRow.Origin.CHANGE);
    assertThat(out.row().row().getRowKind()).isEqualTo(RowKind.DELETE);
    assertThat(out.row().row().getLong(1)).isEqualTo(9);
    assertThat(out.row().row().getString(2)).hasToString("한글");

    SourceElement standing =
        new SourceElement.Standing(
            new SourceMark(
                TestServer.SERVER,
                Optional.of(
                    new SourcePosition(
                        "b.000001", 7, Optional.of("u:1-2"), 3, 4, Optional.of("server 9"))),
                Optional.of(Watermark.ofEpochMicros(1_700_000_000_000_001L)),
                Map.of(new ShardId(1), "why"),
                List.of(
                    new SchemaWish(
                        new ShardId(2),
                        List.of(
                            new RequestedColumn("n", "int"),
                            new RequestedColumn("m", "long", Optional.of(7))),
                        SourcePosition.of("b.000001", 4))),
                Map.of(
                    new ShardId(1),
                    ColumnDifferences.NONE,
                    new ShardId(2),
                    new ColumnDifferences(
                        new TreeMap<>(Map.of(3, "数量")),
                        new TreeSet<>(List.of(4)),
                        new TreeSet<>(List.of(5, 6))))));
    assertThat(again(serializer, standing)).isEqualTo(standing);
    SourceElement empty =
        new SourceElement.Standing(
            new SourceMark(TestServer.SERVER, Optional.empty(), Optional.empty(), Map.of()));
    assertThat(again(serializer, empty)).isEqualTo(empty);
    TreeSet<ShardId> shards = new TreeSet<>(List.of(new ShardId(3), new ShardId(1)));
    SourceElement emptied = new SourceElement.ShardsEmptied(shards);
    assertThat(again(serializer, emptied)).isEqualTo(emptied);
    SourceElement atBarrier =
        new SourceElement.Standing(
            new SourceMark(TestServer.SERVER, Optional.empty(), Optional.empty(), Map.of())
                .withEmptied(new Emptied(7, shards)));
    assertThat(again(serializer, atBarrier)).isEqualTo(atBarrier);
  }

  @Test
  void theEnumeratorsStateKeepsWhereReadingBegan() throws IOException {
    SourceState.Serializer serializer = new SourceState.Serializer();
    SubmissionId submission = new SubmissionId(UUID.randomUUID());
    SourcePosition start = SourcePosition.of("b.000009", 5);
    SourceState.Reading read =
        (SourceState.Reading)
            serializer.deserialize(
                serializer.getVersion(),
                serializer.serialize(
                    new SourceState.Reading(
                        submission,
                        Optional.of(start),
                        "server 9",
                        new BinlogPendingSplitsState(true))));
    assertThat(read.submission()).isEqualTo(submission);
    assertThat(read.start()).contains(start);
    assertThat(read.serverIdentity()).isEqualTo("server 9");
    assertThat(((BinlogPendingSplitsState) read.splits()).isBinlogSplitAssigned()).isTrue();
    assertThat(
            serializer.deserialize(
                serializer.getVersion(), serializer.serialize(new SourceState.Waiting())))
        .isEqualTo(new SourceState.Waiting());
  }

  private static <T> T again(TypeSerializer<T> serializer, T value) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(value, out);
    return serializer.duplicate().deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
  }
}
