package io.tributary.ingest.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class IcebergColumnsTest {
  private static final Types.NestedField ID =
      Types.NestedField.required(1, "id", Types.LongType.get());

  private static Schema schema(int number, Types.NestedField... fields) {
    return new Schema(number, Arrays.asList(fields), Set.of(1));
  }

  private static Types.NestedField field(int id, String name, Type type) {
    return Types.NestedField.optional(id, name, type);
  }

  @Test
  void otherColumnsUnderTheSameNumberAreAnotherVersion() {
    Schema price = schema(1, ID, field(2, "price", Types.LongType.get()));
    List<Schema> others =
        List.of(
            schema(1, ID, field(2, "weight", Types.LongType.get())),
            schema(1, ID, field(3, "price", Types.LongType.get())),
            schema(1, ID, field(2, "price", Types.IntegerType.get())),
            schema(1, ID, Types.NestedField.required(2, "price", Types.LongType.get())),
            schema(1, ID),
            new Schema(1, price.columns(), Set.of()));

    assertThat(others)
        .extracting(IcebergColumns::fingerprint)
        .doesNotHaveDuplicates()
        .doesNotContain(IcebergColumns.fingerprint(price));
    assertThat(IcebergColumns.find(others, IcebergColumns.fingerprint(price))).isEmpty();
  }

  @Test
  void theSameColumnsAreTheSameVersionWhateverElseIsSaidOfThem() {
    Schema price = schema(1, ID, field(2, "price", Types.LongType.get()));
    Schema documented =
        schema(4, ID, Types.NestedField.optional(2, "price", Types.LongType.get(), "in won"));

    assertThat(
            IcebergColumns.find(
                List.of(schema(0, ID), documented), IcebergColumns.fingerprint(price)))
        .contains(documented);
  }
}
