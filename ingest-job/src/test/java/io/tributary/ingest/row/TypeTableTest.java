package io.tributary.ingest.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.registry.ColumnTypeOverride;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The documented table of types says what the code does. */
class TypeTableTest {
  private static final Pattern DIGITS = Pattern.compile("(?:decimal|bit)\\((\\d+)(?:,(\\d+))?\\)");

  private static final List<String> ALL =
      List.of(
          "tinyint",
          "smallint",
          "mediumint",
          "int",
          "bigint",
          "decimal",
          "float",
          "double",
          "real",
          "bit",
          "year",
          "date",
          "datetime",
          "timestamp",
          "time",
          "char",
          "varchar",
          "tinytext",
          "text",
          "mediumtext",
          "longtext",
          "enum",
          "set",
          "json",
          "binary",
          "varbinary",
          "tinyblob",
          "blob",
          "mediumblob",
          "longblob",
          "geometry",
          "point",
          "linestring",
          "polygon",
          "multipoint",
          "multilinestring",
          "multipolygon",
          "geometrycollection",
          "geomcollection",
          "uuid",
          "inet4",
          "inet6",
          "vector",
          "xmltype");

  @Test
  void everyLineSaysWhatTheCodeDoes() throws IOException {
    for (DocumentedTypes.Line line : DocumentedTypes.lines()) {
      TypeMapping.Answer answer = TypeMapping.of(column(line.source()));
      String found =
          answer instanceof TypeMapping.Mapped mapped ? mapped.type().toString() : "refused";
      assertThat(found).as(line.source()).isEqualTo(line.table());
    }
  }

  @Test
  void everyTypeHasALine() throws IOException {
    assertThat(DocumentedTypes.lines().stream().map(DocumentedTypes.Line::word)).containsAll(ALL);
  }

  /** A type that is mapped and has no line would be one that nobody is told of. */
  @Test
  void everyTypeThatTheCodeKnowsIsNamedHere() throws IOException {
    String code =
        Files.readString(
            Path.of("src", "main", "java", "io", "tributary", "ingest", "row", "TypeMapping.java"));
    String types = code.substring(code.indexOf("case \"tinyint\""));
    List<String> words =
        Pattern.compile("\"([a-z0-9]+)\"(?=[,\\s]*(?:->|\"|\\n))")
            .matcher(types.substring(0, types.indexOf("default ->")))
            .results()
            .map(word -> word.group(1))
            // Synonyms; the server says "int" and "decimal".
            .filter(word -> !word.equals("integer") && !word.equals("numeric"))
            .toList();
    assertThat(words).contains("tinyint", "json", "geometry").isSubsetOf(ALL);
  }

  @Test
  void everyOtherTypeIsListedWithItsLoss() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("..", "docs", "types.md"));
    List<String> section =
        lines.subList(lines.indexOf("## Other types"), lines.size()).stream()
            .filter(line -> line.startsWith("| `"))
            .limit(ColumnTypeOverride.values().length)
            .map(line -> line.replaceFirst("\\|[^|]*(\\|[^|]*\\|)$", "$1"))
            .toList();
    assertThat(section)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(ColumnTypeOverride.values())
                .map(type -> "| `%s` | %s |".formatted(type.word(), type.loss()))
                .toList());
  }

  private static SourceColumn column(String type) {
    Matcher digits = DIGITS.matcher(type);
    SourceColumn column = SourceColumn.of("c", type);
    return digits.matches()
        ? column.digits(
            Integer.parseInt(digits.group(1)),
            digits.group(2) == null ? 0 : Integer.parseInt(digits.group(2)))
        : column;
  }
}
