package io.tributary.ingest.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.protocol.ShardId;
import io.tributary.registry.SchemaChangeBehavior;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LayoutPlannerTest {
  private static final SourceColumn ID = SourceColumn.of("id", "bigint(20) unsigned").notNull();
  private static final SourceColumn NOTE = SourceColumn.of("note", "varchar(20)");

  @Test
  void putsTheShardColumnFirstAndMakesTheKeyRequired() {
    LayoutPlanner.Plan plan = planner().plan(List.of(table(0, List.of(NOTE, ID), List.of("id"))));
    assertThat(plan.bucketColumn()).isEqualTo("id");
    assertThat(plan.layout().keyNames()).containsExactly("id");
    assertThat(plan.layout().rowType().asSummaryString())
        .isEqualTo("ROW<`shard_id` INT NOT NULL, `note` STRING, `id` DECIMAL(20, 0) NOT NULL>");
  }

  @Test
  void refusesATableWithoutAKeyByName() {
    assertThatThrownBy(() -> planner().plan(List.of(table(3, List.of(ID), List.of()))))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("Cannot read shard 3 (db3.t)")
        .hasMessageContaining("expected a primary key, found none");
  }

  @Test
  void takesAUniqueKeyOnlyWhenTheRegistryNamesItAndItAllowsNoNull() {
    SourceSchema unique =
        new SourceSchema(
            new ShardId(0), "db0", "t", List.of(ID, NOTE), List.of(), List.of(List.of("id")), 0);
    LayoutPlanner named =
        new LayoutPlanner(
            "shard_id",
            Optional.of(List.of("id")),
            Optional.empty(),
            Map.of(),
            SchemaChangeBehavior.EXCEPTION);
    assertThat(named.plan(List.of(unique)).layout().keyNames()).containsExactly("id");
    assertThatThrownBy(() -> planner().plan(List.of(unique)))
        .hasMessageContaining("expected a primary key");
    assertThatThrownBy(
            () ->
                new LayoutPlanner(
                        "shard_id",
                        Optional.of(List.of("note")),
                        Optional.empty(),
                        Map.of(),
                        SchemaChangeBehavior.EXCEPTION)
                    .plan(List.of(unique)))
        .hasMessageContaining("Cannot use (note) as the key of shard 0 (db0.t)");
  }

  @Test
  void refusesFloatingKeysAndBucketsOutsideTheKey() {
    SourceColumn weight = SourceColumn.of("w", "double").notNull();
    assertThatThrownBy(
            () ->
                new LayoutPlanner(
                        "shard_id",
                        Optional.empty(),
                        Optional.of("id"),
                        Map.of(),
                        SchemaChangeBehavior.EXCEPTION)
                    .plan(List.of(table(0, List.of(ID, weight), List.of("id", "w")))))
        .hasMessageContaining("Cannot use column 'w' in the key of shard 0 (db0.t)");
    assertThatThrownBy(
            () ->
                new LayoutPlanner(
                        "shard_id",
                        Optional.empty(),
                        Optional.of("note"),
                        Map.of(),
                        SchemaChangeBehavior.EXCEPTION)
                    .plan(List.of(table(0, List.of(ID, NOTE), List.of("id")))))
        .hasMessageContaining("by column 'note': expected one of the key (id)");
  }

  @Test
  void refusesKeysOfLabelsOneOfWhichIsEmpty() {
    for (String type : List.of("enum('a','')", "set('','a')", "enum('it''s','''','')")) {
      SourceColumn label = SourceColumn.of("label", type).notNull();
      assertThatThrownBy(
              () ->
                  new LayoutPlanner(
                          "shard_id",
                          Optional.empty(),
                          Optional.of("id"),
                          Map.of(),
                          SchemaChangeBehavior.EXCEPTION)
                      .plan(List.of(table(0, List.of(ID, label), List.of("id", "label")))))
          .hasMessageContaining("Cannot use column 'label' in the key of shard 0 (db0.t)")
          .hasMessageContaining("found an empty one in " + type);
    }
    for (String type : List.of("enum(','',','it''s','''')", "set('a','b')")) {
      SourceColumn label = SourceColumn.of("label", type).notNull();
      assertThat(
              planner()
                  .plan(List.of(table(0, List.of(label), List.of("label"))))
                  .layout()
                  .keyNames())
          .as(type)
          .containsExactly("label");
    }
  }

  @Test
  void refusesACompositeKeyWithoutABucketColumn() {
    assertThatThrownBy(
            () ->
                planner()
                    .plan(List.of(table(0, List.of(ID, NOTE.notNull()), List.of("id", "note")))))
        .hasMessageContaining("expected a bucket column for the composite key (id, note)");
  }

  @Test
  void refusesAColumnNamedAsOursWithTheSettingThatRenames() {
    assertThatThrownBy(
            () ->
                planner()
                    .plan(
                        List.of(
                            table(
                                0,
                                List.of(ID, SourceColumn.of("Shard_Id", "int")),
                                List.of("id")))))
        .hasMessageContaining("found one; rename Tributary's own with 'shard-id-column'");
  }

  @Test
  void saysEveryDifferenceBetweenShardsColumnByColumn() {
    SourceSchema first = table(0, List.of(ID, NOTE, SourceColumn.of("c", "int")), List.of("id"));
    SourceSchema other =
        table(
            1,
            List.of(ID, SourceColumn.of("note", "text"), SourceColumn.of("c", "bigint")),
            List.of("id"));
    SourceSchema shorter = table(2, List.of(ID, NOTE), List.of("id"));
    assertThatThrownBy(() -> planner().plan(List.of(first, other, shorter)))
        .hasMessageContaining(
            "Cannot read shard 1 (db1.t): expected the columns of shard 0 (db0.t), found 'c' of"
                + " type bigint instead of int")
        .hasMessageContaining("Cannot read shard 2 (db2.t)")
        .hasMessageContaining("found no 'c'")
        .satisfies(e -> assertThat(((UnfitSourceException) e).problems()).hasSize(2));
  }

  @Test
  void refusesTypesThatTheTableCannotHoldByTableColumnAndCure() {
    assertThatThrownBy(
            () ->
                planner()
                    .plan(
                        List.of(
                            table(
                                0,
                                List.of(
                                    ID,
                                    SourceColumn.of("g", "inet6"),
                                    SourceColumn.of("t", "uuid")),
                                List.of("id")))))
        .hasMessageContaining(
            "Cannot read column 'g' of shard 0 (db0.t): expected a type that the table can hold"
                + " without loss, found type inet6")
        .hasMessageContaining("column 't'")
        .hasMessageContaining("found type uuid");
  }

  @Test
  void cutsByAWholeNumberOfTheKeyOnly() {
    SourceColumn code = SourceColumn.of("code", "varchar(36)").notNull();
    SourceSchema composite = table(0, List.of(code, ID), List.of("code", "id"));
    LayoutPlanner planner =
        new LayoutPlanner(
            "shard_id",
            Optional.empty(),
            Optional.of("code"),
            Map.of(),
            SchemaChangeBehavior.EXCEPTION);
    ChunkRule.Decision decision =
        ChunkRule.decide(
            List.of(composite), planner.plan(List.of(composite)), Optional.empty(), 100);
    assertThat(decision.column()).contains("id");

    SourceSchema text = table(0, List.of(code), List.of("code"));
    ChunkRule.Decision whole =
        ChunkRule.decide(List.of(text), planner.plan(List.of(text)), Optional.empty(), 100);
    assertThat(whole.column()).isEmpty();
    assertThat(whole.reason()).contains("one chunk per table");

    SourceSchema large =
        new SourceSchema(
            new ShardId(9), "db9", "t", List.of(code), List.of("code"), List.of(), 5_000_000);
    assertThatThrownBy(
            () ->
                ChunkRule.decide(
                    List.of(large), planner.plan(List.of(large)), Optional.empty(), 100))
        .hasMessageContaining("Cannot copy shard 9 (db9.t)")
        .hasMessageContaining("5000000 rows");
    assertThatThrownBy(
            () ->
                ChunkRule.decide(
                    List.of(composite), planner.plan(List.of(composite)), Optional.of("code"), 100))
        .hasMessageContaining("by column 'code'");
  }

  @Test
  void whenTheTableEvolvesItHasTheColumnsOfAllShardsEachAsWideAsTheWidest() {
    SourceColumn wide = SourceColumn.of("v", "bigint");
    SourceColumn narrow = SourceColumn.of("v", "smallint").notNull();
    SourceColumn added = SourceColumn.of("added", "date");
    RowLayout layout =
        evolving()
            .plan(
                List.of(
                    table(0, List.of(ID, narrow), List.of("id")),
                    table(1, List.of(added, ID, wide), List.of("id")),
                    table(2, List.of(ID), List.of("id"))))
            .layout();
    assertThat(layout.names()).containsExactly("id", "v", "added");
    assertThat(layout.column("v").orElseThrow().type())
        .isEqualTo(ColumnType.of(ColumnType.Kind.LONG));
    assertThat(layout.column("v").orElseThrow().nullable()).isTrue();
    assertThat(layout.keyNames()).containsExactly("id");
  }

  @Test
  void whenTheTableEvolvesColumnsThatNeverFitAreStillRefused() {
    assertThatThrownBy(
            () ->
                evolving()
                    .plan(
                        List.of(
                            table(0, List.of(ID, SourceColumn.of("v", "int")), List.of("id")),
                            table(
                                1,
                                List.of(
                                    ID,
                                    SourceColumn.of("v", "text"),
                                    SourceColumn.of("ID2", "int")),
                                List.of("id", "v")),
                            table(2, List.of(ID, SourceColumn.of("V", "int")), List.of("id")))))
        .hasMessageContaining(
            "Cannot read shard 1 (db1.t): expected the columns of shard 0 (db0.t), found 'v' of type text instead of int")
        .hasMessageContaining("found primary key [id, v] instead of [id]")
        .hasMessageContaining("found 'V' where 'v' is expected");
  }

  private static LayoutPlanner evolving() {
    return new LayoutPlanner(
        "shard_id", Optional.empty(), Optional.empty(), Map.of(), SchemaChangeBehavior.EVOLVE);
  }

  private static LayoutPlanner planner() {
    return new LayoutPlanner(
        "shard_id", Optional.empty(), Optional.empty(), Map.of(), SchemaChangeBehavior.EXCEPTION);
  }

  private static SourceSchema table(int shard, List<SourceColumn> columns, List<String> key) {
    return new SourceSchema(new ShardId(shard), "db" + shard, "t", columns, key, List.of(), 0);
  }
}
