package io.tributary.registry;

/**
 * One MySQL table by its exact name. Names are never patterns: {@code db.t} is the table t of the
 * database db and no other.
 */
public record SourceTable(String database, String table) implements Comparable<SourceTable> {
  /** What a database's or a table's name may be, for messages. */
  static final String FORM =
      "an exact name of at most 64 characters without * ? % | [ ] ( ) { } ^ \\ / . , ; or quotes";

  private static final String REFUSED = "*?%|[](){}^\\/.,;'\"";
  private static final int MOST_CHARACTERS = 64;

  /**
   * @throws IllegalArgumentException when a name is blank, too long, or holds a character that
   *     looks like a pattern
   */
  public SourceTable {
    if (!isName(database) || !isName(table)) {
      throw new IllegalArgumentException(
          "Cannot use a source table: expected "
              + FORM
              + ", found '"
              + database
              + "' and '"
              + table
              + "'");
    }
  }

  /** Whether the text can be the exact name of a database or table. */
  static boolean isName(String text) {
    return !text.isBlank()
        && text.equals(text.strip())
        && text.codePointCount(0, text.length()) <= MOST_CHARACTERS
        && text.chars().noneMatch(c -> REFUSED.indexOf(c) >= 0 || c < ' ' || c == 0x7f);
  }

  /**
   * A regular expression that matches this table's {@code database.table} alone, for readers that
   * only take expressions, such as the CDC connector's table list. Those readers may ignore case:
   * also compare the names of what they deliver.
   */
  public String exactPattern() {
    return escape(database) + "\\." + escape(table);
  }

  private static String escape(String name) {
    StringBuilder escaped = new StringBuilder();
    name.codePoints()
        .forEach(
            c -> {
              if (c < 0x80 && !Character.isLetterOrDigit(c) && c != '_' && c != ' ') {
                escaped.append('\\');
              }
              escaped.appendCodePoint(c);
            });
    return escaped.toString();
  }

  @Override
  public int compareTo(SourceTable other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : table.compareTo(other.table);
  }

  @Override
  public String toString() {
    return database + "." + table;
  }
}
