package io.tributary.loadtests.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.localstack.LocalStack;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Twenty random tables in every build; {@code bin/tributary fuzz} makes more. */
class FuzzITCase {
  private static final int TABLES = 20;
  private static final int AT_ONCE = 10;

  /** Both are settable, to look at a failure again. */
  private static final long SEED = Long.getLong("fuzz.seed", 20_261_130);

  private static final int FIRST = Integer.getInteger("fuzz.first", 0);

  @TempDir Path folder;

  @Test
  void randomTablesArriveUnchangedAcrossDeathsAndRestarts() throws Exception {
    try (LocalStack stack =
        FuzzCommand.stack(Path.of("target", "fuzz-stack"), System.out::println)) {
      FuzzResult result =
          new FuzzRun(SEED, FIRST, TABLES, AT_ONCE)
              .run(
                  stack.endpoints(),
                  folder,
                  tally ->
                      System.out.printf("%d tables, %.0f s%n", tally.tables(), tally.seconds()));
      System.out.println(result);
      assertThat(result.failures()).isEmpty();
      assertThat(result.tables()).isEqualTo(TABLES);
      assertThat(result.rows()).as("rows compared").isPositive();
      assertThat(result.statements())
          .as("statements that the server carried out")
          .isGreaterThan(result.refusedStatements());
      assertThat(result.copying() + result.following())
          .as("tables whose TaskManager was ended")
          .isEqualTo(TABLES - result.refusals());
    }
  }
}
