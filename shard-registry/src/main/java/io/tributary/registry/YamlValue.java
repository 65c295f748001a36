package io.tributary.registry;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads one value of a YAML node, or says what it expected. */
@FunctionalInterface
interface YamlValue<T> {

  /**
   * @throws Refused when the node holds something else
   */
  T read(Node node) throws Refused;

  /** A value that is not what was expected. */
  final class Refused extends Exception {
    private final transient Node at;
    private final String expected;
    private final String found;
    private final String cure;

    Refused(Node at, String expected, String found, String cure) {
      super(expected, null, false, false);
      this.at = at;
      this.expected = expected;
      this.found = found;
      this.cure = cure;
    }

    Node at() {
      return at;
    }

    String expected() {
      return expected;
    }

    String found() {
      return found;
    }

    String cure() {
      return cure;
    }
  }

  /** Text without blanks at its ends that fulfils a condition. */
  static YamlValue<String> text(String expected, Predicate<String> condition) {
    return node -> {
      if (!(node instanceof ScalarNode scalar) || Tag.NULL.equals(node.getTag())) {
        throw new Refused(node, expected, describe(node), "Write a text here.");
      }
      String value = scalar.getValue();
      if (!Tag.STR.equals(node.getTag())) {
        throw new Refused(
            node, expected, describe(node), "Put it in quotes when it is meant as text.");
      }
      if (value.isBlank()) {
        throw new Refused(node, expected, "blank text", "Write a value, or leave the key out.");
      }
      if (!value.equals(value.strip())) {
        throw new Refused(
            node, expected, describe(node) + " with blanks at its ends", "Remove the blanks.");
      }
      if (!condition.test(value)) {
        throw new Refused(node, expected, describe(node), "Correct the value.");
      }
      return value;
    };
  }

  /** Any text without blanks at its ends. */
  static YamlValue<String> text() {
    return text("text without blanks at its ends", value -> true);
  }

  /** Text that one of our value types accepts. */
  static <T> YamlValue<T> named(String expected, Function<String, T> type) {
    return node -> {
      String value = text(expected, text -> true).read(node);
      try {
        return type.apply(value);
      } catch (IllegalArgumentException e) {
        throw new Refused(node, expected, describe(node), "Correct the name.");
      }
    };
  }

  /** A whole number, both bounds included. */
  static YamlValue<Integer> integer(int least, int most) {
    return node -> {
      String expected = "a whole number from " + least + " to " + most;
      if (node instanceof ScalarNode scalar && Tag.INT.equals(node.getTag())) {
        try {
          int value = Integer.parseInt(scalar.getValue());
          if (value >= least && value <= most) {
            return value;
          }
        } catch (NumberFormatException e) {
          throw new Refused(node, expected, describe(node), "Take a number of this range.");
        }
        throw new Refused(node, expected, describe(node), "Take a number of this range.");
      }
      throw new Refused(node, expected, describe(node), "Write a plain number without quotes.");
    };
  }

  /** A duration, both bounds included. */
  static YamlValue<Duration> duration(Duration least, Duration most) {
    return node -> {
      String expected =
          DurationText.FORM
              + ", from "
              + DurationText.format(least)
              + " to "
              + DurationText.format(most);
      Optional<Duration> value =
          node instanceof ScalarNode scalar
              ? DurationText.parse(scalar.getValue())
              : Optional.empty();
      if (value.isEmpty()) {
        throw new Refused(
            node,
            expected,
            describe(node),
            Tag.INT.equals(node.getTag())
                ? "Add the unit: a bare number could mean seconds or milliseconds."
                : "Write the duration as a number and a unit.");
      }
      if (value.get().compareTo(least) < 0 || value.get().compareTo(most) > 0) {
        throw new Refused(node, expected, describe(node), "Take a duration of this range.");
      }
      return value.get();
    };
  }

  /** One of a closed set of words. */
  static <E extends Enum<E>> YamlValue<E> choice(Class<E> type, Function<E, String> word) {
    List<E> all = Arrays.asList(type.getEnumConstants());
    List<String> words = all.stream().map(word).toList();
    String expected = words.size() == 1 ? words.get(0) : "one of " + String.join(", ", words);
    return node -> {
      String value = text(expected, text -> true).read(node);
      return all.stream()
          .filter(one -> word.apply(one).equals(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new Refused(
                      node,
                      expected,
                      describe(node),
                      Suggestion.cure(value, words, "Take one of these words.")));
    };
  }

  /** An id or a range of ids. */
  static YamlValue<ServerIdRange> serverIds() {
    return node ->
        (node instanceof ScalarNode scalar
                ? ServerIdRange.parse(scalar.getValue())
                : Optional.<ServerIdRange>empty())
            .orElseThrow(
                () ->
                    new Refused(
                        node,
                        ServerIdRange.FORM,
                        describe(node),
                        "Write the first and the last id, the first not above the last."));
  }

  /** A time zone by name or offset. */
  static YamlValue<ZoneId> zone() {
    String expected = "a time zone such as Asia/Seoul, UTC or +09:00";
    return node -> {
      String value = text(expected, text -> true).read(node);
      try {
        return ZoneId.of(value);
      } catch (DateTimeException e) {
        throw new Refused(
            node,
            expected,
            describe(node),
            Suggestion.cure(
                value,
                ZoneId.getAvailableZoneIds(),
                "Take a name of the IANA time zone database."));
      }
    };
  }

  /** The words "primary key", or a list of columns. */
  static YamlValue<TableKey> tableKey() {
    String expected = "'primary key' or a list of columns such as [id]";
    return node -> {
      if (node instanceof ScalarNode scalar && scalar.getValue().equals("primary key")) {
        return new TableKey.PrimaryKey();
      }
      if (!(node instanceof SequenceNode sequence) || sequence.getValue().isEmpty()) {
        throw new Refused(node, expected, describe(node), "List the key columns in brackets.");
      }
      List<String> columns = new ArrayList<>();
      for (Node column : sequence.getValue()) {
        columns.add(text("the name of a key column", text -> true).read(column));
      }
      return new TableKey.Columns(columns);
    };
  }

  /** What is there, for messages; long text is cut, and what may hold a credential is not shown. */
  static String describe(Node node) {
    if (node instanceof MappingNode) {
      return "a section";
    }
    if (node instanceof SequenceNode) {
      return "a list";
    }
    if (!(node instanceof ScalarNode scalar)) {
      return "something else";
    }
    if (Tag.NULL.equals(node.getTag())) {
      return "nothing";
    }
    if (SecretGuard.holdsCredential(scalar.getValue())) {
      return "text that may hold a credential (not shown)";
    }
    String kind =
        Tag.INT.equals(node.getTag()) || Tag.FLOAT.equals(node.getTag())
            ? "the number "
            : Tag.BOOL.equals(node.getTag()) ? "the boolean " : "";
    return kind + "'" + cut(scalar.getValue()) + "'";
  }

  /** The text, cut to what fits into a message. */
  static String cut(String text) {
    String oneLine = text.replaceAll("\\R", " ");
    return oneLine.length() <= 80 ? oneLine : oneLine.substring(0, 77) + "...";
  }
}
