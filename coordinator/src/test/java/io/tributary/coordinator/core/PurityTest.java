package io.tributary.coordinator.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What needs no import slips through the build's import rules. */
class PurityTest {
  private static final Pattern IMPURE =
      Pattern.compile(
          "\\b(Thread|System|Runtime)\\s*\\.|Instant\\.now|randomUUID|Math\\.random|synchronized|volatile");

  @Test
  void theCoreHasNoClockNoRandomnessAndNoThread() throws IOException {
    Path sources = Path.of("src/main/java/io/tributary/coordinator/core");
    try (Stream<Path> files = Files.list(sources)) {
      List<Path> all = files.toList();
      assertThat(all).hasSizeGreaterThan(20);
      for (Path file : all) {
        assertThat(IMPURE.matcher(Files.readString(file)).results().map(r -> r.group()))
            .as(file.toString())
            .isEmpty();
      }
    }
  }
}
