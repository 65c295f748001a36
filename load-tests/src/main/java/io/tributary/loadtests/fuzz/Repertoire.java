package io.tributary.loadtests.fuzz;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What texts a server can hold: its collations, and per character set some characters in the
 * server's own bytes.
 *
 * @param collations in alphabetical order
 * @param characters per character set, at least one
 * @param singleByte names of the character sets in which every byte is a character
 */
record Repertoire(
    List<Collation> collations, Map<String, List<String>> characters, List<String> singleByte) {
  /**
   * A collation.
   *
   * @param name its full name
   * @param characterSet the character set it orders
   */
  record Collation(String name, String characterSet) {}

  /** Letters with and without case, accents, width and order of their own; signs; blanks. */
  private static final String CANDIDATES =
      "aAbBzZ09 \t\n'\"\\`%_;,.-~{}|^"
          + "äÄáéßẞÿÿñçøØåÅœŒłŁřžşıİİĳ€£¥§°µ¿×÷ ‚ƒ„…†‡ˆ‰‹›“”•–—™"
          + "ΑαβσςΩЖжЁёѐыґЇאבשׂกขำ่ሀՀႠა"
          + "アあガｱﾞ゛漢字龍〜～‖∥－−￠￡￢①㈱ⅷ纊髙"
          + "가각한글똠펲힣ㅏ中文裏銹碁嫺"
          + "a\u0301\u200B\uFFFD\uFEFF";

  private static final String BEYOND_TWO_BYTES = "😀𠮷𝒳👩‍👩‍👧";

  Repertoire {
    collations = List.copyOf(collations);
    characters = Map.copyOf(characters);
    singleByte = List.copyOf(singleByte);
  }

  /** Asks a server. */
  static Repertoire of(Connection connection) throws SQLException {
    List<Collation> collations = new ArrayList<>();
    Map<String, List<String>> characters = new TreeMap<>();
    List<String> singleByte = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT full_collation_name, character_set_name"
                  + " FROM information_schema.collation_character_set_applicability"
                  + " WHERE character_set_name <> 'binary' ORDER BY 1")) {
        while (rows.next()) {
          collations.add(new Collation(rows.getString(1), rows.getString(2)));
        }
      }
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT character_set_name FROM information_schema.character_sets"
                  + " WHERE maxlen = 1 ORDER BY 1")) {
        while (rows.next()) {
          singleByte.add(rows.getString(1));
        }
      }
      for (Collation collation : collations) {
        String set = collation.characterSet();
        if (!characters.containsKey(set)) {
          characters.put(set, characters(statement, set));
        }
      }
    }
    return new Repertoire(collations, characters, singleByte);
  }

  /** The candidates that the character set has, each in its bytes. */
  private static List<String> characters(Statement statement, String set) throws SQLException {
    String all =
        (CANDIDATES + BEYOND_TWO_BYTES)
            .codePoints()
            .distinct()
            .mapToObj(
                one ->
                    "SELECT _utf8mb4 X'%s' AS c"
                        .formatted(
                            HexFormat.of()
                                .formatHex(
                                    new String(Character.toChars(one))
                                        .getBytes(StandardCharsets.UTF_8))))
            .collect(Collectors.joining(" UNION ALL "));
    List<String> found = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            ("SELECT HEX(CONVERT(c USING %1$s)) FROM (%2$s) AS candidates"
                    + " WHERE HEX(CONVERT(CONVERT(c USING %1$s) USING utf8mb4)) = HEX(c)")
                .formatted(set, all))) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }
}
