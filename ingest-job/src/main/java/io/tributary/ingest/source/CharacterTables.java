package io.tributary.ingest.source;

import io.tributary.ingest.row.CharacterTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Asks a server what each character of the sets of its columns is; once for each set. A set of two
 * bytes takes some 100 ms.
 */
final class CharacterTables {
  private CharacterTables() {}

  /**
   * @param names the server's names of the sets
   * @return the tables by name
   */
  static Map<String, CharacterTable> load(SourceSpec spec, Set<String> names) {
    Map<String, CharacterTable> tables = new HashMap<>();
    if (names.isEmpty()) {
      return tables;
    }
    try (Connection connection = ServerSession.open(spec.connection());
        Statement statement = connection.createStatement()) {
      for (String name : names) {
        Optional<CharacterTable> unicode = CharacterTable.ofUnicode(name);
        tables.put(name, unicode.isPresent() ? unicode.get() : load(name, statement));
      }
      return tables;
    } catch (SQLException e) {
      throw new IllegalStateException(
          "Cannot read server %s: expected to be told its character sets %s, found: %s"
              .formatted(spec.server(), names, e.getMessage()),
          e);
    }
  }

  private static CharacterTable load(String name, Statement statement) throws SQLException {
    if (!name.matches("[a-z0-9_]+")) {
      throw new IllegalArgumentException("Cannot use the character set name '" + name + "'");
    }
    int mostBytes;
    try (ResultSet length =
        statement.executeQuery(
            "SELECT maxlen FROM information_schema.character_sets WHERE character_set_name = '"
                + name
                + "'")) {
      mostBytes = length.next() ? length.getInt(1) : 1;
    }
    String bytes =
        IntStream.range(0, 256)
            .mapToObj(one -> "SELECT '%02X' AS x".formatted(one))
            .collect(Collectors.joining(" UNION ALL ", "(", ")"));
    Map<String, String> characters = new HashMap<>();
    read(name, "SELECT a.x AS h FROM " + bytes + " a", statement, characters);
    if (mostBytes > 1) {
      // In all sets the first of several bytes is above those of ASCII.
      String pairs = " FROM " + bytes + " a, " + bytes + " b WHERE a.x >= '80'";
      read(name, "SELECT CONCAT(a.x, b.x) AS h" + pairs, statement, characters);
      if (mostBytes > 2) {
        // The sets with three bytes are Japanese EUC, where they begin so.
        read(name, "SELECT CONCAT('8F', a.x, b.x) AS h" + pairs, statement, characters);
      }
    }
    return new CharacterTable(name, characters);
  }

  private static void read(
      String name, String candidates, Statement statement, Map<String, String> characters)
      throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT h, HEX(CONVERT(c USING utf16)) FROM (SELECT h, CONVERT(UNHEX(h) USING "
                + name
                + ") AS c FROM ("
                + candidates
                + ") AS one) AS two WHERE CHAR_LENGTH(c) = 1 AND HEX(c) = h")) {
      while (rows.next()) {
        byte[] bytes = HexFormat.of().parseHex(rows.getString(1));
        byte[] text = HexFormat.of().parseHex(rows.getString(2));
        characters.put(
            new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1),
            new String(text, java.nio.charset.StandardCharsets.UTF_16BE));
      }
    }
  }
}
