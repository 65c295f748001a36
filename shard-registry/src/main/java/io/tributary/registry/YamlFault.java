package io.tributary.registry;

import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/**
 * Says what is wrong with text that is not YAML, in words of our own: the library's messages quote
 * the text, and a password may begin with {@code *}, {@code &} or {@code !}.
 */
final class YamlFault {
  private record Known(String sign, String meaning) {}

  private static final List<Known> KNOWN =
      List.of(
          new Known("\\t", "a tab character where only blanks may indent"),
          new Known("mapping values are not allowed", "a second colon, or a line indented too far"),
          new Known(
              "could not find expected ':'", "a line without a colon, or one indented too little"),
          new Known(
              "undefined alias", "a value that begins with '*', which YAML takes as a reference"),
          new Known("cannot start any token", "a value that begins with '@', '`' or '%'"),
          new Known("but found another document", "more than one document ('---')"),
          new Known("expected <block end>", "a line whose indentation fits no section"),
          new Known("unexpected end of stream", "a quote or bracket that is not closed"),
          new Known("expected ',' or '}'", "a bracket '{' that is not closed"),
          new Known("expected ',' or ']'", "a bracket '[' that is not closed"),
          new Known("escape", "an escape sequence in double quotes that YAML does not know"));

  private YamlFault() {}

  /** Where to look: what is not closed is shown where it begins, not at the end of the file. */
  static Optional<Mark> place(MarkedYamlEngineException e) {
    String problem = e.getProblem() == null ? "" : e.getProblem();
    return problem.contains("end of stream") || problem.contains("expected ',' or")
        ? e.getContextMark().or(e::getProblemMark)
        : e.getProblemMark().or(e::getContextMark);
  }

  static String describe(MarkedYamlEngineException e) {
    String problem = e.getProblem();
    return KNOWN.stream()
        .filter(known -> problem != null && problem.contains(known.sign()))
        .map(Known::meaning)
        .findFirst()
        .orElse("text that is not YAML");
  }
}
