package io.tributary.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.protocol.ShardId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardComparisonTest {
  private static final List<String> COLUMNS = List.of("note", "id", "value");
  private static final int[] KEY = {1};

  @TempDir Path folder;

  private final ShardComparison comparison = new ShardComparison(new ShardId(3), COLUMNS, KEY, 100);

  @Test
  void tellsLostExtraDoubledAndDifferentApart() throws Exception {
    comparison.compare(
        rows("a|1|x", "b|2|x", "c|3|x", "d|4|x"),
        rows("a|1|x", "c|3|y", "d|4|x", "d|4|x", "e|5|x"));

    assertThat(comparison.counts()).isEqualTo(new ShardCounts(new ShardId(3), 4, 5, 1, 1, 1, 1));
    assertThat(comparison.differences())
        .extracting(difference -> difference.kind() + " " + difference.key())
        .containsExactlyInAnyOrder(
            "LOST {id=2}", "DIFFERENT {id=3}", "DOUBLED {id=4}", "EXTRA {id=5}");
  }

  @Test
  void namesBothValuesOfADifference() throws Exception {
    comparison.compare(rows("a|1|x"), rows("a|1|"));

    assertThat(comparison.differences())
        .containsExactly(
            new Difference(
                new ShardId(3),
                Difference.Kind.DIFFERENT,
                Map.of("id", "1"),
                List.of(
                    new Difference.ColumnDifference("value", Optional.of("x"), Optional.empty()))));
  }

  @Test
  void nullAndEmptyTextAreDifferent() {
    assertThat(RowText.pack(Arrays.asList("", null)))
        .isNotEqualTo(RowText.pack(Arrays.asList(null, "")));
    assertThat(RowText.unpack(RowText.pack(Arrays.asList("", null, "가"))))
        .containsExactly("", null, "가");
  }

  @Test
  void rowsCutIntoPartsGiveTheSameResult() throws Exception {
    List<String> source = new ArrayList<>();
    List<String> table = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      if (i % 100 != 7) {
        source.add("n|" + i + "|v");
      }
      if (i % 100 != 9) {
        table.add("n|" + i + "|" + (i % 100 == 11 ? "w" : "v"));
      }
    }
    int parts = 7;
    try (SpilledRows sourceParts =
            SpilledRows.of(rows(source.toArray(String[]::new)), folder, parts);
        SpilledRows tableParts =
            SpilledRows.of(rows(table.toArray(String[]::new)), folder, parts)) {
      for (int i = 0; i < parts; i++) {
        comparison.compare(sourceParts.part(i), tableParts.part(i));
      }
    }

    assertThat(comparison.counts())
        .isEqualTo(new ShardCounts(new ShardId(3), 990, 990, 10, 10, 0, 10));
    assertThat(folder).isEmptyDirectory();
  }

  private static RowSource rows(String... rows) {
    return taker -> {
      for (String row : rows) {
        List<String> texts = new ArrayList<>(Arrays.asList(row.split("\\|", -1)));
        texts.replaceAll(text -> text.isEmpty() ? null : text);
        taker.take(PackedRow.of(texts, KEY));
      }
    };
  }
}
