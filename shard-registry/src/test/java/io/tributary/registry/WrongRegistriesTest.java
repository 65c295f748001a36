package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of wrong registries: each file in {@code wrong-registries} marks its faulty lines with
 * {@code # ! key | part of what is found | part of the cure}; exactly these problems are reported,
 * at these lines.
 */
class WrongRegistriesTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "wrong-registries");

  private record Mark(int line, String key, String found, String cure) {
    boolean fits(RegistryProblem problem) {
      return problem.line() == line
          && problem.key().strip().equals(key)
          && problem.found().contains(found)
          && problem.cure().contains(cure);
    }
  }

  static Stream<String> wrongRegistries() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("wrongRegistries")
  void isRefusedWithFileLineKeyAndCureOfEveryProblem(String name) throws IOException {
    Path file = FOLDER.resolve(name);
    List<Mark> marks = marks(Files.readAllLines(file));
    assertThat(marks).as("marks of " + name).isNotEmpty();

    InvalidRegistryException refused =
        catchThrowableOfType(InvalidRegistryException.class, () -> RegistryParser.parseFile(file));

    assertThat(refused).as("refusal of " + name).isNotNull();
    List<RegistryProblem> unmarked = new ArrayList<>(refused.problems());
    for (Mark mark : marks) {
      assertThat(unmarked)
          .as("problems of " + name)
          .anySatisfy(problem -> assertThat(mark.fits(problem)).as(mark.toString()).isTrue());
      unmarked.remove(unmarked.stream().filter(mark::fits).findFirst().orElseThrow());
    }
    assertThat(unmarked).as("problems of " + name + " that no line announces").isEmpty();
    assertThat(refused.problems()).allSatisfy(problem -> isComplete(problem, file));
    assertThat(refused.getMessage()).doesNotContain("canary");
  }

  private static void isComplete(RegistryProblem problem, Path file) {
    assertThat(problem.file()).isEqualTo(file.toString());
    assertThat(problem.column()).isPositive();
    assertThat(problem.expected()).isNotBlank();
    assertThat(problem.cure()).isNotBlank();
    assertThat(problem.toString())
        .startsWith(file + ":" + problem.line() + ":" + problem.column() + ": Cannot use ")
        .contains(": expected ", ", found ")
        .doesNotContain("\n");
  }

  private static List<Mark> marks(List<String> lines) {
    List<Mark> marks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String[] parts = lines.get(i).split("# ! ");
      for (int j = 1; j < parts.length; j++) {
        String[] fields = parts[j].split("\\|");
        marks.add(new Mark(i + 1, fields[0].strip(), fields[1].strip(), fields[2].strip()));
      }
    }
    return marks;
  }

  @Test
  void thereAreAtLeastTwentyCases() throws IOException {
    assertThat(wrongRegistries()).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void manyProblemsAreReportedInTheOrderOfTheirLines() {
    InvalidRegistryException refused =
        catchThrowableOfType(
            InvalidRegistryException.class,
            () -> RegistryParser.parseFile(FOLDER.resolve("many-problems.yaml")));
    assertThat(refused.problems()).hasSize(6);
    assertThat(refused.problems()).extracting(RegistryProblem::line).isSorted();
    assertThat(refused.getMessage()).startsWith("Cannot use registry ").contains("found 6:\n  ");
  }

  @Test
  void anUnreadableFileIsOneProblem() {
    Path missing = FOLDER.resolve("missing.yaml");
    InvalidRegistryException refused =
        catchThrowableOfType(
            InvalidRegistryException.class, () -> RegistryParser.parseFile(missing));
    assertThat(refused.problems())
        .containsExactly(
            new RegistryProblem(
                missing.toString(),
                1,
                1,
                "",
                "a readable UTF-8 file",
                "no such file",
                "Check the path, its permissions and its encoding."));
  }

  @Test
  void anEmptyFileIsRefused() {
    InvalidRegistryException refused =
        catchThrowableOfType(
            InvalidRegistryException.class, () -> RegistryParser.parse("r.yaml", "# nothing\n"));
    assertThat(refused.problems())
        .extracting(RegistryProblem::found)
        .containsExactly("an empty file");
  }
}
