package io.tributary.cli.demo.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The changes of one shard: transactions one after the other at a steady rate. */
final class ShardWorkload implements AutoCloseable {
  private static final int MOST_ROWS_PER_TRANSACTION = 12;

  private final ProductShard shard;
  private final Connection connection;
  private final double perSecond;
  private final AtomicBoolean stop;
  private final Consumer<Commit> journal;
  private final SplittableRandom random;
  private final ProductGenerator generator;
  private final PreparedStatement insert;
  private final PreparedStatement reprice;
  private final PreparedStatement rewrite;
  private final PreparedStatement sell;
  private final PreparedStatement delete;
  private final PreparedStatement rekey;
  private final PreparedStatement clock;

  /** The keys that are there, in no certain order: any can be picked at once. */
  private long[] keys;

  private int keyCount;
  private long nextKey;
  private long lastKey;
  private long inserts;
  private long updates;
  private long deletes;
  private long keyUpdates;
  private Optional<Instant> lastCommit = Optional.empty();
  private volatile long transactions;

  private ShardWorkload(
      ProductShard shard,
      Connection connection,
      long seed,
      double perSecond,
      AtomicBoolean stop,
      Consumer<Commit> journal)
      throws SQLException {
    this.shard = shard;
    this.connection = connection;
    this.perSecond = perSecond;
    this.stop = stop;
    this.journal = journal;
    this.random = new SplittableRandom(seed * 1_000_003 + shard.shard().value());
    this.generator = new ProductGenerator(random.split());
    String table = shard.quotedName();
    this.insert = connection.prepareStatement(Product.insertInto(table));
    this.reprice =
        connection.prepareStatement(
            "UPDATE " + table + " SET price = ?, discount_rate = ? WHERE product_id = ?");
    this.rewrite =
        connection.prepareStatement(
            "UPDATE " + table + " SET name = ?, attributes = ? WHERE product_id = ?");
    this.sell =
        connection.prepareStatement(
            "UPDATE "
                + table
                + " SET stock = IF(stock > 0, stock - 1, 500),"
                + " last_sold_at = ? WHERE product_id = ?");
    this.delete = connection.prepareStatement("DELETE FROM " + table + " WHERE product_id = ?");
    this.rekey =
        connection.prepareStatement("UPDATE " + table + " SET product_id = ? WHERE product_id = ?");
    this.clock = connection.prepareStatement("SELECT CAST(SYSDATE(6) AS CHAR)");
    readKeys();
    connection.setAutoCommit(false);
  }

  static ShardWorkload open(
      ProductShard shard, long seed, double perSecond, AtomicBoolean stop, Consumer<Commit> journal)
      throws SQLException {
    Connection connection = shard.server().connect();
    try {
      return new ShardWorkload(shard, connection, seed, perSecond, stop, journal);
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  long transactions() {
    return transactions;
  }

  WorkloadSummary run() throws SQLException {
    long start = System.nanoTime();
    long due = 0;
    while (!stop.get()) {
      long wait = start + (long) (due * 1e9 / perSecond) - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(Math.min(wait, TimeUnit.MILLISECONDS.toNanos(100)));
        continue;
      }
      due++;
      transaction();
    }
    return new WorkloadSummary(transactions, inserts, updates, deletes, keyUpdates, lastCommit);
  }

  private void transaction() throws SQLException {
    int rows = random.nextInt(10) == 0 ? random.nextInt(2, MOST_ROWS_PER_TRANSACTION + 1) : 1;
    for (int i = 0; i < rows; i++) {
      change();
    }
    Instant before = serverTime();
    connection.commit();
    Instant after = serverTime();
    // The clock query opened a transaction; it must not hold a read view.
    connection.rollback();
    transactions++;
    lastCommit = Optional.of(after);
    journal.accept(new Commit(shard.shard(), lastKey, before, after));
  }

  private void change() throws SQLException {
    int dice = random.nextInt(100);
    if (dice < 25 || keyCount == 0) {
      insertOne();
    } else if (dice < 35) {
      deleteOne();
    } else if (dice < 40) {
      rekeyOne();
    } else {
      updateOne(dice);
    }
  }

  private void insertOne() throws SQLException {
    long key = nextKey++;
    generator.product(key).bind(insert);
    insert.executeUpdate();
    add(key);
    lastKey = key;
    inserts++;
  }

  private void deleteOne() throws SQLException {
    long key = removeAt(random.nextInt(keyCount));
    delete.setLong(1, key);
    delete.executeUpdate();
    lastKey = key;
    deletes++;
  }

  private void rekeyOne() throws SQLException {
    long from = removeAt(random.nextInt(keyCount));
    long to = nextKey++;
    rekey.setLong(1, to);
    rekey.setLong(2, from);
    rekey.executeUpdate();
    add(to);
    lastKey = to;
    keyUpdates++;
  }

  private void updateOne(int dice) throws SQLException {
    long key = keys[random.nextInt(keyCount)];
    if (dice < 60) {
      reprice.setString(1, generator.price());
      reprice.setString(2, random.nextInt(4) == 0 ? null : generator.discountRate());
      reprice.setLong(3, key);
      reprice.executeUpdate();
    } else if (dice < 80) {
      rewrite.setString(1, generator.name());
      rewrite.setString(2, random.nextInt(5) == 0 ? null : generator.attributes());
      rewrite.setLong(3, key);
      rewrite.executeUpdate();
    } else {
      sell.setString(1, generator.soldAt());
      sell.setLong(2, key);
      sell.executeUpdate();
    }
    lastKey = key;
    updates++;
  }

  private Instant serverTime() throws SQLException {
    try (ResultSet result = clock.executeQuery()) {
      result.next();
      return LocalDateTime.parse(result.getString(1).replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }
  }

  private void readKeys() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT product_id FROM " + shard.quotedName() + " ORDER BY product_id")) {
      keys = new long[1_024];
      while (result.next()) {
        add(result.getLong(1));
      }
    }
    nextKey = keyCount == 0 ? 1 : keys[keyCount - 1] + 1;
  }

  private void add(long key) {
    if (keyCount == keys.length) {
      keys = Arrays.copyOf(keys, 2 * keyCount);
    }
    keys[keyCount++] = key;
  }

  private long removeAt(int index) {
    long key = keys[index];
    keys[index] = keys[--keyCount];
    return key;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // Nothing is lost: what was not committed was not promised.
      return;
    }
  }
}
