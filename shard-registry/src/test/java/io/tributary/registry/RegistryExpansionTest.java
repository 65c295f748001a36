package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryExpansionTest {
  private static Registry withShards(String shards) {
    return RegistryParser.parse(
        "r.yaml",
        """
        catalog: {uri: "thrift://localhost:9083", warehouse: /warehouse}
        kafka: {bootstrap-servers: "localhost:9092"}
        servers:
          a: {hostname: a.example, username: reader, password: {env: A}}
        tables:
          shop.orders: {}
        groups:
          g: {server-id: {a: 5400}}
        shards:
        """
            + shards);
  }

  private static List<String> sources(String shards) {
    return RegistryExpansion.of(withShards(shards)).entries().stream()
        .map(entry -> entry.shard().id() + "=" + entry.shard().source())
        .toList();
  }

  @Test
  void aDryRunShowsTheExactTablesAndNoOther() {
    Registry registry =
        withShards(
            "- {number: 1, group: g, server: a, database: db, table: t}\n"
                + "- {number-offset: 2, group: g, server: a, database: db, table: \"t_{08..10}\", state: paused}\n");
    assertThat(RegistryExpansion.of(registry).render())
        .isEqualTo(
            """
            shop.orders\tshard 1\tactive\tgroup g\tserver a (a.example:3306)\tdb.t
            shop.orders\tshard 10\tpaused\tgroup g\tserver a (a.example:3306)\tdb.t_08
            shop.orders\tshard 11\tpaused\tgroup g\tserver a (a.example:3306)\tdb.t_09
            shop.orders\tshard 12\tpaused\tgroup g\tserver a (a.example:3306)\tdb.t_10
            """);
  }

  @Test
  void databaseAndTableCountInStep() {
    assertThat(
            sources(
                "- {group: g, server: a, database: \"shop{1..3}\", table: \"orders_{07..09}_x\"}\n"))
        .containsExactly("7=shop1.orders_07_x", "8=shop2.orders_08_x", "9=shop3.orders_09_x");
  }

  @Test
  void aPatternInTheDatabaseAloneGivesTheNumber() {
    assertThat(
            sources(
                "- {group: g, server: a, database: \"shop_{09..10}\", table: orders, number-offset: -9}\n"))
        .containsExactly("0=shop_09.orders", "1=shop_10.orders");
  }

  @ParameterizedTest
  @CsvSource({
    "orders_{000..127}, 128, orders_000, orders_127",
    "orders_{0..127}, 128, orders_0, orders_127",
    "{8..11}x, 4, 8x, 11x",
    "a{5..5}, 1, a5, a5",
    "a{00..00}b, 1, a00b, a00b",
    "t{98..101}, 4, t98, t101",
  })
  void patternsCountUpAndKeepTheirWidth(String text, int size, String first, String last) {
    NumberedPattern pattern = NumberedPattern.parse(text).orElseThrow();
    assertThat(pattern.size()).isEqualTo(size);
    assertThat(pattern.name(0)).isEqualTo(first);
    assertThat(pattern.name(size - 1)).isEqualTo(last);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a{1}",
        "a{1..}",
        "a{3..1}",
        "a{0..007}",
        "a{1..2}{1..2}",
        "a{a..b}",
        "a{1..2",
        "a1..2}",
        "a{0..10000}",
        "a{-1..2}",
        "a{1...2}"
      })
  void otherFormsAreNoPatterns(String text) {
    assertThat(NumberedPattern.isPattern(text)).isTrue();
    assertThat(NumberedPattern.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"db|t", "db2|t", "dbx|t", "d|bt", "db|xt", "xdb|t", "db|tt"})
  void theExactPatternMatchesTheTableAlone(String other) {
    Pattern pattern = Pattern.compile(new SourceTable("db", "t").exactPattern());
    String[] names = other.split("\\|");
    String id = names[0] + "." + names[1];
    assertThat(pattern.matcher(id).matches()).isEqualTo(id.equals("db.t"));
    assertThat(pattern.matcher("dbxt").matches()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"group", "a b", "a-b", "a$b", "a`b", "수량", "数量", "t+1", "a#b", "a&b=c"})
  void theExactPatternTakesEveryNameLiterally(String name) {
    SourceTable table = new SourceTable(name, name);
    assertThat(Pattern.compile(table.exactPattern()).matcher(name + "." + name).matches()).isTrue();
    assertThat(Pattern.compile(table.exactPattern()).matcher(name + "x" + name).matches())
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", " t", "t ", "t*", "t?", "t%", "a.b", "a|b", "[ab]", "(a)", "a\\b", "a/b", "a,b", "a{b"
      })
  void whatLooksLikeAPatternIsNoName(String name) {
    assertThatThrownBy(() -> new SourceTable("db", name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot use a source table: expected an exact name")
        .hasMessageContaining("found 'db' and '" + name + "'");
  }
}
