package io.tributary.cli.demo.workload;

/**
 * How a workload runs.
 *
 * @param seed the same seed makes the same changes, shard by shard, as long as no server is away
 * @param transactionsPerSecond of all shards together, 1 to 100,000; fewer when the servers are
 *     slower
 * @param outlivesServers whether a server that is gone is waited for; otherwise it ends the
 *     workload
 */
public record WorkloadConfig(long seed, int transactionsPerSecond, boolean outlivesServers) {
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

  /** A workload that ends with its servers. */
  public WorkloadConfig(long seed, int transactionsPerSecond) {
    this(seed, transactionsPerSecond, false);
  }

  /** The same workload, which waits for servers that are gone. */
  public WorkloadConfig thatOutlivesServers() {
    return new WorkloadConfig(seed, transactionsPerSecond, true);
  }
}
