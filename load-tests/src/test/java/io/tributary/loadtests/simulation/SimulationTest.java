package io.tributary.loadtests.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Seeds {@code -Dsimulation.first} (1) and following, {@code -Dsimulation.seeds} (10,000) of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SimulationTest {
  private static final long FIRST = Long.getLong("simulation.first", 1);
  private static final long SEEDS = Long.getLong("simulation.seeds", 10_000);

  /** With fewer a rare fault may happen to be missing. */
  private static final long ENOUGH = 10_000;

  private final Tally tally = new Tally();
  private Optional<Simulation.Outcome> failed = Optional.empty();

  @BeforeAll
  void run() {
    long start = System.nanoTime();
    failed =
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
    System.out.println(Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s");
  }

  @Test
  void everyInvariantHoldsOnEverySeed() {
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

  @ParameterizedTest
  @EnumSource(FaultKind.class)
  void everyKindOfFaultHappens(FaultKind kind) {
    assumeThat(tally.seeds()).isGreaterThanOrEqualTo(ENOUGH);
    assertThat(tally.of(kind)).isPositive();
  }

  @ParameterizedTest
  @EnumSource(MatrixLine.class)
  void everyLineOfTheFailureMatrixHappens(MatrixLine line) {
    assumeThat(tally.seeds()).isGreaterThanOrEqualTo(ENOUGH);
    assertThat(tally.of(line)).isPositive();
  }

  @Test
  void aRunIsLongAndHasSeveralFaults() {
    assumeThat(tally.seeds()).isGreaterThanOrEqualTo(ENOUGH);
    assertThat(tally.meanEvents()).isGreaterThanOrEqualTo(500);
    assertThat(tally.meanFaults()).isGreaterThanOrEqualTo(5);
  }

  @Test
  void aSeedAlwaysMakesTheSameRun() {
    for (long seed = FIRST; seed < FIRST + 5; seed++) {
      assertThat(Simulation.replay(seed, Rules.all()).trace())
          .isEqualTo(Simulation.replay(seed, Rules.all()).trace());
    }
  }
}
