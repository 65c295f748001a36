package io.tributary.loadtests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.loadtests.fuzz.Repertoire.Collation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A seed makes its tables and statements again, and all kinds of them. */
class TableGeneratorTest {
  private static final int MANY = 500;
  private static final Pattern CODE = Pattern.compile("`([a-z0-9]+)[^`]*`");

  private static final Repertoire REPERTOIRE =
      new Repertoire(
          List.of(
              new Collation("utf8mb4_general_ci", "utf8mb4"),
              new Collation("utf8mb4_nopad_bin", "utf8mb4"),
              new Collation("euckr_korean_ci", "euckr"),
              new Collation("latin1_swedish_ci", "latin1")),
          Map.of(
              "utf8mb4", List.of("61", "41", "C3A9", "20", "F09F9880"),
              "euckr", List.of("61", "41", "B0A1", "8C63"),
              "latin1", List.of("61", "41", "E9", "DF")),
          List.of("latin1"));

  @Test
  void aSeedMakesTheSameTablesAndStatementsAndAnotherOthers() {
    List<String> some = IntStream.range(0, 40).mapToObj(i -> told(7, i)).toList();
    assertThat(IntStream.range(0, 40).mapToObj(i -> told(7, i)).toList()).isEqualTo(some);
    // A table made alone, as for a replay, is the one that was made among others.
    assertThat(told(7, 23)).isEqualTo(some.get(23));
    assertThat(Set.copyOf(some)).hasSize(40);
    assertThat(IntStream.range(0, 40).mapToObj(i -> told(8, i))).doesNotContainAnyElementsOf(some);
  }

  /** In another process too: seeds that were once printed make what they made. */
  @Test
  void aSeedMakesWhatItMadeInOtherProcesses() throws Exception {
    String all = IntStream.range(0, 40).mapToObj(i -> told(7, i)).collect(Collectors.joining());
    assertThat(
            HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("SHA-256")
                        .digest(all.getBytes(StandardCharsets.UTF_8))))
        .as("what seed 7 makes; when this is meant to change, older seeds no longer replay")
        .isEqualTo("2f59421633ddd81993bc678ffcbf508b036ffb7ee6cd6fe22410f5ef62d02518");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void manyTablesHaveEveryTypeOfTheDocumentedTable(long seed) throws IOException {
    Set<String> types =
        tables(seed).stream()
            .flatMap(table -> table.columns().stream())
            .map(column -> column.type().sql().toLowerCase(Locale.ROOT).split("[ (]", 2)[0])
            .collect(Collectors.toSet());
    assertThat(types).containsAll(documentedTypes());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void manyTablesHaveEveryKindOfKeyNameAndFate(long seed) {
    List<FuzzTable> tables = tables(seed);
    assertSome(tables, table -> table.key().size() == 3, "a composite key");
    assertSome(tables, TableGeneratorTest::keyIsApart, "a key whose columns are not adjacent");
    for (String type :
        List.of(
            "INT UNSIGNED",
            "BIGINT UNSIGNED",
            "DECIMAL",
            "BINARY",
            "VARBINARY",
            "DATETIME",
            "TIMESTAMP",
            "ENUM",
            "utf8mb4_general_ci",
            "utf8mb4_nopad_bin",
            "euckr_korean_ci")) {
      assertSome(tables, keyOf(type), "a key of " + type);
    }
    for (String name : List.of("select", "a b", "수량", "MixedCase", "x.y", "un`fit")) {
      assertSome(
          tables,
          table -> table.columns().stream().anyMatch(column -> column.name().equals(name)),
          "a column named " + name);
    }
    for (String name : List.of("order0", "Table0", "t b0", "표0", "t`q0")) {
      assertSome(tables, table -> table.shards().contains(name), "a table named " + name);
    }
    for (String attribute :
        List.of(" DEFAULT ", " NOT NULL", " INVISIBLE", " VIRTUAL", " STORED", "ZEROFILL")) {
      assertSome(tables, table -> table.createTable(0).contains(attribute), attribute);
    }
    for (FuzzTable.Restart restart : FuzzTable.Restart.values()) {
      assertSome(tables, table -> table.restart() == restart, "restart " + restart);
    }
    for (String refusal :
        List.of("expected a primary key", "column 'unfit' in the key", "read column 'un")) {
      assertSome(
          tables,
          table -> table.refusal().filter(says -> says.contains(refusal)).isPresent(),
          "a table refused with " + refusal);
    }
    assertSome(
        tables,
        table -> table.refusal().isPresent() && table.keyDefinition().startsWith("UNIQUE"),
        "a unique key that allows NULL");
  }

  private static void assertSome(List<FuzzTable> tables, Predicate<FuzzTable> is, String what) {
    assertThat(tables.stream().filter(is).count()).as(what).isPositive();
  }

  private static Predicate<FuzzTable> keyOf(String type) {
    return table ->
        table.keyColumns().stream()
            .map(column -> column.type().sql())
            .anyMatch(sql -> sql.startsWith(type) || sql.endsWith(type));
  }

  private static boolean keyIsApart(FuzzTable table) {
    List<Integer> places = table.key().stream().sorted().toList();
    return places.get(places.size() - 1) - places.get(0) >= places.size();
  }

  private static List<FuzzTable> tables(long seed) {
    TableGenerator generator = new TableGenerator(seed, REPERTOIRE);
    return IntStream.range(0, MANY).mapToObj(generator::table).toList();
  }

  /** Everything that a run does with a table. */
  private static String told(long seed, int index) {
    FuzzTable table = new TableGenerator(seed, REPERTOIRE).table(index);
    StringBuilder all = new StringBuilder();
    IntStream.range(0, table.shards().size()).forEach(i -> all.append(table.createTable(i)));
    all.append(table.keys()).append(table.reading()).append(table.restart());
    all.append(ChangeScript.session(Dice.of(seed, index, "sessions")));
    all.append(new ChangeScript(table, "first").firstRows());
    return all.append(new ChangeScript(table, "while copied").changes(90)).toString();
  }

  /** First words of the types that are not refused; docs/types.md is itself checked by a test. */
  private static Set<String> documentedTypes() throws IOException {
    return Files.readAllLines(Path.of("..", "docs", "types.md")).stream()
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("| `") && !line.contains("| refused |"))
        .flatMap(line -> CODE.matcher(line.split("\\|")[1]).results())
        .map(match -> match.group(1))
        // What other servers call a type that is there.
        .filter(type -> !type.equals("geomcollection"))
        .collect(Collectors.toSet());
  }
}
