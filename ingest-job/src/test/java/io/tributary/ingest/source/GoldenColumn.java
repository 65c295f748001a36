package io.tributary.ingest.source;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A column of the golden test.
 *
 * @param type as in a table's definition
 * @param servers where the type exists
 * @param literals its limits and what has gone wrong elsewhere, at least one; none for columns that
 *     the server computes
 */
record GoldenColumn(String type, Servers servers, List<String> literals) {
  /** Where a type exists. */
  enum Servers {
    ALL,
    MARIA_DB
  }

  static final List<GoldenColumn> ALL = all();

  boolean on(ServerKind kind) {
    return servers == Servers.ALL || kind.isMariaDb();
  }

  private static List<GoldenColumn> all() {
    List<GoldenColumn> all = new ArrayList<>();
    numbers(all);
    times(all);
    texts(all);
    bytesAndShapes(all);
    return List.copyOf(all);
  }

  private static void add(List<GoldenColumn> all, String type, String... literals) {
    all.add(new GoldenColumn(type, Servers.ALL, List.of(literals)));
  }

  private static void numbers(List<GoldenColumn> all) {
    add(all, "TINYINT", "-128", "127", "0", "NULL");
    add(all, "TINYINT(1)", "2", "-1", "127", "-128");
    add(all, "TINYINT UNSIGNED", "255", "0");
    add(all, "SMALLINT", "-32768", "32767");
    add(all, "SMALLINT UNSIGNED", "65535", "0");
    add(all, "MEDIUMINT", "-8388608", "8388607");
    add(all, "MEDIUMINT UNSIGNED", "16777215", "8388608", "0");
    add(all, "INT", "-2147483648", "2147483647", "NULL");
    add(all, "INT UNSIGNED", "4294967295", "2147483648", "0");
    add(all, "INT(7) UNSIGNED ZEROFILL", "7", "4294967295");
    add(all, "BIGINT", "-9223372036854775808", "9223372036854775807");
    add(all, "BIGINT UNSIGNED", "18446744073709551615", "9223372036854775808", "0");
    add(all, "BOOLEAN", "TRUE", "FALSE", "100");
    String digits = "12345678901234567890123456789012345678901234567890123456789012345";
    add(all, "DECIMAL(1,0)", "-9", "9", "0");
    add(all, "DECIMAL(9,9)", "-0.999999999", "0.000000001");
    add(all, "DECIMAL(18,0)", "-999999999999999999", "999999999999999999");
    add(
        all,
        "DECIMAL(38,10)",
        "-" + digits.substring(0, 28) + "." + digits.substring(28, 38),
        "9999999999999999999999999999.9999999999",
        "0");
    // A server of version 5.6 has at most 30 digits after the point.
    add(all, "DECIMAL(38,30)", "-0.000000000000000000000000000001", "99999999");
    add(all, "DECIMAL(20,0) UNSIGNED", "99999999999999999999", "0");
    add(all, "DECIMAL(39,0)", "-" + "9".repeat(39), "1");
    add(
        all,
        "DECIMAL(65,30)",
        "-" + digits.substring(0, 35) + "." + digits.substring(35),
        "1",
        "0",
        "-0.000000000000000000000000000001");
    add(all, "DECIMAL(65,0) UNSIGNED", "9".repeat(65), "0");
    add(all, "FLOAT", "3.402823466e38", "-1.175494351e-38", "16777216", "123456.789", "1e-45");
    add(all, "FLOAT(7,3)", "1234.567", "-9999.999");
    add(all, "FLOAT UNSIGNED", "0.1", "0");
    add(all, "DOUBLE", "1.7976931348623157e308", "-2.2250738585072014e-308", "0.1", "4.9e-324");
    add(all, "REAL", "1.7976931348623157e308", "-0.1", "0", "NULL");
    add(all, "DOUBLE(15,3)", "123456789012.345", "-0.001");
    add(all, "BIT(1)", "b'1'", "b'0'", "NULL");
    add(all, "BIT(10)", "b'1000000001'", "0", "1023");
    add(all, "BIT(31)", "2147483647", "0");
    add(all, "BIT(32)", "4294967295", "1");
    add(all, "BIT(63)", "9223372036854775807", "0");
    add(all, "BIT(64)", "18446744073709551615", "9223372036854775808", "0", "1");
    add(all, "YEAR", "1901", "2155", "0", "2000", "1999");
    add(all, "TINYINT NULL DEFAULT 7", "NULL", "3");
    add(all, "INT NOT NULL DEFAULT 7", "0", "-1");
  }

  private static void times(List<GoldenColumn> all) {
    add(
        all,
        "DATE",
        "'1000-01-01'",
        "'9999-12-31'",
        "'1969-12-31'",
        "'2024-02-29'",
        "'1582-10-10'",
        "'0001-01-01'",
        "NULL");
    add(all, "DATE NOT NULL", "'0000-00-00'", "'2020-00-10'", "'2020-10-00'", "'1970-01-01'");
    for (int digits = 0; digits <= 6; digits++) {
      String fraction = digits == 0 ? "" : "." + "123456".substring(0, digits);
      String most = digits == 0 ? "" : "." + "9".repeat(digits);
      String least = digits == 0 ? "" : "." + "0".repeat(digits - 1) + "1";
      add(
          all,
          "DATETIME(" + digits + ")",
          "'1000-01-01 00:00:00'",
          "'9999-12-31 23:59:59" + most + "'",
          "'1969-12-31 23:59:59" + least + "'",
          // Hours that zones skip or repeat; to a DATETIME they are like any other.
          "'2024-03-10 02:30:00" + fraction + "'",
          "'2024-10-27 02:30:00" + fraction + "'",
          "'1582-10-10 12:00:00'",
          "'0099-01-01 00:00:00" + fraction + "'",
          "'0000-00-00 00:00:00'");
      add(
          all,
          "TIMESTAMP(" + digits + ") NULL DEFAULT NULL",
          "FROM_UNIXTIME(1" + least + ")",
          "FROM_UNIXTIME(2147483647" + most + ")",
          // The same wall time twice, where summer time ends.
          "FROM_UNIXTIME(1729989000" + fraction + ")",
          "FROM_UNIXTIME(1729992600" + fraction + ")",
          "FROM_UNIXTIME(1710055800" + fraction + ")",
          "NULL",
          "'0000-00-00 00:00:00'");
      add(
          all,
          "TIME(" + digits + ")",
          // The type's bounds are those of a whole second.
          "'-838:59:59'",
          "'838:59:59'",
          "'-00:00:00" + least + "'",
          "'-00:00:01" + fraction + "'",
          "'24:00:00'",
          "'23:59:59" + most + "'",
          "'-00:01:00'",
          "'-12:00:00'",
          "'-00:59:59'",
          "'-12:34:56" + fraction + "'",
          "'100:00:00" + least + "'",
          "'00:00:00'",
          "NULL");
    }
  }

  private static void texts(List<GoldenColumn> all) {
    add(all, "CHAR(5) CHARACTER SET utf8mb4", "'한글 '", "' a'", "''", "'😀'", "NULL");
    add(all, "CHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "'a'", "'A  '");
    add(all, "CHAR(0)", "''", "NULL");
    add(all, "VARCHAR(20) CHARACTER SET utf8mb4", "'tail  '", "'😀 ok'", "''", "'NULL'", "'\\0x'");
    add(all, "VARCHAR(300) CHARACTER SET utf8", "REPEAT('한', 300)", "'é'", "_utf8 X'EFBFBD'");
    add(
        all,
        "VARCHAR(20) CHARACTER SET latin1",
        "_latin1 X'E9DF'",
        "_latin1 X'80'",
        "_latin1 X'818D8F909D'",
        "_latin1 X'FF7F'",
        "'tail '");
    add(all, "CHAR(20) CHARACTER SET latin1", "_latin1 X'E981'", "'x '");
    add(all, "VARCHAR(20) CHARACTER SET ascii", "'plain'", "''");
    // Of several bytes a character, U+FEFF in front is part of the text.
    add(
        all,
        "VARCHAR(20) CHARACTER SET ucs2",
        "'漢字é'",
        "_ucs2 X'FFFD0000'",
        "''",
        "_ucs2 X'FEFF0041'");
    add(all, "CHAR(20) CHARACTER SET ucs2", "'漢字é '", "'a'");
    add(all, "VARCHAR(20) CHARACTER SET utf16", "'漢字😀'", "''", "_utf16 X'FEFFD83DDE00'");
    add(all, "VARCHAR(20) CHARACTER SET utf16le", "'漢字😀'", "'a'", "_utf16le X'FFFE4100'");
    add(all, "VARCHAR(20) CHARACTER SET utf32", "'漢字😀'", "'a'", "_utf32 X'0000FEFF00000041'");
    add(
        all,
        "VARCHAR(20) CHARACTER SET gbk",
        "'漢字'",
        "_gbk X'A1A4A1AAA844A996'",
        "_gbk X'8140FEA0'",
        "'a '");
    add(all, "CHAR(20) CHARACTER SET gbk", "'漢字'", "'a '");
    add(
        all,
        "VARCHAR(20) CHARACTER SET euckr",
        "'한글'",
        // Beyond the characters of KS X 1001.
        "'똠방 펲시콜라'",
        "_euckr X'A1ADA1AAA2E6A2E7'",
        "_euckr X'8141C652'");
    add(all, "CHAR(20) CHARACTER SET euckr", "'똠'", "'가 '");
    add(all, "TEXT CHARACTER SET euckr", "'똠방각하'", "''");
    add(all, "VARCHAR(20) CHARACTER SET sjis", "'漢字ｶﾅ'", "_sjis X'5C7E815F8160817C'");
    add(all, "VARCHAR(20) CHARACTER SET cp932", "'漢字ｶﾅ'", "_cp932 X'8740FA55815F81608191'");
    add(all, "VARCHAR(20) CHARACTER SET ujis", "'漢字ｶﾅ'", "_ujis X'5C7EA1C1A1DD8FB0A1'");
    add(all, "VARCHAR(20) CHARACTER SET big5", "'漢字'", "_big5 X'A145A14EA15AA1C3'");
    add(all, "VARCHAR(20) CHARACTER SET cp1251", "'Привет'", "_cp1251 X'98A0FF'");
    add(all, "VARCHAR(20) CHARACTER SET koi8r", "'Привет'", "_koi8r X'80FF'");
    add(all, "VARCHAR(20) CHARACTER SET latin2", "'łódź'", "_latin2 X'80A1FF'");
    add(all, "VARCHAR(20) CHARACTER SET tis620", "'สวัสดี'");
    add(all, "TINYTEXT", "REPEAT('a', 255)", "''", "NULL");
    add(all, "TEXT CHARACTER SET latin1", "REPEAT(_latin1 X'E9', 65535)", "_latin1 X'81'");
    add(all, "MEDIUMTEXT", "REPEAT('m\\\\\"한😀', 20000)", "''");
    add(all, "LONGTEXT", "REPEAT('ab', 100000)", "'\\n\\r\\t'");
    add(all, "ENUM('x','y z','한','')", "'y z'", "'한'", "''", "NULL", "'x'");
    add(all, "SET('p','q','한')", "'p,한'", "''", "'p,q,한'", "NULL");
    // The server puts no comma behind an empty label that is the first.
    add(all, "SET('','p','q')", "1", "2", "3", "7", "0");
    add(all, "SET('p','','q')", "2", "3", "6", "7");
    add(all, "ENUM('é','ß') CHARACTER SET latin1", "'é'", "'ß'");
    add(all, "VARCHAR(8) NULL DEFAULT 'dd'", "NULL", "'v'");
    all.add(
        new GoldenColumn(
            "JSON",
            Servers.MARIA_DB,
            List.of(
                "'{\"b\": [1, 2.50],   \"a\": null, \"n\": 12345678901234567890.123}'",
                "'[]'",
                "'\"한 😀\"'",
                "NULL")));
  }

  private static void bytesAndShapes(List<GoldenColumn> all) {
    add(all, "BINARY(4)", "X'0100'", "X'01020000'", "X''", "X'FFFFFFFF'", "NULL", "X'20202020'");
    add(all, "BINARY(255)", "X'00'", "REPEAT(X'FF', 255)");
    add(all, "VARBINARY(10)", "X'00FF00'", "X''", "X'2020'");
    add(all, "TINYBLOB", "REPEAT(X'FE', 255)", "X''", "NULL");
    add(all, "BLOB", "X'C328A0'", "REPEAT(X'00', 65535)");
    add(all, "MEDIUMBLOB", "REPEAT(X'F09F9880', 20000)", "X''");
    add(all, "LONGBLOB", "REPEAT(X'80', 200000)", "X'00'");
    add(
        all,
        "GEOMETRY",
        "ST_GeomFromText('POINT(1.5 -2.25)', 4326)",
        "ST_GeomFromText('POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 1))', 3857)",
        "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(0 0, 1 1))')",
        "NULL");
    // Given none, as by the rows that are first inserted with their key alone, it is empty.
    add(all, "GEOMETRYCOLLECTION NOT NULL", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')");
    add(
        all,
        "POINT",
        "ST_GeomFromText('POINT(1e-300 1e300)', 4326)",
        "ST_GeomFromText('POINT(0 0)')");
    add(all, "LINESTRING", "ST_GeomFromText('LINESTRING(0 0, 1 1.5)', 1)", "NULL");
    add(all, "POLYGON", "ST_GeomFromText('POLYGON((0 0, 4 0, 4 4, 0 0))', 2147483647)");
    add(all, "MULTIPOINT", "ST_GeomFromText('MULTIPOINT(0 0, 1 1)', 4326)");
    add(all, "MULTILINESTRING", "ST_GeomFromText('MULTILINESTRING((0 0, 1 1), (2 2, 3 3))')");
    add(all, "MULTIPOLYGON", "ST_GeomFromText('MULTIPOLYGON(((0 0, 4 0, 4 4, 0 0)))', 4326)");
    add(all, "GEOMETRYCOLLECTION", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))', 4326)");
    all.add(new GoldenColumn("INT INVISIBLE", Servers.MARIA_DB, List.of("5", "NULL", "-1")));
    all.add(new GoldenColumn("INT AS (id * 2) VIRTUAL", Servers.MARIA_DB, List.of()));
    all.add(new GoldenColumn("INT AS (id * 3) STORED", Servers.MARIA_DB, List.of()));
    add(all, "INT", "424242");
  }

  static String createTable(String table, List<GoldenColumn> columns) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> "c" + i + " " + columns.get(i).type())
        .collect(
            Collectors.joining(
                ", ", "CREATE TABLE " + table + " (id INT PRIMARY KEY, ", ") ROW_FORMAT=DYNAMIC"));
  }

  static String insert(String table, List<GoldenColumn> columns, int id, int row) {
    return "INSERT INTO "
        + table
        + " (id, "
        + written(columns).mapToObj(i -> "c" + i).collect(Collectors.joining(", "))
        + ") VALUES ("
        + id
        + ", "
        + written(columns)
            .mapToObj(i -> columns.get(i).literal(row))
            .collect(Collectors.joining(", "))
        + ")";
  }

  static String update(String table, List<GoldenColumn> columns, int id, int row) {
    return "UPDATE "
        + table
        + " SET "
        + written(columns)
            .mapToObj(i -> "c" + i + " = " + columns.get(i).literal(row))
            .collect(Collectors.joining(", "))
        + " WHERE id = "
        + id;
  }

  private String literal(int row) {
    return literals.get(row % literals.size());
  }

  private static IntStream written(List<GoldenColumn> columns) {
    return IntStream.range(0, columns.size()).filter(i -> !columns.get(i).literals().isEmpty());
  }
}
