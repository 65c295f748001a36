package io.tributary.ingest.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every type comes through the copy and through the binlog with the same, exact value. */
class SourceTypesITCase {
  private static TestServer server;

  @TempDir Path state;

  /** A column, a literal, and the value in the row, printed. */
  private record Case(String type, String literal, String expected) {}

  private static final List<Case> CASES =
      List.of(
          new Case("TINYINT(1)", "2", "2"),
          new Case("TINYINT(1)", "-1", "-1"),
          new Case("TINYINT UNSIGNED", "255", "255"),
          new Case("SMALLINT UNSIGNED", "65535", "65535"),
          new Case("MEDIUMINT UNSIGNED", "16777215", "16777215"),
          new Case("INT UNSIGNED", "4294967295", "4294967295"),
          new Case("INT UNSIGNED ZEROFILL", "7", "7"),
          new Case("INT", "-2147483648", "-2147483648"),
          new Case("BIGINT", "-9223372036854775808", "-9223372036854775808"),
          new Case("BIGINT UNSIGNED", "18446744073709551615", "18446744073709551615"),
          new Case(
              "DECIMAL(38,10)",
              "-1234567890123456789012345678.0123456789",
              "-1234567890123456789012345678.0123456789"),
          new Case("DECIMAL(20,0) UNSIGNED", "18446744073709551616", "18446744073709551616"),
          new Case(
              "DECIMAL(65,30)",
              "-12345678901234567890123456789012345.012345678901234567890123456789",
              "-12345678901234567890123456789012345.012345678901234567890123456789"),
          new Case("DECIMAL(65,30)", "1", "1.000000000000000000000000000000"),
          new Case("FLOAT", "0.1", "0.1"),
          new Case("FLOAT", "16777216", "1.6777216E7"),
          new Case("FLOAT", "123456.789", "123456.79"),
          new Case("DOUBLE", "0.1", "0.1"),
          new Case("DOUBLE", "1.7976931348623157e308", "1.7976931348623157E308"),
          new Case("BIT(1)", "b'1'", "1"),
          new Case("BIT(10)", "b'1000000001'", "513"),
          new Case("BIT(40)", "b'1000000000000000000000000000000000000001'", "549755813889"),
          new Case("BIT(64)", "18446744073709551615", "18446744073709551615"),
          new Case("YEAR", "2155", "2155"),
          new Case("YEAR", "0", "0"),
          new Case("DATE", "'1000-01-01'", "-354285"),
          new Case("DATE", "'9999-12-31'", "2932896"),
          new Case("DATE", "'1969-12-31'", "-1"),
          new Case("DATETIME", "'1000-01-01 00:00:00'", "1000-01-01T00:00"),
          new Case("DATETIME", "'2024-03-10 02:30:00'", "2024-03-10T02:30"),
          new Case("DATETIME(3)", "'2024-03-31 02:30:00.123'", "2024-03-31T02:30:00.123"),
          new Case("DATETIME(6)", "'9999-12-31 23:59:59.999999'", "9999-12-31T23:59:59.999999"),
          new Case("DATETIME(6)", "'1969-12-31 23:59:59.000001'", "1969-12-31T23:59:59.000001"),
          new Case("TIMESTAMP", "FROM_UNIXTIME(1729992600)", "2024-10-27T01:30"),
          new Case("TIMESTAMP", "FROM_UNIXTIME(1729989000)", "2024-10-27T00:30"),
          new Case(
              "TIMESTAMP(6)", "FROM_UNIXTIME(1700000000.000001)", "2023-11-14T22:13:20.000001"),
          new Case("TIMESTAMP(3)", "FROM_UNIXTIME(1.5)", "1970-01-01T00:00:01.500"),
          new Case("TIME", "'23:59:59'", "86399000"),
          new Case("TIME(3)", "'00:00:00.001'", "1"),
          new Case("CHAR(5)", "'한글 '", "한글"),
          new Case("VARCHAR(20)", "'tail  '", "tail  "),
          new Case("VARCHAR(20) CHARACTER SET latin1", "'é ß'", "é ß"),
          new Case("VARCHAR(20) CHARACTER SET ucs2", "'漢字é'", "漢字é"),
          new Case("VARCHAR(20) CHARACTER SET gbk", "'漢字'", "漢字"),
          new Case("VARCHAR(20) CHARACTER SET utf8mb4", "'😀 ok'", "😀 ok"),
          new Case("TEXT", "REPEAT('ab', 2)", "abab"),
          new Case("MEDIUMTEXT", "'m\\\\\"x'", "m\\\"x"),
          new Case(
              "JSON", "'{\"b\": [1, 2.50],   \"a\": null}'", "{\"b\": [1, 2.50],   \"a\": null}"),
          new Case("ENUM('x','y','z')", "'y'", "y"),
          new Case("SET('p','q','r')", "'p,r'", "p,r"),
          new Case("BINARY(4)", "X'0100'", "01000000"),
          new Case("BINARY(4)", "X'01020000'", "01020000"),
          new Case("VARBINARY(10)", "X'00FF00'", "00ff00"),
          new Case("BLOB", "X'C328A0'", "c328a0"),
          new Case("VARCHAR(8) NULL DEFAULT 'dd'", "NULL", "null"),
          new Case("INT NULL DEFAULT 7", "NULL", "null"),
          new Case("DECIMAL(5,2) NULL DEFAULT 1.5", "NULL", "null"),
          new Case("DATETIME NULL DEFAULT '2020-01-01'", "NULL", "null"));

  @BeforeAll
  static void start() throws Exception {
    // A server in a zone with summer time; no value may show it.
    server = new TestServer("--default-time-zone=SYSTEM");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyTypeIsTheSameInTheCopyAndInTheBinlog() throws Exception {
    StringBuilder columns = new StringBuilder("id INT PRIMARY KEY");
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < CASES.size(); i++) {
      columns.append(", c").append(i).append(' ').append(CASES.get(i).type());
      values.append(", ").append(CASES.get(i).literal());
    }
    server.execute(
        "CREATE DATABASE types CHARACTER SET utf8mb4",
        "CREATE TABLE types.t (" + columns + ")",
        "INSERT INTO types.t VALUES (1" + values + ")");
    SourceSpec spec = server.spec(100, "types.t");
    Gate gate = TestServer.gate(1);
    Map<Integer, RowData> rows = new HashMap<>();
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), false);
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute("INSERT INTO types.t VALUES (2" + values + ")");
      await().atMost(Duration.ofSeconds(60)).until(() -> run.rows().size() == 2);
      for (ShardRow row : run.rows()) {
        rows.put(row.row().getInt(1), row.row());
      }
    }
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < CASES.size(); i++) {
      RowLayout.Column column = spec.layout().columns().get(i + 1);
      String copied = printed(rows.get(1), i + 2, column);
      String changed = printed(rows.get(2), i + 2, column);
      if (!copied.equals(CASES.get(i).expected()) || !changed.equals(CASES.get(i).expected())) {
        wrong.add(CASES.get(i) + ": copied " + copied + ", from the binlog " + changed);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void zeroDatesAreNullInBothAlsoWhereTheSourceAllowsNoNull() throws Exception {
    String zeros = "'0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '2020-00-10'";
    server.execute(
        "CREATE DATABASE zeros",
        "SET GLOBAL sql_mode = ''",
        "SET SESSION sql_mode = ''",
        "CREATE TABLE zeros.t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME NOT NULL,"
            + " ts TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', n DATE)",
        "INSERT INTO zeros.t VALUES (1, " + zeros + ")");
    SourceSpec spec = server.spec(100, "zeros.t");
    Gate gate = TestServer.gate(1);
    try (SourceRun run = new SourceRun()) {
      run.answer(gate, spec, Optional.empty());
      run.start(spec, gate, 1, Duration.ofSeconds(1), state, Optional.empty(), true);
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> run.lastMark().flatMap(SourceMark::watermark).isPresent());
      server.execute(
          "SET SESSION sql_mode = ''",
          "INSERT INTO zeros.t VALUES (2, " + zeros + ")",
          "INSERT INTO zeros.t VALUES (3, '1970-01-01', '1970-01-01', '1970-01-02', NULL)");
      await().atMost(Duration.ofSeconds(60)).until(() -> run.rows().size() == 3);
      assertThat(run.rows().stream().map(row -> row.row().toString()))
          .containsExactly(
              "+I(0,1,null,null,null,null)",
              "+I(0,2,null,null,null,null)",
              "+I(0,3,0,1970-01-01T00:00,1970-01-02T00:00,null)");
    }
  }

  private static String printed(RowData row, int position, RowLayout.Column column) {
    LogicalType type = column.type().rowType(true);
    Object value = RowData.createFieldGetter(type, position).getFieldOrNull(row);
    if (value instanceof byte[] bytes) {
      StringBuilder hex = new StringBuilder();
      for (byte one : bytes) {
        hex.append("%02x".formatted(one));
      }
      return hex.toString();
    }
    return String.valueOf(value);
  }
}
