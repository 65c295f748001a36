package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.protocol.ShardId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people who do this job really hit: types and keys. */
class FieldCasesITCase {
  private static TestServer server;

  @TempDir Path state;

  @BeforeAll
  static void start() throws Exception {
    server = new TestServer("--default-time-zone=+09:00");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void zeroDatesAreNullInBothAlsoWhereTheSourceAllowsNoNull() throws Exception {
    String zeros = "'0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '2020-00-10'";
    server.execute(
        "CREATE DATABASE zeros",
        "SET SESSION sql_mode = ''",
        "CREATE TABLE zeros.t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME NOT NULL,"
            + " ts TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', n DATE)",
        "INSERT INTO zeros.t VALUES (1, " + zeros + ")");
    List<ShardRow> rows =
        run(
            3,
            List.of("zeros.t"),
            "SET SESSION sql_mode = ''",
            "SET SESSION time_zone = '+00:00'",
            "INSERT INTO zeros.t VALUES (2, " + zeros + ")",
            "INSERT INTO zeros.t VALUES (3, '1970-01-01', '1970-01-01', '1970-01-02', NULL)");
    assertThat(rows.stream().map(row -> row.row().toString()))
        .containsExactly(
            "+I(0,1,null,null,null,null)",
            "+I(0,2,null,null,null,null)",
            "+I(0,3,0,1970-01-01T00:00,1970-01-02T00:00,null)");
  }

  @Test
  void numbersNullsAndTextsAreTheSameInBoth() throws Exception {
    String values =
        "-1234567890123456789012345678.0123456789,"
            + " -12345678901234567890123456789012345.012345678901234567890123456789,"
            + " 18446744073709551616, NULL, NULL, 2, -1, b'1', b'1000000001',"
            + " 18446744073709551615, 255, '漢字é', '漢字', 'é ß', '😀 한'";
    server.execute(
        "CREATE DATABASE plain CHARACTER SET utf8mb4",
        "CREATE TABLE plain.t (id INT PRIMARY KEY, d38 DECIMAL(38,10), d65 DECIMAL(65,30),"
            + " d20 DECIMAL(20,0) UNSIGNED, dv VARCHAR(8) NULL DEFAULT 'dd',"
            + " dn INT NULL DEFAULT 7, n_t TINYINT(1), n_m TINYINT(1), n_b1 BIT(1),"
            + " n_b10 BIT(10), n_b64 BIT(64), n_u TINYINT UNSIGNED,"
            + " t_u VARCHAR(9) CHARACTER SET ucs2, t_g VARCHAR(9) CHARACTER SET gbk,"
            + " t_l VARCHAR(9) CHARACTER SET latin1, t_m VARCHAR(9) CHARACTER SET utf8mb4)",
        "INSERT INTO plain.t VALUES (1, " + values + ")");
    List<ShardRow> rows =
        run(
            4,
            List.of("plain.t"),
            "INSERT INTO plain.t VALUES (2, " + values + ")",
            "INSERT INTO plain.t (id) VALUES (3)",
            "UPDATE plain.t SET dv = NULL, dn = NULL WHERE id = 3");
    String same =
        ",-1234567890123456789012345678.0123456789,"
            + "-12345678901234567890123456789012345.012345678901234567890123456789,"
            + "18446744073709551616,null,null,2,-1,1,513,18446744073709551615,255,"
            + "漢字é,漢字,é ß,😀 한)";
    assertThat(rows.stream().map(row -> row.row().toString()))
        .startsWith("+I(0,1" + same, "+I(0,2" + same)
        .endsWith(
            "+I(0,3,null,null,null,dd,7" + ",null".repeat(10) + ")",
            "+U(0,3" + ",null".repeat(15) + ")");
  }

  @Test
  void tablesWithoutAKeyOrWithANullableOneAreRefusedByName() throws Exception {
    server.execute(
        "CREATE DATABASE keyless",
        "CREATE TABLE keyless.none (id INT, v INT)",
        "CREATE TABLE keyless.nullable_one (id INT NULL UNIQUE, v INT)",
        "CREATE TABLE keyless.healthy (id INT PRIMARY KEY, v INT)");
    assertThatThrownBy(() -> plan("keyless.none"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("(keyless.none): expected a primary key, found none");
    assertThatThrownBy(() -> plan("keyless.nullable_one"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("(keyless.nullable_one): expected a primary key, found none");
    assertThat(plan("keyless.healthy").layout().keyNames()).containsExactly("id");
  }

  @Test
  void floatingKeysAndForeignBucketsAreRefusedByName() throws Exception {
    server.execute(
        "CREATE DATABASE floating",
        "CREATE TABLE floating.f (id FLOAT PRIMARY KEY, v INT)",
        "CREATE TABLE floating.d (id INT, w DOUBLE, v INT, PRIMARY KEY (id, w))",
        "CREATE TABLE floating.b (id INT PRIMARY KEY, v INT)");
    assertThatThrownBy(() -> plan("floating.f"))
        .hasMessageContaining("Cannot use column 'id' in the key of shard 0 (floating.f)");
    assertThatThrownBy(() -> plan("floating.d"))
        .hasMessageContaining("Cannot use column 'w' in the key of shard 0 (floating.d)");
    assertThatThrownBy(() -> plan(Optional.of("v"), "floating.b"))
        .hasMessageContaining("by column 'v': expected one of the key (id)");
  }

  @Test
  void namesWithBackticksAreRefusedByName() throws Exception {
    server.execute(
        "CREATE DATABASE ticks", "CREATE TABLE ticks.t (id INT PRIMARY KEY, `x``y` INT)");
    assertThatThrownBy(() -> plan("ticks.t"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining("Cannot read column 'x`y' of shard 0 (ticks.t)")
        .hasMessageContaining("a name without backticks");
  }

  @Test
  void theSameKeyInTwoShardsIsTwoRows() throws Exception {
    server.execute(
        "CREATE DATABASE twins",
        "CREATE TABLE twins.a (id INT PRIMARY KEY, v VARCHAR(9))",
        "CREATE TABLE twins.b (id INT PRIMARY KEY, v VARCHAR(9))",
        "INSERT INTO twins.a VALUES (1, 'in a')",
        "INSERT INTO twins.b VALUES (1, 'in b')");
    Map<List<String>, List<String>> left =
        applied(List.of("twins.a", "twins.b"), 3, "DELETE FROM twins.a WHERE id = 1");
    assertThat(left.values()).containsExactly(List.of("1", "in b"));
  }

  @Test
  void keysOfEveryKindFollowUpdatesSwapsAndReplaces() throws Exception {
    server.execute(
        "CREATE DATABASE `od``d 한` CHARACTER SET utf8mb4",
        "CREATE TABLE `od``d 한`.`group` (`a b` VARCHAR(9) COLLATE utf8mb4_general_ci, note INT,"
            + " `x.y` DECIMAL(20,2) UNSIGNED, `Select` VARBINARY(4),"
            + " PRIMARY KEY (`Select`, `a b`, `x.y`))",
        "INSERT INTO `od``d 한`.`group` VALUES ('abc', 1, 1.5, X'00'), ('x', 2, 2, X'FF'),"
            + " ('y', 3, 2, X'FF'), ('tail', 4, 3, X'2020')");
    String table = "`od``d 한`.`group`";
    Map<List<String>, List<String>> left =
        applied(
            List.of("od`d 한.group"),
            16,
            // One key for the server, whose collation ignores case and trailing blanks.
            "REPLACE INTO " + table + " VALUES ('ABC ', 10, 1.5, X'00')",
            "UPDATE " + table + " SET `a b` = 'Abc' WHERE `a b` = 'aBC'",
            "DELETE FROM " + table + " WHERE `a b` = 'TAIL'",
            "INSERT INTO " + table + " VALUES ('TAIL', 5, 3, X'2020')",
            "BEGIN",
            "UPDATE " + table + " SET `a b` = 'tmp' WHERE `a b` = 'x'",
            "UPDATE " + table + " SET `a b` = 'x' WHERE `a b` = 'y'",
            "UPDATE " + table + " SET `a b` = 'y' WHERE `a b` = 'tmp'",
            "COMMIT");
    assertThat(left.values())
        .containsExactlyInAnyOrder(
            List.of("Abc", "10", "1.50", "00"),
            List.of("y", "2", "2.00", "FF"),
            List.of("x", "3", "2.00", "FF"),
            List.of("TAIL", "5", "3.00", "2020"));
  }

  @Test
  void aTableTooLargeForOneChunkStopsTheSourceByName() throws Exception {
    server.execute(
        "CREATE DATABASE large",
        "CREATE TABLE large.t (id VARBINARY(4) PRIMARY KEY)",
        "INSERT INTO large.t VALUES ('a'), ('b'), ('c')");
    SourceSpec spec = server.spec(100, "large.t");
    SourceSpec small =
        new SourceSpec(
            spec.server(),
            spec.connection(),
            spec.shards(),
            spec.layout(),
            spec.firstServerId(),
            spec.lastServerId(),
            new SourceSpec.Snapshot(
                new SourceSpec.Chunks.Whole(2), SourceSpec.Snapshot.UNLIMITED, Integer.MAX_VALUE),
            spec.timing(),
            spec.debezium());
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, small, Optional.empty());
      run.start(small, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      assertThat(run.failure())
          .contains("Cannot copy large.t of server mariadb-1: expected at most 2 rows");
    }
  }

  /** The rows that are left when everything that came is applied by shard and key. */
  private Map<List<String>, List<String>> applied(
      List<String> tables, int leastEvents, String... statements) throws Exception {
    SourceSpec spec = server.spec(100, tables.toArray(String[]::new));
    List<ShardRow> rows = run(leastEvents, tables, statements);
    Map<List<String>, List<String>> left = new HashMap<>();
    for (ShardRow row : rows) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < spec.layout().columns().size(); i++) {
        Object value =
            org.apache.flink.table.data.RowData.createFieldGetter(
                    spec.layout().columns().get(i).type().rowType(true), i + 1)
                .getFieldOrNull(row.row());
        values.add(
            value instanceof byte[] bytes
                ? java.util.HexFormat.of().withUpperCase().formatHex(bytes)
                : String.valueOf(value));
      }
      List<String> key = new ArrayList<>(List.of(row.shard().toString()));
      spec.layout().key().forEach(position -> key.add(values.get(position)));
      if (row.row().getRowKind() == RowKind.DELETE) {
        left.remove(key);
      } else {
        left.put(key, values);
      }
    }
    return left;
  }

  /** Copies the tables, then carries out the statements and waits for all rows. */
  private List<ShardRow> run(int leastRows, List<String> tables, String... statements)
      throws Exception {
    SourceSpec spec = server.spec(100, tables.toArray(String[]::new));
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun();
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      for (String sql : statements) {
        statement.execute(sql);
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> run.rows().size() >= leastRows);
      return run.rows();
    }
  }

  private static LayoutPlanner.Plan plan(String table) throws Exception {
    return plan(Optional.of("id"), table);
  }

  private static LayoutPlanner.Plan plan(Optional<String> bucket, String table) throws Exception {
    String[] parts = table.split("\\.", 2);
    try (ServerCatalog catalog = new ServerCatalog(server.connection())) {
      List<SourceSchema> described =
          catalog.describe(List.of(new SourceSpec.Shard(new ShardId(0), parts[0], parts[1])));
      return new LayoutPlanner("shard_id", Optional.empty(), bucket).plan(described);
    }
  }
}
