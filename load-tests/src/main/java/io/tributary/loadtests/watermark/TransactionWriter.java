package io.tributary.loadtests.watermark;

import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ShardId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One client of a source. A quick one commits a row at a time; a patient one inserts a row, waits
 * for up to some epochs, inserts into another shard, and so on, and then commits.
 */
final class TransactionWriter implements Runnable {
  private static final int QUICK_PAUSE_MILLIS = 60;
  private static final int MOST_PATIENCE_MILLIS = 1_500;
  private static final int MOST_ROWS = 4;

  /** Bits of a row's id that count the writer's rows; those above are the writer's number. */
  private static final int ROW_BITS = 32;

  private final int number;
  private final boolean patient;
  private final int server;
  private final StackEndpoints.MariaDb at;
  private final String database;
  private final List<ShardId> shards;
  private final AtomicBoolean over;
  private final Random random;
  private final List<SourceCommit> commits = new ArrayList<>();

  /**
   * @param number told apart from every other writer's
   * @param shards of the server, which it writes to
   * @param over ends it after its transaction
   */
  TransactionWriter(
      int number,
      boolean patient,
      int server,
      StackEndpoints.MariaDb at,
      String database,
      List<ShardId> shards,
      AtomicBoolean over) {
    this.number = number;
    this.patient = patient;
    this.server = server;
    this.at = at;
    this.database = database;
    this.shards = shards;
    this.over = over;
    this.random = new Random(number);
  }

  /** What it committed; when it has ended. */
  List<SourceCommit> commits() {
    return commits;
  }

  static String table(ShardId shard) {
    return "t_%03d".formatted(shard.value());
  }

  @Override
  public void run() {
    long next = (long) number << ROW_BITS;
    try (Connection connection = at.connect();
        Statement clock = connection.createStatement()) {
      connection.setAutoCommit(false);
      while (!over.get()) {
        List<SourceCommit.RowId> rows = new ArrayList<>();
        int count = patient ? 2 + random.nextInt(MOST_ROWS - 1) : 1;
        for (int i = 0; i < count; i++) {
          SourceCommit.RowId row =
              new SourceCommit.RowId(shards.get(random.nextInt(shards.size())), next++);
          insert(connection, row);
          rows.add(row);
          if (patient) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_PATIENCE_MILLIS));
          }
        }
        connection.commit();
        commits.add(new SourceCommit(server, rows, SteppedClock.read(clock), System.nanoTime()));
        if (!patient) {
          TimeUnit.MILLISECONDS.sleep(random.nextInt(2 * QUICK_PAUSE_MILLIS));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot write to server " + server, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void insert(Connection connection, SourceCommit.RowId row) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO %s.%s VALUES (?, 'x')".formatted(database, table(row.shard())))) {
      insert.setLong(1, row.id());
      insert.executeUpdate();
    }
  }
}
