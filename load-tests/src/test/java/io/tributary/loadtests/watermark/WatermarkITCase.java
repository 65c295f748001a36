package io.tributary.loadtests.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * At no announced time a transaction is missing that its source committed before it, whatever its
 * length and whatever happens to the servers' clocks; {@code bin/tributary watermark} runs longer.
 */
class WatermarkITCase {
  /** Each kind of step on each server. */
  private static final int STEPS = 10;

  @Test
  void everythingCommittedBeforeAnAnnouncedTimeIsInItsSnapshotWhateverTheClocksDo()
      throws Exception {
    check(0, new ClockPlan(Duration.ofSeconds(3), Duration.ofSeconds(2)));
  }

  @Tag("long")
  @Test
  void alsoInTenThousandPairsOfShardAndMessage() throws Exception {
    check(10_000, new ClockPlan(Duration.ofSeconds(15), Duration.ofSeconds(4)));
  }

  private static void check(long pairs, ClockPlan plan) throws Exception {
    Optional<Path> library = SteppedClock.library(Path.of(".."));
    Assumptions.assumeTrue(
        library.isPresent(), "No libfaketime: expected it in ../.servers; .ci/servers fetches it");
    try (WatermarkRun run =
        new WatermarkRun(library.get(), Path.of("target", "watermark"), System.out::println)) {
      WatermarkResult result = run.run(pairs, STEPS, plan);
      System.out.println(result);
      assertThat(result.violations()).isEmpty();
      assertThat(result.missing() + result.wrongTimes()).isZero();
      assertThat(result.checked())
          .as("transactions that a watermark has spoken for")
          .isEqualTo(result.transactions() - result.farAhead());
      assertThat(result.repeatedTimes()).as("committed at times shown again").isPositive();
      assertThat(result.farAhead()).as("committed by a clock an hour ahead").isPositive();
      assertThat(result.stepsBack()).isEqualTo(result.stepsForward());
      assertThat(result.pairs()).isGreaterThan(Math.max(pairs, 100));
    }
  }
}
