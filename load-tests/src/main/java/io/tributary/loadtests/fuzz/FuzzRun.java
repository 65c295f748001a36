package io.tributary.loadtests.fuzz;

import io.tributary.localstack.StackEndpoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A run: tables of a seed, some at a time.
 *
 * @param seed makes the tables and every statement
 * @param first index of the first table, at least 0
 * @param tables how many, at least 1
 * @param atOnce how many are read at the same time, at least 1
 */
record FuzzRun(long seed, int first, int tables, int atOnce) {
  private static final int TASK_MANAGERS = 2;

  FuzzRun {
    if (first < 0 || tables < 1 || atOnce < 1) {
      throw new IllegalArgumentException(
          "Cannot run: expected a first table not below 0 and at least 1 table, at least 1 at a time; found %d, %d, %d"
              .formatted(first, tables, atOnce));
    }
  }

  /**
   * @param at a stack with MariaDB, Kafka and a metastore
   * @param folder for checkpoints and registries; created if missing
   * @param progress is told each step
   */
  FuzzResult run(StackEndpoints at, Path folder, Consumer<FuzzTally> progress) throws Exception {
    return run(at, folder, progress, table -> {});
  }

  /**
   * @param beforeComparison is told each table that was read to its end, just before it is compared
   */
  FuzzResult run(
      StackEndpoints at, Path folder, Consumer<FuzzTally> progress, FuzzWave.Step beforeComparison)
      throws Exception {
    Files.createDirectories(folder);
    TableGenerator generator;
    try (Connection connection = at.mariaDb(1).connect()) {
      generator = new TableGenerator(seed, Repertoire.of(connection));
    }
    FuzzTally tally = new FuzzTally(seed, first);
    int width = Math.min(atOnce, tables);
    // A job needs at most two slots, and so does what it is restarted with before they are given
    // back; one is the coordinator's.
    int slots = (2 * width + 1 + TASK_MANAGERS - 1) / TASK_MANAGERS + 1;
    try (JobCluster cluster = new JobCluster(folder.resolve("checkpoints"), TASK_MANAGERS, slots)) {
      for (int from = first; from < first + tables; from += width) {
        List<FuzzTable> some =
            IntStream.range(from, Math.min(first + tables, from + width))
                .mapToObj(generator::table)
                .toList();
        try (FuzzWave wave = new FuzzWave(some, at, cluster, folder, tally, beforeComparison)) {
          wave.run();
        }
        progress.accept(tally);
      }
    }
    return tally.result();
  }
}
