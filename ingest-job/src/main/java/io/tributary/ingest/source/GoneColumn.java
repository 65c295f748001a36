package io.tributary.ingest.source;

import io.debezium.relational.Column;
import io.tributary.ingest.row.RowLayout;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column that the server has no more by the time that its rows are read. The server cannot be
 * asked for its type, so it is read by the type that the job began with; which is right only when
 * no statement has changed that in between.
 */
final class GoneColumn {
  private static final Pattern NUMBERS = Pattern.compile("\\((\\d+)(?:\\s*,\\s*(\\d+))?\\)");

  /** What whoever writes a statement may call a type, by the server's own word. */
  private static final Map<String, String> SYNONYMS =
      Map.ofEntries(
          Map.entry("integer", "int"),
          Map.entry("bool", "tinyint"),
          Map.entry("boolean", "tinyint"),
          Map.entry("numeric", "decimal"),
          Map.entry("dec", "decimal"),
          Map.entry("fixed", "decimal"),
          Map.entry("real", "double"));

  private static final Set<String> SMALL_NUMBERS = Set.of("tinyint", "smallint", "mediumint");
  private static final Set<String> TEXTS =
      Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
  private static final Set<String> BYTES =
      Set.of("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob");

  private GoneColumn() {}

  /**
   * Whether values are read alike.
   *
   * @param begun the column that the job began with
   * @param then the column of the rows, as the change reader knows it; what it was told to read in
   *     another way stands as such
   */
  static boolean isUnchanged(RowLayout.Column begun, Column then) {
    String now = word(then.typeName());
    if (begun.readAsText() && now.equals("varchar")
        || begun.isGeometry() && now.equals("longblob")) {
      return true;
    }
    return meaning(begun.sourceType()).equals(meaning(title(then))) && isSameText(begun, then);
  }

  /** Its type as a statement writes it. */
  static String title(Column column) {
    String type = column.typeName().toLowerCase(Locale.ROOT);
    String[] words = type.split("\\s+", 2);
    String numbers =
        // A whole number's means nothing, and may be left from the type before.
        column.length() == Column.UNSET_INT_VALUE || words[0].endsWith("int")
            ? ""
            : "(" + column.length() + column.scale().map(scale -> "," + scale).orElse("") + ")";
    return words[0] + numbers + (words.length > 1 ? " " + words[1] : "");
  }

  /** What decides how a value is read; the same for types that differ in their length only. */
  private static String meaning(String type) {
    String word = word(type);
    boolean unsigned = type.contains("unsigned") || type.contains("zerofill");
    if (SMALL_NUMBERS.contains(word) || word.equals("int") && !unsigned) {
      return "int";
    }
    if (word.equals("int") || word.equals("bigint") && !unsigned) {
      return "long";
    }
    if (word.equals("bigint")) {
      return "unsigned long";
    }
    if (word.equals("decimal")) {
      return "decimal" + numbers(type, "10", "0");
    }
    if (word.equals("bit")) {
      return "bit" + numbers(type, "1", "0");
    }
    return TEXTS.contains(word) ? "text" : BYTES.contains(word) ? "bytes" : word;
  }

  private static String numbers(String type, String first, String second) {
    Matcher found = NUMBERS.matcher(type);
    boolean any = found.find();
    return "("
        + (any ? found.group(1) : first)
        + ","
        + (any && found.group(2) != null ? found.group(2) : second)
        + ")";
  }

  private static boolean isSameText(RowLayout.Column begun, Column then) {
    if (then.charsetName() == null || !meaning(begun.sourceType()).equals("text")) {
      return true;
    }
    String now = then.charsetName().toLowerCase(Locale.ROOT);
    return begun.characterSet().isEmpty()
        ? now.startsWith("utf8") || now.equals("ascii")
        // As bytes, which the job decodes by itself.
        : now.equals("binary") || now.equals(begun.characterSet());
  }

  private static String word(String type) {
    String word = type.toLowerCase(Locale.ROOT).split("[\\s(]", 2)[0];
    return SYNONYMS.getOrDefault(word, word);
  }
}
