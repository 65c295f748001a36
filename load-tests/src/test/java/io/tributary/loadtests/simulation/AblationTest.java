package io.tributary.loadtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.core.Protection;
import io.tributary.ingest.seal.SealerProtection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is left out must be missed, or the simulation proves nothing about it: within the first
 * {@code -Dsimulation.ablation.seeds} (2,000) seeds an invariant does not hold.
 */
class AblationTest {
  private static final long SEEDS = Long.getLong("simulation.ablation.seeds", 2_000);
  private static final long AT_ONCE = 16;
  private static final List<String> TABLE = new ArrayList<>();

  static Stream<Arguments> rules() {
    return Stream.of(
            Arrays.stream(Protection.values())
                .map(left -> Arguments.of("core " + left, Rules.without(left))),
            Arrays.stream(SealerProtection.values())
                .map(left -> Arguments.of("sealer " + left, Rules.without(left))))
        .flatMap(all -> all);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void withoutTheRuleAnInvariantDoesNotHold(String name, Rules rules) {
    Optional<Simulation.Outcome> found = Optional.empty();
    for (long first = 1; first <= SEEDS && found.isEmpty(); first += AT_ONCE) {
      found =
          LongStream.range(first, first + AT_ONCE)
              .parallel()
              .mapToObj(seed -> Simulation.run(seed, rules))
              .filter(outcome -> outcome.violation().isPresent())
              .findFirst();
    }
    TABLE.add(
        "| `%s` | %s | %s |"
            .formatted(
                name,
                found.map(outcome -> "" + outcome.seed()).orElse("not in " + SEEDS),
                found
                    .flatMap(Simulation.Outcome::violation)
                    .map(violation -> "`" + violation.invariant() + "`")
                    .orElse("")));
    assertThat(found).as("a seed among the first %d that misses the rule", SEEDS).isPresent();
  }

  @AfterAll
  static void printsTheTable() {
    System.out.println("| left out | first seed that misses it | invariant |\n|---|---|---|");
    TABLE.forEach(System.out::println);
  }
}
