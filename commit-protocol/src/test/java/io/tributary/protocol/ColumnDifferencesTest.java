package io.tributary.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ColumnDifferencesTest {
  @Test
  void whatTheTableHasByNowIsNoDifferenceAndWhatItLostIsNone() {
    ColumnDifferences differences =
        new ColumnDifferences(
            new TreeMap<>(Map.of(3, "title", 4, "price", 5, "gone")),
            new TreeSet<>(List.of(6, 7)),
            new TreeSet<>(List.of(3, 8)));

    ColumnDifferences left = differences.against(Map.of(3, "title", 4, "cost", 6, "note"));

    assertThat(left.renamed()).containsExactly(Map.entry(4, "price"));
    assertThat(left.dropped()).containsExactly(6);
    assertThat(left.unfilled()).containsExactly(3);
    assertThat(left.against(Map.of(4, "price")).isEmpty()).isTrue();
  }

  @Test
  void aFieldIsNotRenamedAndDroppedAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ColumnDifferences(
                    new TreeMap<>(Map.of(3, "title")), new TreeSet<>(List.of(3)), new TreeSet<>()))
        .withMessage(
            "Cannot use differences of columns: expected field 3 renamed or dropped, found both");
  }

  @Test
  void fieldIdsAndNamesAreReal() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnDifferences.renamed(Map.of(0, "title")))
        .withMessageContaining("expected field ids of at least 1 and names");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ColumnDifferences.renamed(Map.of(3, "")))
        .withMessageContaining("expected field ids of at least 1 and names");
  }

  @Test
  void anEpochOfOtherColumnsHasAnotherHash() {
    Committable plain = Samples.committable();
    Committable other = Samples.committableWithColumns();

    assertThat(other.chain()).isNotEqualTo(plain.chain());
    assertThat(ControlMessageCodec.encode(plain)[4]).isEqualTo((byte) 1);
    assertThat(ControlMessageCodec.encode(other)[4]).isEqualTo((byte) 2);
  }

  @Test
  void aStateWithoutOtherColumnsIsWrittenAsBefore() {
    assertThat(TableStateCodec.encode(Samples.state()).get("tributary.state.000"))
        .startsWith("{\"v\":1,");
    assertThat(TableStateCodec.encode(Samples.stateWithColumns()).get("tributary.state.000"))
        .startsWith("{\"v\":3,");
  }
}
