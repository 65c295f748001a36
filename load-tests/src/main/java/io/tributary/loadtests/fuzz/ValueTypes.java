package io.tributary.loadtests.fuzz;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes types of every kind that the documented table of types has, and values at their limits. */
final class ValueTypes {
  private static final int MOST_DIGITS = 65;
  private static final int MOST_DIGITS_AFTER_POINT = 38;

  /** A column of this many bytes is long enough for any fault and short enough for a row. */
  private static final int LONGEST_TEXT = 300;

  private static final int LONGEST_KEY_TEXT = 30;

  /** As in a table's definition. */
  private static final List<String> LABELS =
      List.of(
          "a", "b", "A b", "it''s", "한", "ß", "x(y)", "\"q\"", "back", "0", "1", "NULL", "", "ü;",
          "--c", "`t`", "%s");

  /** Of characters that every character set has. */
  private static final List<String> PLAIN_LABELS =
      List.of("a", "b", "A b", "x(y)", "back", "0", "1", "NULL", "", "--c");

  private final Dice dice;
  private final Repertoire repertoire;

  ValueTypes(Dice dice, Repertoire repertoire) {
    this.dice = dice;
    this.repertoire = repertoire;
  }

  /** Any type. */
  ValueType any() {
    return switch (dice.between(0, 19)) {
      case 0, 1, 2 -> wholeNumber();
      case 3, 4 -> decimal();
      case 5 -> floating();
      case 6 -> bits();
      case 7, 8, 9 -> time();
      case 10, 11, 12, 13 -> text(LONGEST_TEXT);
      case 14 -> longText();
      case 15 -> labels(LABELS, PLAIN_LABELS);
      case 16, 17 -> bytes(LONGEST_TEXT);
      case 18 -> geometry();
      default -> dice.chance(50) ? json() : ValueType.ofKeys("YEAR", this::year, this::year);
    };
  }

  /** A type that a key may have. */
  ValueType forKeys() {
    return switch (dice.between(0, 11)) {
      case 0, 1, 2 -> wholeNumber();
      case 3 -> decimal();
      case 4, 5, 6, 7 -> text(LONGEST_KEY_TEXT);
      case 8 -> bytes(LONGEST_KEY_TEXT);
      case 9 -> time();
      case 10 -> dice.chance(50) ? bits() : ValueType.ofKeys("YEAR", this::year, this::year);
      // Keys with an empty label are refused.
      default -> labels(filled(LABELS), filled(PLAIN_LABELS));
    };
  }

  ValueType wholeNumber() {
    record Width(String name, int bits) {}
    Width width =
        dice.of(
            new Width("TINYINT", 8),
            new Width("TINYINT(1)", 8),
            new Width("SMALLINT", 16),
            new Width("MEDIUMINT", 24),
            new Width("INT", 32),
            new Width("INT(5)", 32),
            new Width("BIGINT", 64));
    boolean unsigned = dice.chance(35);
    BigInteger least =
        unsigned ? BigInteger.ZERO : BigInteger.ONE.shiftLeft(width.bits() - 1).negate();
    BigInteger most =
        BigInteger.ONE
            .shiftLeft(unsigned ? width.bits() : width.bits() - 1)
            .subtract(BigInteger.ONE);
    String sql =
        width.name() + (unsigned ? dice.of(" UNSIGNED", " UNSIGNED", " UNSIGNED ZEROFILL") : "");
    return new ValueType(
        sql,
        with -> number(with, least, most),
        with ->
            with.chance(85)
                ? Integer.toString(with.between(0, 127))
                : with.of(least, most, most.subtract(BigInteger.ONE)).toString(),
        true,
        false);
  }

  private static String number(Dice with, BigInteger least, BigInteger most) {
    return (switch (with.between(0, 5)) {
          case 0 -> least;
          case 1 -> most;
          case 2 -> BigInteger.ZERO;
          case 3 -> BigInteger.valueOf(with.between(0, 100));
          default -> with.between(least, most);
        })
        .toString();
  }

  ValueType decimal() {
    int digits = dice.chance(50) ? dice.between(1, 20) : dice.between(1, MOST_DIGITS);
    int after = dice.between(0, Math.min(digits, MOST_DIGITS_AFTER_POINT));
    boolean unsigned = dice.chance(25);
    Function<Dice, String> value =
        with -> {
          String all =
              switch (with.between(0, 3)) {
                case 0 -> "9".repeat(digits);
                case 1 -> "0".repeat(digits - 1) + with.digits(1);
                default -> with.digits(digits);
              };
          return (!unsigned && with.chance(40) ? "-" : "") + point(all, after);
        };
    return ValueType.ofKeys(
        "DECIMAL(%d,%d)%s".formatted(digits, after, unsigned ? " UNSIGNED" : ""),
        value,
        with ->
            with.chance(30)
                ? value.apply(with)
                : point("0".repeat(digits - 1) + with.digits(1), after));
  }

  private static String point(String digits, int after) {
    int before = digits.length() - after;
    String whole = before == 0 ? "0" : digits.substring(0, before);
    return after == 0 ? whole : whole + "." + digits.substring(before);
  }

  private ValueType floating() {
    return switch (dice.between(0, 4)) {
      case 0, 1 ->
          ValueType.of(
              dice.of("FLOAT", "FLOAT", "FLOAT(20)"),
              with -> {
                float value = Float.intBitsToFloat((int) with.bits());
                return with.chance(20) || !Float.isFinite(value)
                    ? with.of("0", "-0.0", "3.402823466e38", "-1.175494351e-38", "0.1", "1e-45")
                    : Double.toString(value);
              });
      case 2, 3 ->
          ValueType.of(
              dice.of("DOUBLE", "REAL", "FLOAT(40)"),
              with -> {
                double value = Double.longBitsToDouble(with.bits());
                return with.chance(20) || !Double.isFinite(value)
                    ? with.of(
                        "0",
                        "1.7976931348623157e308",
                        "-2.2250738585072014e-308",
                        "0.1",
                        "4.9e-324")
                    : Double.toString(value);
              });
      default -> {
        int after = dice.between(0, 5);
        yield ValueType.of(
            "%s(%d,%d)%s"
                .formatted(
                    dice.of("FLOAT", "DOUBLE"), 4 + after, after, dice.of("", "", " UNSIGNED")),
            with -> point(with.digits(4 + after), after));
      }
    };
  }

  private ValueType bits() {
    int width = dice.of(1, 2, 7, 8, 9, 31, 32, 33, 63, 64);
    BigInteger most = BigInteger.ONE.shiftLeft(width).subtract(BigInteger.ONE);
    return ValueType.ofKeys(
        "BIT(" + width + ")",
        with -> number(with, BigInteger.ZERO, most),
        with ->
            with.chance(20)
                ? most.toString()
                : BigInteger.valueOf(with.between(0, 63)).min(most).toString());
  }

  private String year(Dice with) {
    return with.of("1901", "2155", "0", "2000", Integer.toString(with.between(1970, 2030)));
  }

  private ValueType time() {
    int digits = dice.chance(40) ? 0 : dice.between(0, 6);
    String precision = digits == 0 ? "" : "(" + digits + ")";
    return switch (dice.between(0, 3)) {
      case 0 ->
          ValueType.ofKeys(
              "DATE", with -> "'" + day(with, true) + "'", with -> "'" + day(with, false) + "'");
      case 1 ->
          ValueType.ofKeys(
              "DATETIME" + precision,
              with -> "'" + day(with, true) + " " + clock(with) + fraction(with, digits) + "'",
              with -> "'" + day(with, false) + " " + clock(with) + fraction(with, digits) + "'");
      case 2 ->
          ValueType.ofKeys(
              "TIMESTAMP" + precision,
              with -> with.chance(10) ? "'0000-00-00 00:00:00'" : moment(with, digits),
              with -> moment(with, digits));
      default ->
          ValueType.ofKeys(
              "TIME" + precision, with -> duration(with, digits), with -> duration(with, digits));
    };
  }

  private static String day(Dice with, boolean unknownToCalendars) {
    if (unknownToCalendars && with.chance(12)) {
      return with.of(
          "0000-00-00", "2020-00-10", "2020-10-00", "0000-10-00", "2021-02-31", "2021-04-31");
    }
    return switch (with.between(0, 4)) {
      case 0 ->
          with.of(
              "1000-01-01",
              "9999-12-31",
              "1969-12-31",
              "0001-01-01",
              "0000-01-02",
              "1582-10-10",
              "2024-02-29");
      case 1 -> with.of("2024-03-10", "2024-11-03", "2024-03-31", "2024-10-27");
      default ->
          "%04d-%02d-%02d"
              .formatted(with.between(1, 9999), with.between(1, 12), with.between(1, 28));
    };
  }

  private static String clock(Dice with) {
    return switch (with.between(0, 3)) {
      case 0 -> with.of("00:00:00", "23:59:59", "02:30:00", "01:30:00");
      default ->
          "%02d:%02d:%02d".formatted(with.between(0, 23), with.between(0, 59), with.between(0, 59));
    };
  }

  /** With at most as many digits as the type has, so that nothing is rounded. */
  private static String fraction(Dice with, int digits) {
    if (digits == 0 || with.chance(20)) {
      return "";
    }
    return "." + (with.chance(30) ? with.of("0", "9").repeat(digits) : with.digits(digits));
  }

  /** Seconds since 1970: the same moment in whatever zone the session is. */
  private static String moment(Dice with, int digits) {
    String seconds =
        with.chance(20)
            // Both hours of an end of summer time, and the limits.
            ? with.of("1", "2147483647", "1730611800", "1730615400", "1729989000", "1729992600")
            : with.between(BigInteger.ONE, BigInteger.valueOf(Integer.MAX_VALUE)).toString();
    return "FROM_UNIXTIME(" + seconds + fraction(with, digits) + ")";
  }

  private static String duration(Dice with, int digits) {
    if (with.chance(15)) {
      return with.of("'-838:59:59'", "'838:59:59'", "'00:00:00'", "'24:00:00'", "'-00:00:01'");
    }
    return "'%s%02d:%02d:%02d%s'"
        .formatted(
            with.chance(40) ? "-" : "",
            with.chance(50) ? with.between(0, 23) : with.between(0, 837),
            with.between(0, 59),
            with.between(0, 59),
            fraction(with, digits));
  }

  private ValueType text(int longest) {
    Repertoire.Collation collation = dice.of(repertoire.collations());
    int length = dice.between(1, longest);
    String sql =
        "%s(%d)%s"
            .formatted(dice.of("CHAR", "VARCHAR", "VARCHAR"), Math.min(length, 255), of(collation));
    List<String> alphabet = alphabet(collation);
    return new ValueType(
        sql,
        with -> text(with, collation, Math.min(length, 255)),
        // Few letters and short: many keys that a collation takes for one.
        with -> word(with, alphabet, collation, with.between(0, Math.min(length, 3))),
        false,
        true);
  }

  private ValueType longText() {
    Repertoire.Collation collation = dice.of(repertoire.collations());
    String type = dice.of("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT");
    int most = type.equals("TINYTEXT") ? 255 / 4 : 3_000;
    return new ValueType(
        type + of(collation),
        with -> text(with, collation, with.chance(90) ? Math.min(most, 60) : most),
        null,
        false,
        true);
  }

  private static String of(Repertoire.Collation collation) {
    return " CHARACTER SET %s COLLATE %s".formatted(collation.characterSet(), collation.name());
  }

  /** A few characters, among them what many collations take for the same. */
  private List<String> alphabet(Repertoire.Collation collation) {
    List<String> all = repertoire.characters().get(collation.characterSet());
    List<String> chosen = new ArrayList<>(all.subList(0, Math.min(4, all.size())));
    chosen.addAll(dice.some(all, 5));
    return chosen;
  }

  private String text(Dice with, Repertoire.Collation collation, int most) {
    int length = with.chance(10) ? most : with.between(0, Math.min(most, 20));
    if (with.chance(10) && repertoire.singleByte().contains(collation.characterSet())) {
      return introduced(collation, HexFormat.of().formatHex(with.bytes(length)));
    }
    return word(with, repertoire.characters().get(collation.characterSet()), collation, length);
  }

  private static String word(
      Dice with, List<String> characters, Repertoire.Collation collation, int length) {
    StringBuilder hex = new StringBuilder();
    for (int i = 0; i < length; i++) {
      hex.append(with.of(characters));
    }
    return introduced(collation, hex.toString());
  }

  /** In hexadecimal: no mode or character set of the session can touch it. */
  private static String introduced(Repertoire.Collation collation, String hex) {
    return "_" + collation.characterSet() + " X'" + hex + "'";
  }

  private static List<String> filled(List<String> labels) {
    return labels.stream().filter(label -> !label.isEmpty()).toList();
  }

  private ValueType labels(List<String> all, List<String> plain) {
    // Labels that a collation takes for one are refused by the server: no binary one does.
    List<Repertoire.Collation> binary =
        repertoire.collations().stream()
            .filter(collation -> collation.name().endsWith("_bin"))
            .toList();
    boolean everyCharacter = dice.chance(60);
    String in = everyCharacter ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin" : of(dice.of(binary));
    List<String> labels = dice.some(everyCharacter ? all : plain, dice.between(1, all.size() / 2));
    String list = labels.stream().map(label -> "'" + label + "'").collect(Collectors.joining(","));
    if (dice.chance(50)) {
      return ValueType.ofKeys(
          "ENUM(" + list + ")" + in,
          // 0 is what a server without strict mode makes of a label that is none.
          with -> Integer.toString(with.between(0, labels.size())),
          with -> Integer.toString(with.between(1, labels.size())));
    }
    // The number of a set is a sum of its labels' bits.
    int every = (1 << labels.size()) - 1;
    return ValueType.ofKeys(
        "SET(" + list + ")" + in,
        with -> Integer.toString(with.between(0, every)),
        with -> Integer.toString(with.between(0, every)));
  }

  private ValueType bytes(int longest) {
    int length = dice.between(1, Math.min(longest, 255));
    if (longest == LONGEST_TEXT && dice.chance(40)) {
      return ValueType.of(
          dice.of("TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"),
          with -> hex(with.bytes(with.between(0, 200))));
    }
    return ValueType.ofKeys(
        dice.of("BINARY", "VARBINARY") + "(" + length + ")",
        with -> hex(with.bytes(with.between(0, length))),
        with -> {
          byte[] few = new byte[with.between(0, Math.min(2, length))];
          for (int i = 0; i < few.length; i++) {
            few[i] = with.of((byte) 0, (byte) 0xFF, (byte) ' ', (byte) 'a', (byte) 'A');
          }
          return hex(few);
        });
  }

  private static String hex(byte[] bytes) {
    return "X'" + HexFormat.of().formatHex(bytes) + "'";
  }

  private ValueType geometry() {
    String type =
        dice.of(
            "GEOMETRY",
            "POINT",
            "LINESTRING",
            "POLYGON",
            "MULTIPOINT",
            "MULTILINESTRING",
            "MULTIPOLYGON",
            "GEOMETRYCOLLECTION");
    return ValueType.of(
        type,
        with ->
            "ST_GeomFromText('%s', %s)"
                .formatted(
                    shape(with, type.equals("GEOMETRY") ? "LINESTRING" : type),
                    with.of("0", "4326", "3857", "2147483647")));
  }

  private static String shape(Dice with, String type) {
    String ring = "(0 0, %1$d 0, %1$d %1$d, 0 0)".formatted(with.between(1, 90));
    return type
        + switch (type) {
          case "POINT" -> "(" + spot(with) + ")";
          case "LINESTRING", "MULTIPOINT" -> "(" + spot(with) + ", " + spot(with) + ")";
          case "POLYGON" -> "(" + ring + ")";
          case "MULTILINESTRING" -> "((" + spot(with) + ", " + spot(with) + "))";
          case "MULTIPOLYGON" -> "((" + ring + "))";
          default ->
              "(POINT(" + spot(with) + "), LINESTRING(" + spot(with) + ", " + spot(with) + "))";
        };
  }

  private static String spot(Dice with) {
    return "%d.%s %d".formatted(with.between(-90, 90), with.digits(3), with.between(-90, 90));
  }

  private ValueType json() {
    return ValueType.of(
        "JSON",
        with ->
            with.of(
                "'[]'",
                "'{\"b\": [1, 2.50],   \"a\": null, \"n\": 12345678901234567890.123}'",
                "'\"" + with.digits(5) + "\"'",
                "'{\"k\": " + with.between(0, 999) + "}'"));
  }
}
