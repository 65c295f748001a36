package io.tributary.loadtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Seeds {@code -Dsimulation.first} (1) and following, {@code -Dsimulation.seeds} (10,000) of them.
 */
@Tag("long")
class SimulationTest {
  private static final long FIRST = Long.getLong("simulation.first", 1);
  private static final long SEEDS = Long.getLong("simulation.seeds", 10_000);

  @Test
  void everyInvariantHoldsOnEverySeed() {
    Tally tally = new Tally();
    Optional<Simulation.Outcome> failed =
        LongStream.range(FIRST, FIRST + SEEDS)
            .parallel()
            .mapToObj(
                seed -> {
                  Simulation.Outcome outcome = Simulation.run(seed, Rules.all());
                  tally.add(outcome.tally());
                  return outcome;
                })
            .filter(outcome -> outcome.violation().isPresent())
            .findAny();
    System.out.println(tally.report());
    failed.ifPresent(
        outcome -> {
          Simulation.Outcome again = Simulation.replay(outcome.seed(), Rules.all());
          throw new AssertionError(
              "seed %d: %s%n%s"
                  .formatted(
                      outcome.seed(),
                      outcome.violation().get().getMessage(),
                      String.join("\n", again.trace())),
              outcome.violation().get());
        });
    assertThat(tally.seeds()).isEqualTo(SEEDS);
  }
}
