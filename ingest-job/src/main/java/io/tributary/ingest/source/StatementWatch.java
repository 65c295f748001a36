package io.tributary.ingest.source;

import io.tributary.protocol.ShardId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges the statements of a binlog that change a shard without any row event, or change its shape.
 * The change reader passes over them in silence.
 */
final class StatementWatch {
  /** What a statement does to shards, of which there is at least one. */
  sealed interface Effect {
    Set<ShardId> shards();
  }

  /**
   * Their rows change and no row event says so.
   *
   * @param what it is, for the operator
   */
  record RowsUnseen(Set<ShardId> shards, String what) implements Effect {}

  /** How a statement takes all rows of a shard. */
  enum Means {
    TRUNCATE("TRUNCATE"),
    /** There is no table from then on. */
    DROP("DROP TABLE"),
    /** There is another table from then on. */
    REPLACE("CREATE OR REPLACE TABLE");

    private final String words;

    Means(String words) {
      this.words = words;
    }

    /** What it is, for the operator. */
    String words() {
      return words;
    }
  }

  /** All of their rows go, and no row event says so. */
  record AllRowsGone(Set<ShardId> shards, Means means) implements Effect {}

  /**
   * A table comes where none was.
   *
   * @param ifThereIsNone whether the statement does nothing where there is one
   * @param inTransaction whether its rows follow in the statement's own transaction, as MySQL logs
   *     CREATE TABLE with SELECT
   */
  record Created(Set<ShardId> shards, boolean ifThereIsNone, boolean inTransaction)
      implements Effect {}

  /**
   * A row event leaves columns of theirs out. It ends in the middle of a transaction.
   *
   * @param what it lacks, for the operator
   */
  record RowsPartial(Set<ShardId> shards, String what) implements Effect {}

  /** Their columns may change: the change reader must have understood the statement. */
  record ShapeMayChange(Set<ShardId> shards) implements Effect {}

  /**
   * A tool for online schema changes put the copy that it made, row by row, in the place of the
   * shard's table: the same rows in other columns.
   */
  record Swapped(Set<ShardId> shards) implements Effect {}

  private static final Pattern NAME =
      Pattern.compile(
          "(?:`((?:[^`]|``)+)`|([\\p{L}\\p{N}_$]+))(?:\\s*\\.\\s*(?:`((?:[^`]|``)+)`|([\\p{L}\\p{N}_$]+)))?");
  private static final Pattern ROW_STATEMENT =
      Pattern.compile("^(insert|update|delete|replace|load)\\b.*", Pattern.DOTALL);
  private static final Pattern TRUNCATE =
      Pattern.compile("^truncate\\s+(?:table\\s+)?(?:if\\s+exists\\s+)?(?=\\S)");
  private static final Pattern DROP =
      Pattern.compile("^drop\\s+(?:table|tables)\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern DROP_DATABASE =
      Pattern.compile("^drop\\s+(?:database|schema)\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern RENAME =
      Pattern.compile("^rename\\s+tables?\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern TO = Pattern.compile("\\s+to\\s+");
  private static final Pattern REPLACE =
      Pattern.compile("^create\\s+or\\s+replace\\s+table\\s+(?=\\S)");
  private static final Pattern CREATE =
      Pattern.compile("^create\\s+table\\s+(if\\s+not\\s+exists\\s+)?(?=\\S)");
  private static final Pattern ROWS_FOLLOW = Pattern.compile("\\bstart\\s+transaction$");
  private static final Pattern ALTER =
      Pattern.compile(
          "^alter\\s+(?:online\\s+|offline\\s+)?(?:ignore\\s+)?table\\s+(?:if\\s+exists\\s+)?");
  private static final Pattern ALTER_AWAY =
      Pattern.compile(
          "\\brename(?:\\s*=|\\s++(?!column\\b|index\\b|key\\b))|\\b(?:drop|truncate|exchange|discard|import|convert)\\s+(?:partition|tablespace)\\b|\\bconvert\\s+table\\b");

  /** What stands before the name of a second table whose rows such an ALTER takes or gives. */
  private static final Pattern OTHER_TABLE =
      Pattern.compile(
          "\\b(?:rename(?:\\s*=\\s*|\\s+(?!column\\b|index\\b|key\\b)(?:(?:to|as)\\s+|=\\s*)?)|(?:with|convert|to)\\s+table\\s+)(?=\\S)");

  private record Name(String database, String table) {}

  private final Map<Name, ShardId> tables = new HashMap<>();
  private final Map<String, Set<ShardId>> databases = new HashMap<>();

  StatementWatch(Collection<SourceSpec.Shard> shards) {
    for (SourceSpec.Shard shard : shards) {
      tables.put(new Name(lower(shard.database()), lower(shard.table())), shard.id());
      databases.computeIfAbsent(lower(shard.database()), any -> new TreeSet<>()).add(shard.id());
    }
  }

  /**
   * @param database the session's database
   * @param sql the statement
   * @return its effect on shards; empty when there is none
   */
  Optional<Effect> judge(String database, String sql) {
    if (sql.length() < 8) {
      // BEGIN, COMMIT: nearly all of them.
      return Optional.empty();
    }
    String text = lower(withoutComments(sql));
    String session = lower(database == null ? "" : database);
    if (ROW_STATEMENT.matcher(text).matches()) {
      return unseen(
          mentioned(text, 0, session),
          "a statement instead of row events (binlog_format is not ROW)");
    }
    // With ANSI_QUOTES names may be written so; texts of such statements do not matter.
    text = text.replace('"', '`');
    Matcher matcher = TRUNCATE.matcher(text);
    if (matcher.find()) {
      return gone(first(text, matcher.end(), session), Means.TRUNCATE);
    }
    matcher = DROP.matcher(text);
    if (matcher.find()) {
      return gone(mentioned(text, matcher.end(), session), Means.DROP);
    }
    matcher = DROP_DATABASE.matcher(text);
    if (matcher.find()) {
      Matcher name = NAME.matcher(text).region(matcher.end(), text.length());
      return unseen(
          name.lookingAt() ? databases.getOrDefault(part(name, 1, 2), Set.of()) : Set.of(),
          "DROP DATABASE");
    }
    matcher = RENAME.matcher(text);
    if (matcher.find()) {
      return renamed(text, matcher.end(), session);
    }
    matcher = REPLACE.matcher(text);
    if (matcher.find()) {
      return gone(first(text, matcher.end(), session), Means.REPLACE);
    }
    matcher = CREATE.matcher(text);
    if (matcher.find()) {
      Set<ShardId> shards = first(text, matcher.end(), session);
      return shards.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new Created(
                  shards, matcher.group(1) != null, ROWS_FOLLOW.matcher(text).find(matcher.end())));
    }
    matcher = ALTER.matcher(text);
    if (matcher.find()) {
      Set<ShardId> shards = first(text, matcher.end(), session);
      if (ALTER_AWAY.matcher(text).find(matcher.end())) {
        Set<ShardId> touched = new TreeSet<>(shards);
        Matcher other = OTHER_TABLE.matcher(text).region(matcher.end(), text.length());
        while (other.find()) {
          touched.addAll(first(text, other.end(), session));
        }
        return unseen(touched, "ALTER TABLE that takes rows away or renames the table");
      }
      return shards.isEmpty() ? Optional.empty() : Optional.of(new ShapeMayChange(shards));
    }
    return Optional.empty();
  }

  private static Optional<Effect> unseen(Set<ShardId> shards, String what) {
    return shards.isEmpty() ? Optional.empty() : Optional.of(new RowsUnseen(shards, what));
  }

  private static Optional<Effect> gone(Set<ShardId> shards, Means means) {
    return shards.isEmpty() ? Optional.empty() : Optional.of(new AllRowsGone(shards, means));
  }

  /**
   * {@code RENAME TABLE t TO _t_del, _t_gho TO t} is how gh-ost ends, and with other names
   * pt-online-schema-change does. Any other way in which a shard's name gets another table, or
   * none, may change all of its rows.
   */
  private Optional<Effect> renamed(String text, int from, String session) {
    Set<ShardId> shards = mentioned(text, from, session);
    Map<Name, Name> renamings = new HashMap<>();
    int at = from;
    for (String clause : text.substring(from).split(",")) {
      Matcher old = NAME.matcher(text).region(at, text.length());
      at += clause.length() + 1;
      if (!find(old, text)) {
        continue;
      }
      Matcher to = TO.matcher(text).region(old.end(), text.length());
      if (to.lookingAt()) {
        Matcher name = NAME.matcher(text).region(to.end(), text.length());
        if (name.lookingAt()) {
          renamings.put(name(old, session), name(name, session));
        }
      }
    }
    Predicate<ShardId> swapped =
        shard ->
            tables.entrySet().stream()
                .filter(entry -> entry.getValue().equals(shard))
                .allMatch(entry -> isSwap(entry.getKey(), renamings));
    if (!shards.isEmpty() && shards.stream().allMatch(swapped)) {
      return Optional.of(new Swapped(shards));
    }
    return unseen(shards, "RENAME TABLE");
  }

  private static boolean find(Matcher name, String text) {
    while (name.regionStart() < text.length()
        && Character.isWhitespace(text.charAt(name.regionStart()))) {
      name.region(name.regionStart() + 1, text.length());
    }
    return name.lookingAt();
  }

  private static boolean isSwap(Name table, Map<Name, Name> renamings) {
    Name away = renamings.get(table);
    return away != null
        && away.database().equals(table.database())
        && renamings.entrySet().stream()
            .filter(renaming -> renaming.getValue().equals(table))
            .anyMatch(
                renaming ->
                    renaming.getKey().database().equals(table.database())
                        && isToolsCopy(table.table(), renaming.getKey().table(), away.table()));
  }

  /** The names that gh-ost and pt-online-schema-change give to the copy and the old table. */
  private static boolean isToolsCopy(String table, String copy, String old) {
    String name = Pattern.quote(table);
    return copy.matches("_" + name + "_gho") && old.matches("_" + name + "(_\\d{14})?_del")
        || copy.matches("_+" + name + "_new") && old.matches("_+" + name + "_old");
  }

  /** The shard whose name begins at the offset. */
  private Set<ShardId> first(String text, int from, String session) {
    Matcher name = NAME.matcher(text).region(from, text.length());
    if (!name.lookingAt()) {
      return Set.of();
    }
    ShardId shard = tables.get(name(name, session));
    return shard == null ? Set.of() : Set.of(shard);
  }

  /** Shards of which any name after the offset may be. */
  private Set<ShardId> mentioned(String text, int from, String session) {
    Set<ShardId> found = new TreeSet<>();
    Matcher name = NAME.matcher(text).region(from, text.length());
    while (name.find()) {
      ShardId shard = tables.get(name(name, session));
      if (shard != null) {
        found.add(shard);
      }
    }
    return found;
  }

  private static Name name(Matcher name, String session) {
    String one = part(name, 1, 2);
    String two = part(name, 3, 4);
    return two.isEmpty() ? new Name(session, one) : new Name(one, two);
  }

  private static String part(Matcher name, int quoted, int plain) {
    if (name.group(quoted) != null) {
      return name.group(quoted).replace("``", "`");
    }
    return name.group(plain) == null ? "" : name.group(plain);
  }

  /**
   * The statement without its comments, of which tools write some between any two words, and
   * without what its texts say. What stands in a comment that the server executes stays. Names in
   * quotes, which need no space before or behind them, get one.
   */
  static String withoutComments(String sql) {
    StringBuilder text = new StringBuilder(sql.length());
    int at = 0;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == '\'' || c == '"' || c == '`') {
        int end = endOfQuoted(sql, at, c);
        text.append(c == '\'' ? "''" : " " + sql.substring(at, end) + " ");
        at = end;
      } else if (c == '/' && sql.startsWith("/*", at)) {
        int end = sql.indexOf("*/", at + 2);
        end = end < 0 ? sql.length() : end;
        String inside = sql.substring(at + 2, end);
        if (inside.matches("(?s)M?!.*")) {
          text.append(' ').append(inside.replaceFirst("^M?!\\d*", "")).append(' ');
        } else {
          text.append(' ');
        }
        at = Math.min(sql.length(), end + 2);
      } else if (c == '#' || sql.startsWith("-- ", at)) {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end;
      } else {
        text.append(c);
        at++;
      }
    }
    return text.toString().strip();
  }

  private static int endOfQuoted(String sql, int from, char quote) {
    int at = from + 1;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == '\\' && quote != '`') {
        at++;
      } else if (c == quote && at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
        // Twice stands for one within.
        at++;
      } else if (c == quote) {
        return at + 1;
      }
      at++;
    }
    return sql.length();
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
