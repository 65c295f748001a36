package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class SchemaOfFilesTest {
  private static final Types.NestedField ID =
      Types.NestedField.required(1, "id", Types.LongType.get());
  private static final Schema CURRENT = schema(field(2, "price", Types.LongType.get()));

  private static Types.NestedField field(int id, String name, Type type) {
    return Types.NestedField.optional(id, name, type);
  }

  private static Schema schema(Types.NestedField... more) {
    List<Types.NestedField> fields = new ArrayList<>(List.of(ID));
    fields.addAll(Arrays.asList(more));
    return new Schema(fields);
  }

  @Test
  void aVersionOfTheTableFitsWhateverBecameOfItsColumns() {
    Schema renamed = schema(field(2, "cost", Types.IntegerType.get()));

    assertThat(SchemaOfFiles.mismatch(renamed, CURRENT, List.of(renamed, CURRENT), 2)).isEmpty();
  }

  @Test
  void aVersionThatIsKnownNoMoreFitsAsLongAsItsFieldsAreTheTables() {
    Schema narrower = schema(field(2, "price", Types.IntegerType.get()));

    assertThat(mismatch(narrower, 2)).isEmpty();
    assertThat(mismatch(schema(), 2)).isEmpty();
  }

  @Test
  void aColumnThatWasDroppedIsNoReason() {
    Schema before =
        schema(
            field(2, "price", Types.LongType.get()), field(3, "dropped", Types.StringType.get()));

    assertThat(mismatch(before, 3)).isEmpty();
    assertThat(mismatch(before, 2)).isPresent();
    // A version tells that the id was another column's.
    Schema others =
        schema(field(2, "price", Types.LongType.get()), field(3, "weight", Types.LongType.get()));
    assertThat(SchemaOfFiles.mismatch(others, CURRENT, List.of(before, CURRENT), 3).orElseThrow())
        .contains("found field 3 'weight' long in theirs and no such field in the table's");
  }

  @Test
  void fieldsThatMeanSomethingElseAreNamed() {
    assertThat(mismatch(schema(field(2, "weight", Types.LongType.get())), 2).orElseThrow())
        .contains("found field 2 'weight' long in theirs and 'price' long in the table's");
    assertThat(mismatch(schema(field(3, "weight", Types.LongType.get())), 2).orElseThrow())
        .contains("found field 3 'weight' long in theirs and no such field in the table's");
    assertThat(mismatch(schema(field(2, "price", Types.StringType.get())), 2).orElseThrow())
        .contains("found field 2 'price' string in theirs and 'price' long in the table's");
  }

  @Test
  void deletesByAnotherKeyAreRefused() {
    Schema byId = new Schema(CURRENT.columns(), Set.of(1));

    assertThat(mismatch(byId, 2).orElseThrow())
        .contains("deletes are by fields [], found fields [1]");
  }

  private static Optional<String> mismatch(Schema written, int lastColumnId) {
    return SchemaOfFiles.mismatch(written, CURRENT, List.of(CURRENT), lastColumnId);
  }
}
