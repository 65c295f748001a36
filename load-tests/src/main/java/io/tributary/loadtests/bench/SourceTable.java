package io.tributary.loadtests.bench;

import io.tributary.localstack.StackEndpoints;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A table of rows to read, the same ones each time.
 *
 * @param name in the database {@link #DATABASE}
 * @param columns 9 or more
 */
record SourceTable(String name, int columns) {
  static final String DATABASE = "bench";

  private static final int NARROW = 9;
  private static final long ROWS_PER_STATEMENT = 20_000;
  private static final int CHANGES_PER_STATEMENT = 500;
  private static final long SEED = 20_261_201;
  private static final int EACH_KIND_OF_100 = 2;

  SourceTable {
    if (columns < NARROW) {
      throw new IllegalArgumentException(
          "Cannot make a table of " + columns + " columns: expected at least " + NARROW);
    }
  }

  /**
   * What was changed.
   *
   * @param updates rows
   * @param inserts rows
   * @param deletes rows
   */
  record Changes(long updates, long inserts, long deletes) {
    long rows() {
      return updates + inserts + deletes;
    }

    /** Rows that have an image after the change. */
    long upserts() {
      return updates + inserts;
    }

    Changes plus(Changes more) {
      return new Changes(updates + more.updates, inserts + more.inserts, deletes + more.deletes);
    }
  }

  private String quoted() {
    return DATABASE + "." + name;
  }

  /** Makes it with rows of the keys 1 to n; nothing of it is in the binlog. */
  void make(StackEndpoints.MariaDb server, long rows) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0");
      statement.execute("CREATE DATABASE IF NOT EXISTS " + DATABASE);
      statement.execute("DROP TABLE IF EXISTS " + quoted());
      statement.execute("CREATE TABLE %s (%s) ENGINE=InnoDB".formatted(quoted(), definition()));
      for (long first = 1; first <= rows; first += ROWS_PER_STATEMENT) {
        statement.execute(insert(first, Math.min(rows, first + ROWS_PER_STATEMENT - 1)));
      }
      statement.execute("ANALYZE NO_WRITE_TO_BINLOG TABLE " + quoted());
    }
  }

  void drop(StackEndpoints.MariaDb server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0");
      statement.execute("DROP TABLE IF EXISTS " + quoted());
    }
  }

  private String insert(long first, long last) {
    return "INSERT INTO %s SELECT %s FROM %s.seq_%d_to_%d"
        .formatted(quoted(), values(), DATABASE, first, last);
  }

  /** A column and its value for the row of key {@code seq}. */
  private record Column(String definition, String value) {}

  private List<Column> all() {
    List<Column> all =
        new ArrayList<>(
            List.of(
                new Column("id BIGINT NOT NULL PRIMARY KEY", "seq"),
                new Column("customer BIGINT NOT NULL", "seq * 7919 % 1000003"),
                new Column("name VARCHAR(60) NOT NULL", "CONCAT('customer ', seq % 5000)"),
                new Column("note VARCHAR(200)", "CONCAT(MD5(seq), ' ', MD5(seq + 1))"),
                new Column("price DECIMAL(12,2) NOT NULL", "seq % 100000 / 7"),
                new Column("quantity INT NOT NULL", "seq % 97"),
                new Column("weight DOUBLE", "seq / 3"),
                new Column(
                    "created DATETIME(3) NOT NULL",
                    "'2024-01-01 00:00:00' + INTERVAL seq % 31536000 SECOND"),
                new Column(
                    "updated TIMESTAMP NULL",
                    "'2025-01-01 00:00:00' + INTERVAL seq % 31536000 SECOND")));
    for (int i = all.size() + 1; i <= columns; i++) {
      all.add(
          switch (i % 5) {
            case 0 -> new Column("c" + i + " BIGINT", "seq * " + i);
            case 1 -> new Column("c" + i + " INT", "seq % " + (i * 1_000));
            case 2 -> new Column("c" + i + " VARCHAR(40)", "CONCAT('value ', seq % " + i + ")");
            case 3 -> new Column("c" + i + " DECIMAL(10,2)", "seq % 10000 / " + i);
            default ->
                new Column(
                    "c" + i + " DATETIME", "'2024-01-01 00:00:00' + INTERVAL seq % 86400 MINUTE");
          });
    }
    return all;
  }

  private String definition() {
    return all().stream().map(Column::definition).collect(Collectors.joining(", "));
  }

  private String values() {
    return all().stream().map(Column::value).collect(Collectors.joining(", "));
  }

  /**
   * Changes rows at random, the same ones each time: 96 of 100 are updates, the others inserts and
   * deletes in equal parts. Each statement is a transaction.
   *
   * @param keys the keys from 1 on that there are, or were
   * @param least how many changes to make; a few more are made
   */
  Changes change(StackEndpoints.MariaDb server, long keys, long least) throws SQLException {
    SplittableRandom random = new SplittableRandom(SEED);
    Changes done = new Changes(0, 0, 0);
    long next = keys + 1;
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      while (done.rows() < least) {
        int size = (int) Math.min(CHANGES_PER_STATEMENT, least);
        long updates =
            statement.executeUpdate(
                "UPDATE %s SET quantity = quantity + 1, updated = updated + INTERVAL 1 SECOND WHERE id IN (%s)"
                    .formatted(quoted(), some(random, next, size)));
        // In step with the updates, so that the parts stay as they are however many those hit.
        int others = (int) Math.max(1, Math.round(updates * EACH_KIND_OF_100 / 96.0));
        long inserts = statement.executeUpdate(insert(next, next + others - 1));
        next += others;
        long deletes =
            statement.executeUpdate(
                "DELETE FROM %s WHERE id IN (%s)".formatted(quoted(), some(random, next, others)));
        done = done.plus(new Changes(updates, inserts, deletes));
      }
    }
    return done;
  }

  /** Updates every row once, from key 1 to n, in their order. */
  void changeEach(StackEndpoints.MariaDb server, long rows) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (long first = 1; first <= rows; first += ROWS_PER_STATEMENT) {
        statement.executeUpdate(
            "UPDATE %s SET quantity = quantity + 1 WHERE id BETWEEN %d AND %d"
                .formatted(quoted(), first, Math.min(rows, first + ROWS_PER_STATEMENT - 1)));
      }
    }
  }

  private static String some(SplittableRandom random, long end, int count) {
    return LongStream.generate(() -> random.nextLong(1, end))
        .limit(count)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }
}
