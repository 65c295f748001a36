package io.tributary.cli.demo.workload;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The changes of one shard: transactions one after the other at a steady rate. */
final class ShardWorkload implements AutoCloseable {
  private static final int MOST_ROWS_PER_TRANSACTION = 12;
  private static final Duration RECONNECT = Duration.ofMillis(500);

  private final ProductShard shard;
  private final boolean outlivesServer;
  private final double perSecond;
  private final AtomicBoolean stop;
  private final Consumer<Commit> journal;
  private final SplittableRandom random;
  private final ProductGenerator generator;
  private volatile ShardSession session;

  /** The keys that are there, in no certain order: any can be picked at once. */
  private long[] keys;

  private int keyCount;
  private long nextKey = 1;
  private Instant since;

  /** What the open transaction has done so far: key, and whether its row is there. */
  private final Map<Long, Boolean> touched = new LinkedHashMap<>();

  private final Counts open = new Counts();
  private final Counts committed = new Counts();
  private long uncertain;
  private Optional<Instant> lastCommit = Optional.empty();
  private volatile long transactions;
  private volatile long changes;

  private static final class Counts {
    private long inserts;
    private long updates;
    private long deletes;
    private long keyUpdates;

    void add(Counts more) {
      inserts += more.inserts;
      updates += more.updates;
      deletes += more.deletes;
      keyUpdates += more.keyUpdates;
    }

    void clear() {
      inserts = 0;
      updates = 0;
      deletes = 0;
      keyUpdates = 0;
    }

    long all() {
      return inserts + updates + deletes + keyUpdates;
    }
  }

  private ShardWorkload(
      ProductShard shard,
      WorkloadConfig config,
      double perSecond,
      AtomicBoolean stop,
      Consumer<Commit> journal) {
    this.shard = shard;
    this.outlivesServer = config.outlivesServers();
    this.perSecond = perSecond;
    this.stop = stop;
    this.journal = journal;
    this.random = new SplittableRandom(config.seed() * 1_000_003 + shard.shard().value());
    this.generator = new ProductGenerator(random.split());
  }

  static ShardWorkload open(
      ProductShard shard,
      WorkloadConfig config,
      double perSecond,
      AtomicBoolean stop,
      Consumer<Commit> journal)
      throws SQLException {
    ShardWorkload workload = new ShardWorkload(shard, config, perSecond, stop, journal);
    workload.connect();
    return workload;
  }

  long transactions() {
    return transactions;
  }

  long changes() {
    return changes;
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
    return new WorkloadSummary(
        transactions,
        committed.inserts,
        committed.updates,
        committed.deletes,
        committed.keyUpdates,
        uncertain,
        lastCommit);
  }

  private void connect() throws SQLException {
    ShardSession fresh = ShardSession.open(shard);
    try {
      keys = fresh.keys();
      since = fresh.serverTime();
      fresh.endRead();
    } catch (SQLException | RuntimeException e) {
      fresh.close();
      throw e;
    }
    keyCount = keys.length;
    // A key that an unconfirmed transaction has used must not come again either.
    nextKey = Math.max(nextKey, keyCount == 0 ? 1 : keys[keyCount - 1] + 1);
    session = fresh;
  }

  private void transaction() throws SQLException {
    touched.clear();
    open.clear();
    Instant begun = since;
    Instant before = null;
    try {
      int rows = random.nextInt(10) == 0 ? random.nextInt(2, MOST_ROWS_PER_TRANSACTION + 1) : 1;
      for (int i = 0; i < rows; i++) {
        change();
      }
      before = session.serverTime();
      session.commit();
      Instant after = session.serverTime();
      session.endRead();
      committed.add(open);
      transactions++;
      changes += open.all();
      lastCommit = Optional.of(after);
      record(begun, before, after, true);
      since = after;
    } catch (SQLException e) {
      if (!outlivesServer) {
        throw e;
      }
      reconnect();
      // Before COMMIT was sent the server has rolled back; afterwards nobody knows.
      if (before != null) {
        uncertain++;
        lastCommit = Optional.of(since);
        record(begun, before, since, false);
      }
    }
  }

  private void record(Instant begun, Instant before, Instant after, boolean certain) {
    List<Commit.RowChange> rows =
        touched.entrySet().stream()
            .map(row -> new Commit.RowChange(row.getKey(), row.getValue()))
            .toList();
    journal.accept(new Commit(shard.shard(), rows, begun, before, after, certain));
  }

  private void reconnect() throws SQLException {
    session.close();
    while (true) {
      try {
        connect();
        return;
      } catch (SQLException e) {
        if (stop.get()) {
          throw e;
        }
        LockSupport.parkNanos(RECONNECT.toNanos());
      }
    }
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
    session.insert(generator.product(key));
    add(key);
    touched.put(key, true);
    open.inserts++;
  }

  private void deleteOne() throws SQLException {
    long key = removeAt(random.nextInt(keyCount));
    session.delete(key);
    touched.put(key, false);
    open.deletes++;
  }

  private void rekeyOne() throws SQLException {
    long from = removeAt(random.nextInt(keyCount));
    long to = nextKey++;
    session.rekey(from, to);
    add(to);
    touched.put(from, false);
    touched.put(to, true);
    open.keyUpdates++;
  }

  private void updateOne(int dice) throws SQLException {
    long key = keys[random.nextInt(keyCount)];
    if (dice < 60) {
      session.reprice(
          key, generator.price(), random.nextInt(4) == 0 ? null : generator.discountRate());
    } else if (dice < 80) {
      session.rewrite(
          key, generator.name(), random.nextInt(5) == 0 ? null : generator.attributes());
    } else {
      session.sell(key, generator.soldAt());
    }
    touched.put(key, true);
    open.updates++;
  }

  private void add(long key) {
    if (keyCount == keys.length) {
      keys = Arrays.copyOf(keys, Math.max(1_024, 2 * keyCount));
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
    ShardSession last = session;
    if (last != null) {
      last.close();
    }
  }
}
