package io.tributary.ingest.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.RequestedColumn;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShardFitTest {
  private static final TableColumns TABLE =
      new TableColumns(
          3,
          List.of(
              column("shard_id", "int", true),
              column("id", "long", true),
              column("price", "decimal(12, 2)", false),
              column("weight", "float", false),
              column("tags", "list<string>", false)));

  private static TableColumns.Column column(String name, String type, boolean required) {
    return new TableColumns.Column(name, ColumnType.parse(type), required);
  }

  private static RowLayout shard(RowLayout.Column... columns) {
    return new RowLayout("shard_id", List.of(columns), List.of(0));
  }

  private static RowLayout.Column source(String name, String type) {
    return new RowLayout.Column(name, ColumnType.parse(type).orElseThrow(), "of " + type, true);
  }

  @Test
  void narrowerColumnsTakeTheTablesTypes() {
    ShardFit fit =
        ShardFit.of(shard(source("id", "int"), source("price", "decimal(10, 2)")), TABLE);
    assertThat(fit.fits()).isTrue();
    assertThat(fit.layout().columns())
        .extracting(column -> column.type().toString())
        .containsExactly("long", "decimal(12, 2)");
    assertThat(fit.layout().columns())
        .extracting(RowLayout.Column::sourceType)
        .containsExactly("of int", "of decimal(10, 2)");
  }

  @Test
  void whatTheTableLacksOrIsTooNarrowForIsMissing() {
    ShardFit fit =
        ShardFit.of(
            shard(
                source("id", "long"),
                source("price", "decimal(14, 2)"),
                source("weight", "double"),
                source("note", "string")),
            TABLE);
    assertThat(fit.problems()).isEmpty();
    assertThat(fit.missing())
        .containsExactly(
            new RequestedColumn("price", "decimal(14, 2)"),
            new RequestedColumn("weight", "double"),
            new RequestedColumn("note", "string"));
  }

  @Test
  void whatNeverFitsIsSaidInFull() {
    ShardFit fit =
        ShardFit.of(
            new RowLayout(
                "shard_id",
                List.of(
                    source("price", "decimal(12, 3)"),
                    source("weight", "string"),
                    source("Tags", "string"),
                    source("tags", "string")),
                List.of(0)),
            TABLE);
    assertThat(fit.fits()).isFalse();
    assertThat(fit.missing()).isEmpty();
    assertThat(fit.problems())
        .containsExactly(
            "expected column 'price' of a type that fits into the table's decimal(12, 2), found of decimal(12, 3) (decimal(12, 3))",
            "expected column 'weight' of a type that fits into the table's float, found of string (string)",
            "expected column 'tags' as the table writes it, found 'Tags'",
            "expected column 'tags' of a type that fits into the table's own type, found of string (string)",
            "expected a value for required column 'id', found none");
  }

  @Test
  void aRowHasTheColumnsItBeganWithAndThenWhateverElseTheTableHas() {
    assertThat(RowForm.of(TABLE, "shard_id", List.of("weight", "gone", "id")))
        .isEqualTo(new RowForm(3, List.of("weight", "gone", "id", "price")));
  }

  @Test
  void typesAreReadAsTheTableWritesThem() {
    for (ColumnType.Kind kind : ColumnType.Kind.values()) {
      ColumnType type =
          kind == ColumnType.Kind.DECIMAL ? ColumnType.decimal(20, 4) : ColumnType.of(kind);
      assertThat(ColumnType.parse(type.toString())).isEqualTo(Optional.of(type));
    }
    assertThat(ColumnType.parse("uuid")).isEmpty();
  }
}
