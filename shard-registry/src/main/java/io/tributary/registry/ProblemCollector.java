package io.tributary.registry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/** Gathers the problems of one file, and remembers where each key stands. */
final class ProblemCollector {
  private final String file;
  private final List<RegistryProblem> problems = new ArrayList<>();
  private final Map<String, Node> places = new HashMap<>();

  ProblemCollector(String file) {
    this.file = file;
  }

  void place(String path, Node node) {
    places.putIfAbsent(path, node);
  }

  void add(String path, Node at, String expected, String found, String cure) {
    add(path, at == null ? Optional.empty() : at.getStartMark(), expected, found, cure);
  }

  void add(String path, Optional<Mark> at, String expected, String found, String cure) {
    problems.add(
        new RegistryProblem(
            file,
            at.map(Mark::getLine).orElse(0) + 1,
            at.map(Mark::getColumn).orElse(0) + 1,
            path,
            expected,
            found,
            cure));
  }

  /** Reports a broken rule at its key, or at the nearest enclosing one that is written. */
  void add(RegistryRules.Violation violation) {
    String path = violation.key();
    Node at = places.get(path);
    while (at == null && path.indexOf('.') > 0) {
      path = path.substring(0, path.lastIndexOf('.'));
      at = places.get(path);
    }
    add(violation.key(), at, violation.expected(), violation.found(), violation.cure());
  }

  /** Where the keys of a file without problems stand. */
  RegistryPlaces places(Map<RegistryPlaces.Numbered, String> shards) {
    Map<String, Integer> lines = new HashMap<>();
    places.forEach(
        (path, node) -> node.getStartMark().ifPresent(at -> lines.put(path, at.getLine() + 1)));
    return new RegistryPlaces(file, lines, shards);
  }

  boolean isEmpty() {
    return problems.isEmpty();
  }

  /** All problems in the order of their places; the same one is not said twice. */
  List<RegistryProblem> sorted() {
    return problems.stream()
        .distinct()
        .sorted(
            Comparator.comparingInt(RegistryProblem::line)
                .thenComparingInt(RegistryProblem::column)
                .thenComparing(RegistryProblem::key))
        .toList();
  }
}
