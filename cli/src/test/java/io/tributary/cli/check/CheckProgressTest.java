package io.tributary.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckProgressTest {
  private final List<String> lines = new ArrayList<>();
  private final CheckProgress progress = new CheckProgress(lines::add);

  @Test
  void aQuickCheckNeedsNoWords() {
    progress.begin(List.of("Kafka", "server a"));
    progress.tick(CheckProgress.QUIET_SECONDS - 1);
    assertThat(lines).isEmpty();
  }

  @Test
  void whoIsWaitedForIsNamed() {
    progress.begin(List.of("server b", "Kafka", "server a"));
    progress.done("Kafka");
    progress.tick(4);
    assertThat(lines)
        .containsExactly("1 of 3 systems have answered; 4 s; waiting for server a, server b");
    progress.done("server a");
    progress.done("server b");
    progress.tick(5);
    assertThat(lines).hasSize(1);
  }
}
