package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.LayoutPlanner;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.protocol.ShardId;
import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.PassThroughProperties;
import io.tributary.registry.SchemaChangeBehavior;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.flink.types.RowKind;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Field case A1; a column of zero dates that comes later is in {@link SchemaChangesITCase}. */
  @Test
  void a1_zeroDatesAreNullInBothAlsoWhereTheSourceAllowsNoNull() throws Exception {
    String zeros = "'0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '2020-00-10'";
    // Days that no calendar knows are no dates either; one of the year 0 is.
    String unknown = "'2021-02-31', '2021-04-31 01:02:03', '1970-01-02 00:00:00', '0000-01-02'";
    server.execute(
        "CREATE DATABASE zeros",
        "SET SESSION sql_mode = ''",
        "CREATE TABLE zeros.t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME NOT NULL,"
            + " ts TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', n DATE)",
        "INSERT INTO zeros.t VALUES (1, " + zeros + ")",
        "SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'",
        "INSERT INTO zeros.t VALUES (2, " + unknown + ")");
    long counted = RecordedCounters.sum("zeroDates");
    List<ShardRow> rows =
        run(
            5,
            List.of("zeros.t"),
            "SET SESSION sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'",
            "INSERT INTO zeros.t VALUES (4, " + zeros + ")",
            "INSERT INTO zeros.t VALUES (5, " + unknown + ")",
            "INSERT INTO zeros.t VALUES (3, '1970-01-01', '1970-01-01', '1970-01-02', NULL)");
    // The connector hands over the rows of one chunk in no order that two processes share.
    assertThat(rows.stream().map(row -> row.row().toString()))
        .containsExactlyInAnyOrder(
            "+I(0,1,null,null,null,null)",
            "+I(0,2,null,null,1970-01-02T00:00,-719527)",
            "+I(0,4,null,null,null,null)",
            "+I(0,5,null,null,1970-01-02T00:00,-719527)",
            "+I(0,3,0,1970-01-01T00:00,1970-01-02T00:00,null)");
    assertThat(RecordedCounters.sum("zeroDates") - counted).isEqualTo(2 * (4 + 2));
  }

  @Test
  void hoursThatZonesSkipOrRepeatAreExactWhateverTheZonesAre() throws Exception {
    server.execute(
        "SET SESSION sql_log_bin = 0",
        // What New York did in 2024; the server has no zones by itself.
        "INSERT INTO mysql.time_zone VALUES (77, 'N')",
        "INSERT INTO mysql.time_zone_name VALUES ('America/New_York', 77)",
        "INSERT INTO mysql.time_zone_transition_type VALUES (77, 0, -14400, 1, 'EDT'),"
            + " (77, 1, -18000, 0, 'EST')",
        "INSERT INTO mysql.time_zone_transition VALUES (77, 1704085200, 1), (77, 1710054000, 0),"
            + " (77, 1730613600, 1)",
        "SET GLOBAL time_zone = 'America/New_York'",
        "CREATE DATABASE dst",
        "CREATE TABLE dst.t (id INT PRIMARY KEY, dt DATETIME, ts TIMESTAMP NULL)");
    // Wall times in the hour that is skipped; then two moments with one wall time in New York.
    String[] rows = {
      "SET SESSION time_zone = 'America/New_York'",
      "INSERT INTO dst.t VALUES (%d, '2024-03-10 02:30:00', '2024-03-10 03:30:00')",
      "SET SESSION time_zone = '+00:00'",
      "INSERT INTO dst.t VALUES (%d, '2024-11-03 01:30:00', '2024-11-03 05:30:00')",
      "INSERT INTO dst.t VALUES (%d, '2024-11-03 01:30:00', '2024-11-03 06:30:00')",
      // What Berlin, the zone of this process, skips and repeats.
      "INSERT INTO dst.t VALUES (%d, '2024-03-31 02:30:00', '2024-03-31 01:30:00')",
      "INSERT INTO dst.t VALUES (%d, '2024-10-27 02:30:00', '2024-10-27 00:30:00')",
      "INSERT INTO dst.t VALUES (%d, '2024-10-27 02:30:00', '2024-10-27 01:30:00')"
    };
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    try {
      server.execute(numbered(rows, 0));
      SourceSpec spec = server.spec(100, "dst.t");
      SourceSpec.Connection plain = spec.connection();
      SourceSpec inTokyo =
          new SourceSpec(
              spec.server(),
              new SourceSpec.Connection(
                  plain.hostname(),
                  plain.port(),
                  plain.username(),
                  plain.password(),
                  PassThroughProperties.plain(Map.of("connectionTimeZone", "Asia/Tokyo"))),
              spec.shards(),
              spec.layout(),
              spec.schemas(),
              spec.firstServerId(),
              spec.lastServerId(),
              spec.snapshot(),
              spec.timing(),
              spec.debezium());
      List<ShardRow> found = run(inTokyo, 12, numbered(rows, 6));
      String[] expected = {
        "2024-03-10T02:30,2024-03-10T07:30",
        "2024-11-03T01:30,2024-11-03T05:30",
        "2024-11-03T01:30,2024-11-03T06:30",
        "2024-03-31T02:30,2024-03-31T01:30",
        "2024-10-27T02:30,2024-10-27T00:30",
        "2024-10-27T02:30,2024-10-27T01:30"
      };
      assertThat(found.stream().map(row -> row.row().toString()))
          .containsExactlyInAnyOrder(
              IntStream.range(0, 12)
                  .mapToObj(i -> "+I(0,%d,%s)".formatted(i, expected[i % 6]))
                  .toArray(String[]::new));
    } finally {
      TimeZone.setDefault(before);
      server.execute("SET GLOBAL time_zone = '+09:00'");
    }
  }

  private static String[] numbered(String[] statements, int first) {
    AtomicInteger next = new AtomicInteger(first);
    return Arrays.stream(statements)
        .map(sql -> sql.startsWith("INSERT") ? sql.formatted(next.getAndIncrement()) : sql)
        .toArray(String[]::new);
  }

  /** Field cases A4, A5, A6 and A7. */
  @Test
  void a4_a5_a6_a7_numbersNullsAndTextsAreTheSameInBoth() throws Exception {
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
  void columnsHaveTheTypesThatTheRegistryWants() throws Exception {
    String values = "2, b'1', 12345678901234567890.125, 18446744073709551615, 7";
    server.execute(
        "CREATE DATABASE typed",
        "CREATE TABLE typed.t (id INT PRIMARY KEY, flag TINYINT(1), bit_flag BIT(1),"
            + " price DECIMAL(30,3), exact BIGINT UNSIGNED, big BIGINT UNSIGNED)",
        "INSERT INTO typed.t VALUES (1, "
            + values
            + "), (2, 0, b'0', -0.5, 0, 0), (3"
            + ", NULL".repeat(5)
            + ")");
    Map<String, ColumnTypeOverride> types =
        Map.of(
            "flag", ColumnTypeOverride.BOOLEAN,
            "bit_flag", ColumnTypeOverride.BOOLEAN,
            "price", ColumnTypeOverride.DOUBLE,
            "exact", ColumnTypeOverride.STRING,
            "big", ColumnTypeOverride.LONG);
    List<ShardRow> rows =
        run(
            server.spec(100, Optional.empty(), types, "typed.t"),
            4,
            "INSERT INTO typed.t VALUES (4, " + values + ")");
    String same = ",true,true,1.2345678901234567E19,18446744073709551615,7)";
    // The connector hands over the rows of one chunk in no order that two processes share.
    assertThat(rows.stream().map(row -> row.row().toString()))
        .containsExactlyInAnyOrder(
            "+I(0,1" + same,
            "+I(0,2,false,false,-0.5,0,0)",
            "+I(0,3,null,null,null,null,null)",
            "+I(0,4" + same);
    assertThatThrownBy(
            () ->
                server.spec(
                    100,
                    Optional.empty(),
                    Map.of(
                        "price", ColumnTypeOverride.BOOLEAN,
                        "id", ColumnTypeOverride.DOUBLE,
                        "gone", ColumnTypeOverride.LONG),
                    "typed.t"))
        .isInstanceOf(UnfitSourceException.class)
        .hasMessageContaining(
            "Cannot read column 'price' of shard 0 (typed.t): expected a type that the table can hold without loss, found type decimal(30,3), which the registry wants as boolean; take the column out of 'column-types'")
        .hasMessageContaining("found 'gone', which it has not")
        .hasMessageContaining("expected columns that are not of the key (id), found 'id'");
  }

  /** Field case B6. */
  @Test
  void b6_tablesWithoutAKeyOrWithANullableOneAreRefusedByName() throws Exception {
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

  /** Field case B7; and {@link #b7_theSameKeyInTwoShardsIsTwoRows}. */
  @Test
  void b7_floatingKeysAndForeignBucketsAreRefusedByName() throws Exception {
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
  void b7_theSameKeyInTwoShardsIsTwoRows() throws Exception {
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
  void bitsInAKeyAreTheSameInBoth() throws Exception {
    server.execute(
        "CREATE DATABASE bits",
        "CREATE TABLE bits.t (b BIT(31), v INT, g VARCHAR(9), c BIT(64), d BIT(12), e BIT(40),"
            + " PRIMARY KEY (g, b, c, d))",
        "INSERT INTO bits.t VALUES (2147483647, 0, 'a', 1, 4095, 1), (63, 0, 'a', b'1', 1, 2),"
            + " (258, 0, 'b', 18446744073709551615, 256, 1099511627774)");

    Map<List<String>, List<String>> left =
        applied(List.of("bits.t"), 4, "UPDATE bits.t SET v = 1 WHERE b = 258");

    assertThat(left.values())
        .containsExactlyInAnyOrder(
            List.of("2147483647", "0", "a", "1", "4095", "1"),
            List.of("63", "0", "a", "1", "1", "2"),
            List.of("258", "1", "b", "18446744073709551615", "256", "1099511627774"));
  }

  /**
   * Committed in one group with another one, a transaction in which no engine has changed anything
   * and that left a savepoint in the log begins with a longer event.
   */
  @Test
  void aTransactionThatBeginsWithALongerEventIsRead() throws Exception {
    server.execute(
        "CREATE DATABASE longer",
        "CREATE TABLE longer.t (id INT PRIMARY KEY, v INT)",
        "INSERT INTO longer.t VALUES (1, 1)");
    try (SourceRun run = new SourceRun()) {
      SourceSpec spec = server.spec(100, "longer.t");
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute(
          "SET GLOBAL binlog_commit_wait_count = 2",
          "SET GLOBAL binlog_commit_wait_usec = 5000000");
      try {
        CompletableFuture<Void> other =
            CompletableFuture.runAsync(() -> insert("INSERT INTO longer.t VALUES (2, 2)"));
        server.execute(
            "START TRANSACTION",
            "BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;"
                + " INSERT INTO longer.t VALUES (3, 3), (1, 1); END",
            "SAVEPOINT s",
            "COMMIT");
        other.get(1, TimeUnit.MINUTES);
      } finally {
        server.execute("SET GLOBAL binlog_commit_wait_count = 0");
      }
      server.execute("UPDATE longer.t SET v = 4 WHERE id = 1");

      patiently().until(() -> run.rows().size() >= 3);
      assertThat(run.rows().stream().map(row -> row.row().toString()))
          .containsExactlyInAnyOrder("+I(0,1,1)", "+I(0,2,2)", "+U(0,1,4)");
    }
    assertThat(beginsOfAnotherLength()).as("what this test is about").isPositive();
  }

  private static void insert(String sql) {
    try {
      server.execute(sql);
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }

  /**
   * An old client's reading ends at all others than those of 38 or 40 bytes and 4 of the checksum.
   */
  private static long beginsOfAnotherLength() throws Exception {
    long found = 0;
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      List<String> files = new ArrayList<>();
      try (ResultSet logs = statement.executeQuery("SHOW BINARY LOGS")) {
        while (logs.next()) {
          files.add(logs.getString(1));
        }
      }
      for (String file : files) {
        try (ResultSet events = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
          while (events.next()) {
            long length = events.getLong("End_log_pos") - events.getLong("Pos");
            if (events.getString("Event_type").equals("Gtid")
                && events.getString("Info").startsWith("BEGIN")
                && length != 42
                && length != 44) {
              found++;
            }
          }
        }
      }
    }
    return found;
  }

  @Test
  void aPreparedTransactionStopsTheSourceByName() throws Exception {
    server.execute(
        "CREATE DATABASE prepared",
        "CREATE TABLE prepared.t (id INT PRIMARY KEY)",
        "INSERT INTO prepared.t VALUES (1)");
    try (SourceRun run = new SourceRun()) {
      SourceSpec spec = server.spec(100, "prepared.t");
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute(
          "XA START 'x'",
          "INSERT INTO prepared.t VALUES (2)",
          "XA END 'x'",
          "XA PREPARE 'x'",
          "XA COMMIT 'x'");
      patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
      assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
          .contains("found a prepared one (XA), which cannot be followed");
      assertThat(run.rows()).hasSize(1);
    }
  }

  /** An operator may switch it on while jobs run. */
  @Test
  void compressedEventsStopTheSourceByName() throws Exception {
    server.execute(
        "CREATE DATABASE compressed",
        "CREATE TABLE compressed.t (id INT PRIMARY KEY, v TEXT)",
        "INSERT INTO compressed.t VALUES (1, 'a')");
    try (SourceRun run = new SourceRun()) {
      SourceSpec spec = server.spec(100, "compressed.t");
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      // A new file begins with MariaDB's own events, none of which changes rows.
      server.execute("FLUSH BINARY LOGS", "INSERT INTO compressed.t VALUES (2, 'b')");
      patiently().until(() -> run.rows().size() == 2);
      assertThat(run.lastMark().orElseThrow().faults()).isEmpty();
      server.execute("SET GLOBAL log_bin_compress = ON");
      try {
        server.execute("INSERT INTO compressed.t VALUES (3, REPEAT('c', 5000))");
      } finally {
        server.execute("SET GLOBAL log_bin_compress = OFF");
      }
      server.execute("INSERT INTO compressed.t VALUES (4, 'd')");
      patiently().until(() -> !run.lastMark().orElseThrow().faults().isEmpty());
      assertThat(run.lastMark().orElseThrow().faults().get(new ShardId(0)))
          .contains("log_bin_compress")
          .contains("in the event that ends at binlog.")
          .contains("copy the shards again");
      assertThat(run.rows()).as("nothing from behind it").hasSize(2);
    }
  }

  @Test
  void keysAboveTheLargestSignedNumberAreCopiedOnce() throws Exception {
    server.execute(
        "CREATE DATABASE wide",
        "USE wide",
        "CREATE TABLE wide.t (id BIGINT UNSIGNED PRIMARY KEY, v INT)",
        "CREATE TABLE wide.u (id BIGINT UNSIGNED PRIMARY KEY, v INT)",
        "INSERT INTO wide.u SELECT seq, 0 FROM seq_1_to_10",
        "INSERT INTO wide.t SELECT seq, 0 FROM seq_1_to_10",
        "INSERT INTO wide.t SELECT 9223372036854775800 + seq, 0 FROM seq_1_to_15",
        "INSERT INTO wide.t SELECT 18446744073709551605 + seq, 0 FROM seq_1_to_10");
    List<ShardRow> rows =
        run(
            server.spec(3, "wide.u", "wide.t"),
            48,
            "UPDATE wide.t SET v = 1 WHERE id IN (7, 9223372036854775808, 18446744073709551615)");
    assertThat(rows).hasSize(48);
    assertThat(rows.subList(0, 45).stream().map(row -> row.row().toString()))
        .doesNotHaveDuplicates()
        .contains("+I(1,18446744073709551615,0)", "+I(1,9223372036854775815,0)", "+I(0,10,0)");
    assertThat(rows.subList(45, 48).stream().map(row -> row.row().toString()))
        .containsExactlyInAnyOrder(
            "+U(1,7,1)", "+U(1,9223372036854775808,1)", "+U(1,18446744073709551615,1)");
  }

  /** Between the ends of two chunks the reader asks of each change to which chunk it belongs. */
  @ParameterizedTest
  @ValueSource(strings = {"INT", "VARCHAR(9)"})
  void changesWhileItIsCopiedAreFoundByKeysOfAnyName(String type) throws Exception {
    String database = "meanwhile " + type.charAt(0);
    String[] tables = {database + ".a b", database + ".b-표"};
    server.execute("CREATE DATABASE `" + database + "`", "USE `" + database + "`");
    for (String table : List.of("`a b`", "`b-표`")) {
      server.execute(
          "USE `" + database + "`",
          "CREATE TABLE " + table + " (`id [한.x]` " + type + " PRIMARY KEY, v INT)",
          "INSERT INTO " + table + " SELECT seq, 0 FROM seq_1_to_30");
    }
    SourceSpec spec = server.spec(5, tables);
    SourceSpec slow =
        with(spec, new SourceSpec.Snapshot(spec.snapshot().chunks(), 20, Integer.MAX_VALUE));
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun();
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("USE `" + database + "`");
      run.answer(gate, slow, Optional.empty());
      run.start(slow, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      int change = 0;
      while (run.lastMark().flatMap(SourceMark::watermark).isEmpty()) {
        change++;
        for (String table : List.of("`a b`", "`b-표`")) {
          statement.execute(
              "UPDATE %s SET v = %d WHERE `id [한.x]` = '%d'"
                  .formatted(table, change, 1 + change % 30));
        }
        assertThat(run.running()).isTrue();
        Thread.sleep(20);
      }
      int last = change + 1;
      statement.execute("UPDATE `b-표` SET v = " + last + " WHERE `id [한.x]` = '1'");
      await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  left(slow, run.rows()).values().stream()
                      .anyMatch(row -> row.get(1).equals(Integer.toString(last))));
      Map<List<String>, List<String>> expected = new HashMap<>();
      for (int shard = 0; shard < tables.length; shard++) {
        try (ResultSet rows =
            statement.executeQuery("SELECT * FROM " + List.of("`a b`", "`b-표`").get(shard))) {
          while (rows.next()) {
            expected.put(
                List.of(new ShardId(shard).toString(), rows.getString(1)),
                List.of(rows.getString(1), rows.getString(2)));
          }
        }
      }
      assertThat(left(slow, run.rows())).isEqualTo(expected);
    }
  }

  @Test
  void aTableTooLargeForOneChunkStopsTheSourceByName() throws Exception {
    server.execute(
        "CREATE DATABASE large",
        "CREATE TABLE large.t (id VARBINARY(4) PRIMARY KEY)",
        "INSERT INTO large.t VALUES ('a'), ('b'), ('c')");
    SourceSpec spec = server.spec(100, "large.t");
    SourceSpec small =
        with(
            spec,
            new SourceSpec.Snapshot(
                new SourceSpec.Chunks.Whole(2), SourceSpec.Snapshot.UNLIMITED, Integer.MAX_VALUE));
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, small, Optional.empty());
      run.start(small, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      assertThat(run.failure())
          .contains("Cannot copy large.t of server mariadb-1: expected at most 2 rows");
    }
  }

  private static SourceSpec with(SourceSpec spec, SourceSpec.Snapshot snapshot) {
    return new SourceSpec(
        spec.server(),
        spec.connection(),
        spec.shards(),
        spec.layout(),
        spec.schemas(),
        spec.firstServerId(),
        spec.lastServerId(),
        snapshot,
        spec.timing(),
        spec.debezium());
  }

  private Map<List<String>, List<String>> applied(
      List<String> tables, int leastEvents, String... statements) throws Exception {
    SourceSpec spec = server.spec(100, tables.toArray(String[]::new));
    return left(spec, run(leastEvents, tables, statements));
  }

  /** The rows that are left when everything that came is applied by shard and key. */
  private static Map<List<String>, List<String>> left(SourceSpec spec, List<ShardRow> rows) {
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

  /** Field case D9. */
  @Test
  void d9_generatedAndInvisibleColumnsKeepTheirPlacesAlsoAcrossAKill() throws Exception {
    server.execute(
        "CREATE DATABASE d9",
        "CREATE TABLE d9.t (c INT INVISIBLE, id INT PRIMARY KEY, v INT,"
            + " g INT AS (v * 2) VIRTUAL UNIQUE, p VARCHAR(9) AS (CONCAT('p', v)) PERSISTENT,"
            + " d DATE)",
        "INSERT INTO d9.t (c, id, v, d) VALUES (5, 1, 10, '2024-01-31')",
        "INSERT INTO d9.t (id, v) VALUES (2, 20)");
    SourceSpec spec = server.spec(100, "d9.t");
    List<String> rows = new ArrayList<>();
    String checkpoint;
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(1);
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute(
          "INSERT INTO d9.t (c, id, v, d) VALUES (6, 3, 30, NULL)",
          "UPDATE d9.t SET v = 11 WHERE id = 1");
      patiently().until(() -> run.rows().size() == 4);
      // One that began behind those rows.
      long begun = run.newestCheckpoint().map(SourceRun.Checkpoint::number).orElse(0L) + 1;
      patiently()
          .until(() -> run.newestCheckpoint().filter(found -> found.number() > begun).isPresent());
      server.execute("INSERT INTO d9.t (id, v, c) VALUES (4, 40, -1)");
      run.close();
      SourceRun.Checkpoint newest = run.newestCheckpoint().orElseThrow();
      checkpoint = newest.path();
      run.rowsBefore(newest.number()).forEach(row -> rows.add(row.row().toString()));
    }
    server.execute(
        "UPDATE d9.t SET c = 7, d = '2024-02-29' WHERE id = 2", "DELETE FROM d9.t WHERE id = 3");
    try (SourceRun run = new SourceRun()) {
      Gate gate = TestServer.gate(2);
      run.answerContinue(gate, spec);
      run.start(spec, gate, 1, Duration.ofMillis(300), state, Optional.of(checkpoint), true);
      patiently()
          .until(
              () -> run.rows().stream().anyMatch(row -> row.row().getRowKind() == RowKind.DELETE));
      run.rows().forEach(row -> rows.add(row.row().toString()));
    }
    assertThat(rows.subList(0, 2))
        .containsExactlyInAnyOrder("+I(0,5,1,10,20,p10,19753)", "+I(0,null,2,20,40,p20,null)");
    assertThat(rows.subList(2, rows.size()))
        .containsExactly(
            "+I(0,6,3,30,60,p30,null)",
            "+U(0,5,1,11,22,p11,19753)",
            "+I(0,-1,4,40,80,p40,null)",
            "+U(0,7,2,20,40,p20,19782)",
            "-D(0,6,3,30,60,p30,null)");
  }

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofMinutes(5));
  }

  /** Copies the tables, then carries out the statements and waits for all rows. */
  private List<ShardRow> run(int leastRows, List<String> tables, String... statements)
      throws Exception {
    return run(server.spec(100, tables.toArray(String[]::new)), leastRows, statements);
  }

  private List<ShardRow> run(SourceSpec spec, int leastRows, String... statements)
      throws Exception {
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun();
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      patiently().until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      for (String sql : statements) {
        statement.execute(sql);
      }
      patiently().until(() -> run.rows().size() >= leastRows);
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
      return new LayoutPlanner(
              "shard_id", Optional.empty(), bucket, Map.of(), SchemaChangeBehavior.EVOLVE)
          .plan(described);
    }
  }
}
