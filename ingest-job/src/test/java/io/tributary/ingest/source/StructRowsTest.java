package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowForm;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.UnfitValueException;
import io.tributary.protocol.ShardId;
import java.util.List;
import java.util.Map;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Schema;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class StructRowsTest {
  private static final RowLayout LAYOUT =
      new RowLayout(
          "shard_id",
          List.of(
              new RowLayout.Column("id", ColumnType.of(ColumnType.Kind.INT), "int(11)", false),
              new RowLayout.Column("v", ColumnType.of(ColumnType.Kind.INT), "int(11)", false)),
          List.of(0));

  /** What the change reader cannot convert it leaves out, with a line in its log. */
  @Test
  void aValueThatIsMissingThoughTheSourceAllowsNoNullStopsTheSource() {
    Struct values = new Struct(schema(Schema.INT32_SCHEMA)).put("id", 1);
    assertThatThrownBy(() -> rows(values).row(RowKind.INSERT, values))
        .isInstanceOf(UnfitValueException.class)
        .hasMessageContaining("Cannot read column 'v' of type int(11)")
        .hasMessageContaining("found one that the change reader cannot convert");
  }

  @Test
  void aValueThatMayBeMissingIsNull() {
    Struct values = new Struct(schema(Schema.OPTIONAL_INT32_SCHEMA)).put("id", 1);
    assertThat(rows(values).row(RowKind.INSERT, values)).hasToString("+I(0,1,null)");
  }

  private static Schema schema(Schema ofValue) {
    return SchemaBuilder.struct().field("id", Schema.INT32_SCHEMA).field("v", ofValue).build();
  }

  private static StructRows rows(Struct values) {
    return StructRows.resolve(
        new SourceSpec.Shard(new ShardId(0), "db", "t"),
        LAYOUT,
        new RowForm(0, LAYOUT.names()),
        values.schema(),
        Map.of(),
        () -> {});
  }
}
