package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.ingest.row.DocumentedTypes;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The golden test leaves out no type that is documented as read. */
class GoldenColumnTest {
  @Test
  void everyDocumentedTypeIsAmongTheGoldenColumns() throws IOException {
    Set<String> golden =
        GoldenColumn.ALL.stream()
            .map(column -> column.type().toLowerCase(Locale.ROOT).split("[ (]", 2)[0])
            .collect(Collectors.toSet());
    assertThat(golden)
        .containsAll(
            DocumentedTypes.lines().stream()
                .filter(line -> !line.refused())
                .map(DocumentedTypes.Line::word)
                // What other servers call a type that is there.
                .filter(word -> !word.equals("geomcollection"))
                .collect(Collectors.toSet()));
  }
}
