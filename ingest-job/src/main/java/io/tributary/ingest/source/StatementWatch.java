package io.tributary.ingest.source;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges the statements of a binlog that change a shard without any row event, or change its shape.
 * The change reader passes over them in silence.
 */
final class StatementWatch {
  /** What a statement does to a shard. */
  sealed interface Effect {}

  /**
   * Its rows change and no row event says so.
   *
   * @param what it is, for the operator
   */
  record RowsUnseen(String what) implements Effect {}

  /** Its columns may change: the change reader must have understood the statement. */
  record ShapeMayChange() implements Effect {}

  private static final Pattern COMMENT = Pattern.compile("^\\s*/\\*(?!M?!).*?\\*/", Pattern.DOTALL);
  private static final Pattern NAME =
      Pattern.compile(
          "(?:`((?:[^`]|``)+)`|([\\p{L}\\p{N}_$]+))(?:\\s*\\.\\s*(?:`((?:[^`]|``)+)`|([\\p{L}\\p{N}_$]+)))?");
  private static final Pattern ROW_STATEMENT =
      Pattern.compile("^(insert|update|delete|replace|load)\\b.*", Pattern.DOTALL);
  private static final Pattern TRUNCATE = Pattern.compile("^truncate\\s+(?:table\\s+)?(?=\\S)");
  private static final Pattern DROP =
      Pattern.compile("^drop\\s+(?:table|tables)\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern DROP_DATABASE =
      Pattern.compile("^drop\\s+(?:database|schema)\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern RENAME =
      Pattern.compile("^rename\\s+tables?\\s+(?:if\\s+exists\\s+)?");
  // A plain CREATE of a table that is there does nothing; MySQL logs it with IF NOT EXISTS.
  private static final Pattern CREATE =
      Pattern.compile("^create\\s+or\\s+replace\\s+table\\s+(?=\\S)");
  private static final Pattern ALTER =
      Pattern.compile(
          "^alter\\s+(?:online\\s+|offline\\s+)?(?:ignore\\s+)?table\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern ALTER_AWAY =
      Pattern.compile(
          "\\brename\\s+(?!column\\b|index\\b|key\\b)|\\b(?:drop|truncate|exchange|discard|import|convert)\\s+(?:partition|tablespace)\\b");

  private record Name(String database, String table) {}

  private final Set<Name> tables = new HashSet<>();
  private final Set<String> databases = new HashSet<>();

  StatementWatch(Collection<SourceSpec.Shard> shards) {
    for (SourceSpec.Shard shard : shards) {
      tables.add(new Name(lower(shard.database()), lower(shard.table())));
      databases.add(lower(shard.database()));
    }
  }

  /**
   * @param database the session's database
   * @param sql the statement
   * @return its effect on one of the shards; empty when there is none
   */
  Optional<Effect> judge(String database, String sql) {
    if (sql.length() < 8) {
      // BEGIN, COMMIT: nearly all of them.
      return Optional.empty();
    }
    String text = lower(stripped(sql));
    String session = lower(database == null ? "" : database);
    if (ROW_STATEMENT.matcher(text).matches()) {
      return mentions(text, 0, session)
          ? unseen("a statement instead of row events (binlog_format is not ROW)")
          : Optional.empty();
    }
    Matcher matcher = TRUNCATE.matcher(text);
    if (matcher.find()) {
      return first(text, matcher.end(), session) ? unseen("TRUNCATE") : Optional.empty();
    }
    matcher = DROP.matcher(text);
    if (matcher.find()) {
      return mentions(text, matcher.end(), session) ? unseen("DROP TABLE") : Optional.empty();
    }
    matcher = DROP_DATABASE.matcher(text);
    if (matcher.find()) {
      Matcher name = NAME.matcher(text).region(matcher.end(), text.length());
      return name.lookingAt() && databases.contains(part(name, 1, 2))
          ? unseen("DROP DATABASE")
          : Optional.empty();
    }
    matcher = RENAME.matcher(text);
    if (matcher.find()) {
      return mentions(text, matcher.end(), session) ? unseen("RENAME TABLE") : Optional.empty();
    }
    matcher = CREATE.matcher(text);
    if (matcher.find()) {
      return first(text, matcher.end(), session)
          ? unseen("CREATE OR REPLACE TABLE")
          : Optional.empty();
    }
    matcher = ALTER.matcher(text);
    if (matcher.find() && first(text, matcher.end(), session)) {
      return ALTER_AWAY.matcher(text).find(matcher.end())
          ? unseen("ALTER TABLE that takes rows away or renames the table")
          : Optional.of(new ShapeMayChange());
    }
    return Optional.empty();
  }

  private static Optional<Effect> unseen(String what) {
    return Optional.of(new RowsUnseen(what));
  }

  /** Whether the name that begins at the offset is a shard's. */
  private boolean first(String text, int from, String session) {
    Matcher name = NAME.matcher(text).region(from, text.length());
    return name.lookingAt() && isShard(name, session);
  }

  /** Whether any name after the offset may be a shard's. */
  private boolean mentions(String text, int from, String session) {
    Matcher name = NAME.matcher(text).region(from, text.length());
    while (name.find()) {
      if (isShard(name, session)) {
        return true;
      }
    }
    return false;
  }

  private boolean isShard(Matcher name, String session) {
    String one = part(name, 1, 2);
    String two = part(name, 3, 4);
    return tables.contains(two.isEmpty() ? new Name(session, one) : new Name(one, two));
  }

  private static String part(Matcher name, int quoted, int plain) {
    if (name.group(quoted) != null) {
      return name.group(quoted).replace("``", "`");
    }
    return name.group(plain) == null ? "" : name.group(plain);
  }

  private static String stripped(String sql) {
    String text = sql.strip();
    Matcher comment = COMMENT.matcher(text);
    while (comment.find()) {
      text = text.substring(comment.end()).strip();
      comment = COMMENT.matcher(text);
    }
    return text;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
