package io.tributary.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.registry.RegistryKey.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The README lists exactly the keys that the parser knows, with what they take and their default.
 */
class ReadmeTest {
  @ParameterizedTest
  @EnumSource(Section.class)
  void listsTheKeysOfEverySection(Section section) throws Exception {
    List<String> lines = Files.readAllLines(Path.of("README.md"));
    int heading = lines.indexOf("### `" + section.title() + "`");
    assertThat(heading).as("heading of " + section.title()).isNotNegative();
    List<String> rows =
        lines.subList(heading + 1, lines.size()).stream()
            .takeWhile(line -> !line.startsWith("#"))
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.lastIndexOf('|', line.length() - 2) + 1))
            .toList();
    assertThat(rows)
        .containsExactlyElementsOf(
            section.keys().stream()
                .map(
                    key ->
                        "| `%s` | %s | %s |"
                            .formatted(key.word(), key.accepted(), key.defaultText()))
                .toList());
  }
}
