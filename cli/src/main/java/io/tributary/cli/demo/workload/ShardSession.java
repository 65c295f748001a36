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

/** One connection of a shard's workload: its statements, and transactions by hand. */
final class ShardSession implements AutoCloseable {
  private final Connection connection;
  private final String table;
  private final PreparedStatement insert;
  private final PreparedStatement reprice;
  private final PreparedStatement rewrite;
  private final PreparedStatement sell;
  private final PreparedStatement delete;
  private final PreparedStatement rekey;
  private final PreparedStatement clock;

  private ShardSession(ProductShard shard, Connection connection) throws SQLException {
    this.connection = connection;
    this.table = shard.quotedName();
    this.insert = connection.prepareStatement(Product.insertInto(table));
    // The time is set by hand: the server's own rule leaves it where the new values are the old.
    this.reprice =
        connection.prepareStatement(
            "UPDATE "
                + table
                + " SET price = ?, discount_rate = ?, updated_at = CURRENT_TIMESTAMP(6)"
                + " WHERE product_id = ?");
    this.rewrite =
        connection.prepareStatement(
            "UPDATE "
                + table
                + " SET name = ?, attributes = ?, updated_at = CURRENT_TIMESTAMP(6)"
                + " WHERE product_id = ?");
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
    connection.setAutoCommit(false);
  }

  static ShardSession open(ProductShard shard) throws SQLException {
    Connection connection = shard.server().connect();
    try {
      return new ShardSession(shard, connection);
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The keys that are there, ascending. */
  long[] keys() throws SQLException {
    long[] keys = new long[1_024];
    int count = 0;
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT product_id FROM " + table + " ORDER BY product_id")) {
      while (result.next()) {
        if (count == keys.length) {
          keys = Arrays.copyOf(keys, 2 * count);
        }
        keys[count++] = result.getLong(1);
      }
    }
    endRead();
    return Arrays.copyOf(keys, count);
  }

  /** The server's time; outside of a transaction, {@link #endRead} must follow. */
  Instant serverTime() throws SQLException {
    try (ResultSet result = clock.executeQuery()) {
      result.next();
      return LocalDateTime.parse(result.getString(1).replace(' ', 'T')).toInstant(ZoneOffset.UTC);
    }
  }

  /** Ends the transaction that a query has opened: it must not hold a read view. */
  void endRead() throws SQLException {
    connection.rollback();
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void insert(Product product) throws SQLException {
    product.bind(insert);
    insert.executeUpdate();
  }

  void reprice(long key, String price, String discountRate) throws SQLException {
    reprice.setString(1, price);
    reprice.setString(2, discountRate);
    reprice.setLong(3, key);
    reprice.executeUpdate();
  }

  void rewrite(long key, String name, String attributes) throws SQLException {
    rewrite.setString(1, name);
    rewrite.setString(2, attributes);
    rewrite.setLong(3, key);
    rewrite.executeUpdate();
  }

  void sell(long key, String at) throws SQLException {
    sell.setString(1, at);
    sell.setLong(2, key);
    sell.executeUpdate();
  }

  void delete(long key) throws SQLException {
    delete.setLong(1, key);
    delete.executeUpdate();
  }

  void rekey(long from, long to) throws SQLException {
    rekey.setLong(1, to);
    rekey.setLong(2, from);
    rekey.executeUpdate();
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
