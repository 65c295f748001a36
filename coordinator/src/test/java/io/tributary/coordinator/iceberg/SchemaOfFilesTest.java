package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    assertThat(SchemaOfFiles.mismatch(renamed, CURRENT, List.of(renamed, CURRENT))).isEmpty();
  }

  @Test
  void aVersionThatIsKnownNoMoreFitsAsLongAsItsFieldsAreTheTables() {
    Schema narrower = schema(field(2, "price", Types.IntegerType.get()));

    assertThat(SchemaOfFiles.mismatch(narrower, CURRENT, List.of(CURRENT))).isEmpty();
    assertThat(SchemaOfFiles.mismatch(schema(), CURRENT, List.of(CURRENT))).isEmpty();
  }

  @Test
  void fieldsThatMeanSomethingElseAreNamed() {
    assertThat(mismatch(field(2, "weight", Types.LongType.get())))
        .contains("found field 2 'weight' long in theirs and 'price' long in the table's");
    assertThat(mismatch(field(3, "weight", Types.LongType.get())))
        .contains("found field 3 'weight' long in theirs and no such field in the table's");
    assertThat(mismatch(field(2, "price", Types.StringType.get())))
        .contains("found field 2 'price' string in theirs and 'price' long in the table's");
  }

  private static String mismatch(Types.NestedField field) {
    return SchemaOfFiles.mismatch(schema(field), CURRENT, List.of(CURRENT)).orElseThrow();
  }
}
