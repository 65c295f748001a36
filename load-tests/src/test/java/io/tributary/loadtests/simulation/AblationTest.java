package io.tributary.loadtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Protection;
import io.tributary.ingest.seal.SealerProtection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is left out must be missed, or the simulation proves nothing about it. */
@Tag("long")
class AblationTest {
  private static final long SEEDS = Long.getLong("simulation.ablation.seeds", 2_000);
  private static final List<String> TABLE = new ArrayList<>();

  static Stream<Arguments> rules() {
    return Stream.of(
            Arrays.stream(Protection.values())
                .map(left -> Arguments.of("core " + left, Rules.without(left))),
            Arrays.stream(SealerProtection.values())
                .map(left -> Arguments.of("sealer " + left, Rules.without(left))),
            Arrays.stream(AdapterProtection.values())
                .map(left -> Arguments.of("adapter " + left, Rules.without(left))))
        .flatMap(all -> all);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void withoutTheRuleAnInvariantDoesNotHold(String name, Rules rules) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Simulation.Outcome outcome = Simulation.run(seed, rules);
      if (outcome.violation().isPresent()) {
        TABLE.add("| %s | %d | %s |".formatted(name, seed, outcome.violation().get().invariant()));
        return;
      }
    }
    TABLE.add("| %s | not found in %d | |".formatted(name, SEEDS));
    assertThat(SEEDS).as("seeds within which the rule %s is missed", name).isNegative();
  }

  @AfterAll
  static void printsTheTable() {
    System.out.println("| left out | seeds needed | invariant |\n|---|---|---|");
    TABLE.forEach(System.out::println);
  }
}
