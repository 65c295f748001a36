package io.tributary.cli.demo.workload;

/**
 * How a workload runs.
 *
 * @param seed the same seed makes the same changes, shard by shard
 * @param transactionsPerSecond of all shards together, 1 to 100,000; fewer when the servers are
 *     slower
 */
public record WorkloadConfig(long seed, int transactionsPerSecond) {
  private static final int MOST = 100_000;

  /**
   * @throws IllegalArgumentException when the rate is out of its range
   */
  public WorkloadConfig {
    if (transactionsPerSecond < 1 || transactionsPerSecond > MOST) {
      throw new IllegalArgumentException(
          "Cannot run a workload: expected 1 to %d transactions per second, found %d"
              .formatted(MOST, transactionsPerSecond));
    }
  }
}
