package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.debezium.relational.Column;
import io.debezium.relational.Table;
import io.debezium.relational.TableEditor;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.debezium.relational.history.TableChanges.TableChangeType;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.UnfitSourceException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ColumnChangesTest {
  private static TableChange table(String... columns) {
    TableEditor editor = Table.editor().tableId(new TableId("s", null, "t"));
    for (String column : columns) {
      editor.addColumn(
          Column.editor().name(column).type("INT").jdbcType(4).optional(true).create());
    }
    return new TableChange(TableChangeType.ALTER, editor.create());
  }

  private static ColumnBindings.Change between(String before, String after, String clauses) {
    return ColumnChanges.between(
        table(before.split(" ")),
        table(after.split(" ")),
        clauses == null ? AlterClauses.NONE : AlterClauses.of("ALTER TABLE t " + clauses));
  }

  @Test
  void whatTheStatementRenamesIsTheSameColumnAndTheOthersGoOrCome() {
    ColumnBindings.Change change =
        between("id a c Old", "id b c new", "CHANGE A b INT, RENAME COLUMN old TO new");
    assertThat(change.renamed()).isEqualTo(Map.of("b", "a", "new", "Old"));
    assertThat(change.gone()).isEmpty();

    change = between("id a b", "id c", "CHANGE a c INT, DROP b");
    assertThat(change.renamed()).isEqualTo(Map.of("c", "a"));
    assertThat(change.gone()).containsExactly("b");

    change = between("id a", "id A", "CHANGE a A INT");
    assertThat(change.renamed()).isEqualTo(Map.of("A", "a"));

    // Of a column that is not there.
    change = between("id a", "id a", "CHANGE IF EXISTS x y INT");
    assertThat(change).isEqualTo(between("id a", "id a", null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id a | id b | | found columns [b] in the place of [a]",
        "id a c | id b d | CHANGE a b INT | found columns [d] in the place of [c]",
        "id a b | id a b | CHANGE a b INT, CHANGE b a INT | found 'a' renamed to 'b'",
        "id a b | id b c | CHANGE a b INT, CHANGE b c INT | found 'a' renamed to 'b'",
        "id a b | id c | CHANGE a b INT, CHANGE b c INT | found 'a' renamed to 'b'",
        "id a | id a | CHANGE a b INT | found 'a' renamed to 'b'",
        "id a | id b a | CHANGE a b INT, ADD a INT | found 'a' renamed to 'b'",
        "id a b | id b | DROP b, CHANGE a b INT | found 'a' renamed to 'b'",
        "id a | id a | DROP a, ADD A INT | found column 'a' dropped and added anew in one statement",
      })
  void whatMayBeInThePlaceOfAnotherIsRefused(
      String before, String after, String clauses, String found) {
    assertThatThrownBy(() -> between(before, after, clauses))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining(found);
  }

  @Test
  void anIndexThatIsMadeAnewIsNoColumn() {
    assertThat(between("id a", "id a", "DROP INDEX i, ADD INDEX i (a)"))
        .isEqualTo(between("id a", "id a", null));
  }

  @Test
  void newColumnsWithAValueForOldRowsAreNamed() {
    TableChange before = table("id");
    Table after =
        before
            .getTable()
            .edit()
            .addColumns(
                Column.editor().name("plain").optional(true).create(),
                Column.editor().name("zero").optional(false).create(),
                Column.editor().name("seven").optional(true).defaultValueExpression("7").create(),
                Column.editor()
                    .name("nothing")
                    .optional(true)
                    .defaultValueExpression(null)
                    .create(),
                Column.editor().name("made").optional(true).generated(true).create())
            .create();
    assertThat(
            ColumnChanges.between(
                    before, new TableChange(TableChangeType.ALTER, after), AlterClauses.NONE)
                .filled())
        .containsExactly("zero", "seven", "made");
  }
}
