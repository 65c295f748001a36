package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SchemaRequestTest {
  @Test
  void asksForColumnsEachOnce() {
    refused(List.of());
    refused(List.of(new RequestedColumn("a", "int"), new RequestedColumn("a", "long")));
  }

  @Test
  void aColumnHasANameAndAType() {
    assertThatThrownBy(() -> new RequestedColumn("", "int"))
        .hasMessage("Cannot request a column: expected a name and a type, found '' and 'int'");
  }

  @Test
  void aRequestForAFieldIsWrittenAsANewerMessageAndReadAgain() {
    SchemaRequest plain = Samples.schemaRequest();
    SchemaRequest request =
        new SchemaRequest(
            plain.table(),
            plain.tableUuid(),
            plain.group(),
            plain.incarnation(),
            plain.submission(),
            plain.shard(),
            List.of(
                new RequestedColumn("a", "long", Optional.of(7)), new RequestedColumn("b", "int")),
            plain.position(),
            plain.sentAt());
    byte[] bytes = ControlMessageCodec.encode(request);
    assertThat(bytes[4]).isEqualTo((byte) 2);
    assertThat(ControlMessageCodec.encode(plain)[4]).isEqualTo((byte) 1);
    assertThat(ControlMessageCodec.decode(bytes)).isEqualTo(request);
  }

  private static void refused(List<RequestedColumn> columns) {
    SchemaRequest good = Samples.schemaRequest();
    assertThatThrownBy(
            () ->
                new SchemaRequest(
                    good.table(),
                    good.tableUuid(),
                    good.group(),
                    good.incarnation(),
                    good.submission(),
                    good.shard(),
                    columns,
                    good.position(),
                    good.sentAt()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "Cannot use the schema request of group group-a: expected columns, each once, found ["
                + (columns.isEmpty() ? "]" : "a int, a long]"));
  }
}
