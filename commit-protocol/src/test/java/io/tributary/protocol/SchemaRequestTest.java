package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
