package io.tributary.cli.demo.workload;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Keeps changing the catalogue: one thread and one connection per shard, so that each shard's
 * changes depend on the seed alone.
 */
public final class LiveWorkload implements AutoCloseable {
  private final List<ShardWorkload> shards = new ArrayList<>();
  private final List<Future<WorkloadSummary>> running = new ArrayList<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final ExecutorService executor;

  private LiveWorkload(int threads) {
    executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "workload");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts changing the shards' rows; new rows get keys above those that are there.
   *
   * @param journal told of each commit, from several threads; must be quick
   * @throws SQLException when a shard cannot be reached
   */
  public static LiveWorkload start(
      List<ProductShard> shards, WorkloadConfig config, Consumer<Commit> journal)
      throws SQLException {
    LiveWorkload workload = new LiveWorkload(shards.size());
    try {
      double perShard = (double) config.transactionsPerSecond() / shards.size();
      for (ProductShard shard : shards) {
        workload.shards.add(ShardWorkload.open(shard, config, perShard, workload.stop, journal));
      }
    } catch (SQLException | RuntimeException e) {
      workload.close();
      throw e;
    }
    for (ShardWorkload shard : workload.shards) {
      workload.running.add(workload.executor.submit(shard::run));
    }
    return workload;
  }

  /** Transactions committed so far. */
  public long transactions() {
    return shards.stream().mapToLong(ShardWorkload::transactions).sum();
  }

  /** Changes of rows committed so far; a changed key counts once. */
  public long changes() {
    return shards.stream().mapToLong(ShardWorkload::changes).sum();
  }

  /**
   * Lets every shard finish its transaction, and tells what was done. The last commit's time lies
   * after every commit, so that a watermark past it covers them all.
   *
   * @throws SQLException when a shard's workload had failed
   * @throws InterruptedException when this thread is interrupted while it waits
   */
  public WorkloadSummary stop() throws SQLException, InterruptedException {
    stop.set(true);
    WorkloadSummary all = WorkloadSummary.NONE;
    try {
      for (Future<WorkloadSummary> shard : running) {
        try {
          all = all.plus(shard.get());
        } catch (ExecutionException e) {
          if (e.getCause() instanceof SQLException failure) {
            throw failure;
          }
          throw new IllegalStateException(
              "Cannot finish the workload: expected no failure, found " + e.getCause(),
              e.getCause());
        }
      }
      return all;
    } finally {
      close();
    }
  }

  /** Stops without waiting for an orderly end. */
  @Override
  public void close() {
    stop.set(true);
    executor.shutdownNow();
    shards.forEach(ShardWorkload::close);
  }
}
