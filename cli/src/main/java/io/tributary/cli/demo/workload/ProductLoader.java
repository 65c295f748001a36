package io.tributary.cli.demo.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/** Makes the catalogue's tables and fills them, all shards at once. */
public final class ProductLoader {
  private static final int ROWS_PER_BATCH = 1_000;
  private static final int BATCHES_PER_COMMIT = 10;

  private final List<ProductShard> shards;
  private final long seed;

  /**
   * @param seed the same seed makes the same rows
   */
  public ProductLoader(List<ProductShard> shards, long seed) {
    this.shards = List.copyOf(shards);
    this.seed = seed;
  }

  /**
   * Makes each shard's table anew, empty; one that is there is dropped.
   *
   * @throws SQLException when a server refuses
   */
  public void createTables() throws SQLException {
    for (ProductShard shard : shards) {
      try (Connection connection = shard.server().connect();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE IF NOT EXISTS `" + shard.database() + "`");
        statement.execute("DROP TABLE IF EXISTS " + shard.quotedName());
        statement.execute("CREATE TABLE " + shard.quotedName() + " " + Product.CREATE_COLUMNS);
      }
    }
  }

  /**
   * Whether every shard's table is there already.
   *
   * @throws SQLException when a server refuses
   */
  public boolean tablesExist() throws SQLException {
    for (ProductShard shard : shards) {
      try (Connection connection = shard.server().connect();
          PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME ="
                      + " ?")) {
        statement.setString(1, shard.database());
        statement.setString(2, shard.table());
        try (ResultSet result = statement.executeQuery()) {
          if (!result.next()) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /**
   * Fills the tables with rows of the keys 1 to n.
   *
   * @param rows number of rows of all shards together, at least 0
   * @param progress told the number of rows loaded by each batch, from several threads
   * @throws SQLException when a server refuses
   * @throws InterruptedException when this thread is interrupted; the loading stops
   */
  public void load(long rows, LongConsumer progress) throws SQLException, InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(shards.size());
    try {
      List<Callable<Void>> tasks =
          java.util.stream.IntStream.range(0, shards.size())
              .<Callable<Void>>mapToObj(
                  index ->
                      () -> {
                        long share = rows / shards.size() + (index < rows % shards.size() ? 1 : 0);
                        loadShard(shards.get(index), share, progress);
                        return null;
                      })
              .toList();
      for (Future<Void> done : executor.invokeAll(tasks)) {
        try {
          done.get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof SQLException failure) {
            throw failure;
          }
          throw new IllegalStateException(e.getCause());
        }
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private void loadShard(ProductShard shard, long rows, LongConsumer progress) throws SQLException {
    ProductGenerator generator =
        new ProductGenerator(new SplittableRandom(seed * 1_000 + shard.shard().value()));
    try (Connection connection =
            shard
                .server()
                .connect(
                    Map.of("rewriteBatchedStatements", "true", "useServerPrepStmts", "false"));
        PreparedStatement insert =
            connection.prepareStatement(Product.insertInto(shard.quotedName()))) {
      connection.setAutoCommit(false);
      int pending = 0;
      int batches = 0;
      for (long id = 1; id <= rows; id++) {
        generator.product(id).bind(insert);
        insert.addBatch();
        if (++pending == ROWS_PER_BATCH || id == rows) {
          if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("Cannot load " + shard.table() + ": interrupted");
          }
          insert.executeBatch();
          progress.accept(pending);
          pending = 0;
          if (++batches % BATCHES_PER_COMMIT == 0) {
            connection.commit();
          }
        }
      }
      connection.commit();
    }
  }
}
