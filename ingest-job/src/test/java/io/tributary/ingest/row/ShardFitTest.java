package io.tributary.ingest.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.RequestedColumn;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ShardFitTest {
  private static final TableColumns TABLE =
      new TableColumns(
          3,
          List.of(
              column(1, "shard_id", "int", true),
              column(2, "id", "long", true),
              column(3, "price", "decimal(12, 2)", false),
              column(4, "weight", "float", false),
              column(5, "tags", "list<string>", false)));

  private static TableColumns.Column column(int field, String name, String type, boolean required) {
    return new TableColumns.Column(field, name, ColumnType.parse(type), required);
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

  private static ColumnBindings renamed(String name, int field, String... names) {
    return new ColumnBindings(
        new TreeMap<>(Map.of(name, new ColumnBindings.Binding(field, List.of(names)))),
        new TreeSet<>(),
        new TreeSet<>());
  }

  @Test
  void aRenamedColumnBelongsToTheFieldThatItHad() {
    RowLayout shard = shard(source("id", "long"), source("cost", "decimal(10, 2)"));
    ShardFit fit = ShardFit.of(shard, TABLE, renamed("cost", 3, "price"), Map.of());
    assertThat(fit.fits()).isTrue();
    assertThat(fit.layout().columns().get(1).name()).isEqualTo("cost");
    assertThat(fit.layout().columns().get(1).tableName()).isEqualTo("price");
    assertThat(fit.layout().columns().get(1).type()).isEqualTo(ColumnType.decimal(12, 2));
    assertThat(fit.differences()).isEqualTo(ColumnDifferences.renamed(Map.of(3, "cost")));
  }

  @Test
  void aRenamedColumnThatTheTableIsTooNarrowForIsAskedForByItsField() {
    RowLayout shard = shard(source("id", "long"), source("cost", "decimal(14, 2)"));
    ShardFit fit = ShardFit.of(shard, TABLE, renamed("cost", 3, "price"), Map.of());
    assertThat(fit.missing())
        .containsExactly(new RequestedColumn("price", "decimal(14, 2)", Optional.of(3)));
  }

  @Test
  void aFieldThatIsAnotherColumnByNowIsNotTaken() {
    RowLayout shard = shard(source("id", "long"), source("cost", "float"));
    ShardFit fit = ShardFit.of(shard, TABLE, renamed("cost", 4, "price"), Map.of());
    assertThat(fit.missing()).containsExactly(new RequestedColumn("cost", "float"));
    assertThat(fit.differences()).isEqualTo(ColumnDifferences.NONE);
  }

  @Test
  void whoKnowsNothingTakesTheNamesOfOtherShardsUnlessItHasAColumnOfItsOwn() {
    RowLayout shard = shard(source("id", "long"), source("cost", "decimal(10, 2)"));
    ShardFit fit = ShardFit.of(shard, TABLE, ColumnBindings.NONE, Map.of("cost", 3));
    assertThat(fit.fits()).isTrue();
    assertThat(fit.differences().renamed()).isEqualTo(Map.of(3, "cost"));
    assertThat(fit.bindings()).isEqualTo(renamed("cost", 3, "price"));

    RowLayout both =
        shard(source("id", "long"), source("price", "float"), source("cost", "decimal(10, 2)"));
    assertThat(ShardFit.of(both, TABLE, ColumnBindings.NONE, Map.of("cost", 3)).problems())
        .contains(
            "expected column 'cost' to be 'price' renamed, as it is at other shards, found a column of its own");
  }

  @Test
  void aNewColumnUnderTheNameThatARenamedOneLeftWaitsForTheTable() {
    RowLayout shard =
        shard(source("id", "long"), source("price", "float"), source("cost", "decimal(10, 2)"));
    ShardFit fit = ShardFit.of(shard, TABLE, renamed("cost", 3, "price"), Map.of());
    assertThat(fit.problems())
        .contains(
            "expected no column 'price' until the table's column of that name, which is the shard's 'cost', is renamed too, found one");
  }

  @Test
  void aColumnThatWasDroppedDoesNotComeBack() {
    ColumnBindings dropped =
        new ColumnBindings(new TreeMap<>(), new TreeSet<>(List.of(3)), new TreeSet<>());
    ShardFit without = ShardFit.of(shard(source("id", "long")), TABLE, dropped, Map.of());
    assertThat(without.fits()).isTrue();
    assertThat(without.differences().dropped()).containsExactly(3);

    RowLayout again = shard(source("id", "long"), source("price", "decimal(10, 2)"));
    assertThat(ShardFit.of(again, TABLE, dropped, Map.of()).problems())
        .containsExactly(
            "expected column 'price', which the shard dropped, to stay away as long as the table has it, found one that was added anew: rows of before have other values in the table");
  }

  @Test
  void aFormerNameOfATablesColumnIsNotAskedForAsAColumn() {
    TableColumns renamed =
        new TableColumns(
            4,
            List.of(
                column(2, "id", "long", true),
                new TableColumns.Column(
                    3, "cost", ColumnType.parse("float"), false, Set.of("price"))));
    assertThat(ShardFit.of(shard(source("id", "long"), source("price", "float")), renamed))
        .satisfies(
            fit -> {
              assertThat(fit.missing()).isEmpty();
              assertThat(fit.problems())
                  .containsExactly(
                      "expected column 'price' under the name that the table's column has by now, 'cost', found the former one");
            });
    // Beside the column itself it is another one.
    assertThat(
            ShardFit.of(
                    shard(source("id", "long"), source("cost", "float"), source("price", "float")),
                    renamed)
                .missing())
        .containsExactly(new RequestedColumn("price", "float"));
  }

  @Test
  void bindingsFollowEachChange() {
    ColumnBindings.Change first =
        new ColumnBindings.Change(
            new TreeMap<>(Map.of("cost", "price")), List.of("weight"), List.of("n"));
    ColumnBindings after = ColumnBindings.NONE.behind(first, TABLE);
    assertThat(after.renamed()).isEqualTo(renamed("cost", 3, "price").renamed());
    assertThat(after.dropped()).containsExactly(4);
    assertThat(after.unfilled()).containsExactly("n");

    ColumnBindings.Change second =
        new ColumnBindings.Change(
            new TreeMap<>(Map.of("fee", "cost", "m", "n")), List.of(), List.of());
    after = after.behind(second, TABLE);
    assertThat(after.renamed()).isEqualTo(renamed("fee", 3, "price", "cost").renamed());
    assertThat(after.unfilled()).containsExactly("m");

    after =
        after.behind(new ColumnBindings.Change(new TreeMap<>(), List.of("fee"), List.of()), TABLE);
    assertThat(after.renamed()).isEmpty();
    assertThat(after.dropped()).containsExactly(3, 4);
  }

  @Test
  void whatTheTableRemembersIsTakenUpUnlessAllRowsAreCopiedAnew() {
    ColumnDifferences known =
        new ColumnDifferences(
            new TreeMap<>(Map.of(3, "cost")), new TreeSet<>(List.of(4)), new TreeSet<>(List.of(3)));
    ColumnBindings found = ColumnBindings.of(known, TABLE, false);
    assertThat(found.renamed()).isEqualTo(renamed("cost", 3, "price").renamed());
    assertThat(found.dropped()).containsExactly(4);
    assertThat(found.unfilled()).containsExactly("cost");
    assertThat(ColumnBindings.of(known, TABLE, true)).isEqualTo(renamed("cost", 3, "price"));
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
