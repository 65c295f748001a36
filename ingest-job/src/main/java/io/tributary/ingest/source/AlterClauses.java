package io.tributary.ingest.source;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an ALTER TABLE says of single columns: the only thing that tells a column under another name
 * from one that goes while another comes. Names are as the statement writes them, whose case need
 * not be the columns'.
 *
 * @param renamed columns that get another name
 * @param dropped names of what may be columns that go
 * @param added names of what may be columns that come
 */
record AlterClauses(List<Renamed> renamed, List<String> dropped, List<String> added) {
  /** A statement that says nothing of single columns, or that nobody has seen. */
  static final AlterClauses NONE = new AlterClauses(List.of(), List.of(), List.of());

  /** A column under another name. */
  record Renamed(String from, String to) {}

  private static final String NAME =
      "(?:`((?:[^`]|``)+)`|\"((?:[^\"]|\"\")+)\"|([\\p{L}\\p{N}_$]+))";
  private static final Pattern ALTER =
      pattern(
          "alter\\s+(?:online\\s+|offline\\s+)?(?:ignore\\s+)?table(?=[\\s`\"])\\s*(?:if\\s+exists\\s+)?%s(?:\\s*\\.\\s*%s)?\\s*(?:nowait\\s+|wait\\s+\\d+\\s+)?"
              .formatted(NAME, NAME));
  private static final Pattern RENAME =
      pattern(
          "rename\\s+column(?=[\\s`\"])\\s*(?:if\\s+exists\\s+)?%s\\s*(?:to|as)\\s*%s"
              .formatted(NAME, NAME));
  private static final Pattern CHANGE =
      pattern(
          "change(?=[\\s`\"])\\s*(?:column(?=[\\s`\"])\\s*)?(?:if\\s+exists\\s+)?%s\\s*%s(?=\\s)"
              .formatted(NAME, NAME));

  /** What else can be dropped or added; as names of columns these words are quoted. */
  private static final String NO_COLUMN =
      "(?!(?:index|key|primary|foreign|constraint|check|partition|unique|fulltext|spatial)\\b|period\\s+for\\b|system\\s+versioning\\b)";

  private static final Pattern DROP =
      pattern(
          "drop(?=[\\s`\"])\\s*(?:column(?=[\\s`\"])\\s*)?(?:if\\s+exists\\s+)?"
              + NO_COLUMN
              + NAME);
  private static final Pattern ADD =
      pattern(
          "add(?=[\\s`\"])\\s*(?:column(?=[\\s`\"])\\s*)?(?:if\\s+not\\s+exists\\s+)?"
              + NO_COLUMN
              + NAME);
  private static final Pattern ADD_SEVERAL =
      pattern("add\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?\\((.*)\\)\\s*");
  private static final Pattern FIRST_NAME = pattern(NAME);

  AlterClauses {
    renamed = List.copyOf(renamed);
    dropped = List.copyOf(dropped);
    added = List.copyOf(added);
  }

  /**
   * @param sql an ALTER TABLE; any other statement says nothing of single columns
   */
  static AlterClauses of(String sql) {
    String text = StatementWatch.withoutComments(sql);
    Matcher alter = ALTER.matcher(text);
    if (!alter.lookingAt()) {
      return NONE;
    }
    List<Renamed> renamed = new ArrayList<>();
    List<String> dropped = new ArrayList<>();
    List<String> added = new ArrayList<>();
    for (String clause : split(text.substring(alter.end()))) {
      Matcher matcher = RENAME.matcher(clause);
      if (!matcher.lookingAt()) {
        matcher = CHANGE.matcher(clause);
      }
      if (matcher.lookingAt()) {
        renamed.add(new Renamed(name(matcher, 1), name(matcher, 4)));
        continue;
      }
      matcher = DROP.matcher(clause);
      if (matcher.lookingAt()) {
        dropped.add(name(matcher, 1));
        continue;
      }
      matcher = ADD_SEVERAL.matcher(clause);
      if (matcher.lookingAt()) {
        for (String column : split(matcher.group(1))) {
          Matcher name = FIRST_NAME.matcher(column);
          if (name.lookingAt()) {
            added.add(name(name, 1));
          }
        }
        continue;
      }
      matcher = ADD.matcher(clause);
      if (matcher.lookingAt()) {
        added.add(name(matcher, 1));
      }
    }
    return new AlterClauses(renamed, dropped, added);
  }

  /** Whether a column may be in the place of another, though the names need not show it. */
  boolean replaces() {
    return renamed.stream().anyMatch(one -> !one.from().equalsIgnoreCase(one.to()))
        || dropped.stream().anyMatch(name -> added.stream().anyMatch(name::equalsIgnoreCase));
  }

  /** The parts between commas that are in no bracket and no name. */
  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '`' || c == '"' || c == '\'') {
        int end = text.indexOf(c, at + 1);
        at = end < 0 ? text.length() : end;
      } else if (c == '(') {
        depth++;
      } else if (c == ')') {
        depth--;
      } else if (c == ',' && depth == 0) {
        parts.add(text.substring(from, at).strip());
        from = at + 1;
      }
    }
    parts.add(text.substring(from).strip());
    return parts;
  }

  private static String name(Matcher matcher, int group) {
    if (matcher.group(group) != null) {
      return matcher.group(group).replace("``", "`");
    }
    return matcher.group(group + 1) != null
        ? matcher.group(group + 1).replace("\"\"", "\"")
        : matcher.group(group + 2);
  }

  private static Pattern pattern(String text) {
    return Pattern.compile(text, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
  }
}
