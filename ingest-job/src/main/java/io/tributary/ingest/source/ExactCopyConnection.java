package io.tributary.ingest.source;

import io.debezium.connector.mysql.MySqlConnection;
import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.stream.Collectors;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;

/**
 * The connection of a copy that reads every value exactly. A server prints single-precision numbers
 * with six digits, and all of them when they are widened to double precision; the driver and the
 * connector take the year 0 for 2000. The connector's scan names no columns, so the columns are put
 * in where it prepares its statement.
 */
final class ExactCopyConnection extends MySqlConnection {
  private static final String ALL_COLUMNS = "SELECT * FROM ";

  private final String columns;

  /** By place in the result, the first 0. */
  private final boolean[] bits;

  private Connection plain;
  private Connection exact;

  private ExactCopyConnection(MySqlConnectionConfiguration configuration, RowLayout layout) {
    super(configuration);
    this.columns =
        layout.columns().stream()
            .map(ExactCopyConnection::exactly)
            .collect(Collectors.joining(", "));
    this.bits = new boolean[layout.columns().size()];
    for (int i = 0; i < bits.length; i++) {
      // One byte has no order.
      bits[i] = layout.columns().get(i).sourceType().matches("bit\\((9|[1-6][0-9])\\).*");
    }
  }

  private static String exactly(RowLayout.Column column) {
    String name = "`" + column.name().replace("`", "``") + "`";
    if (column.type().kind() == ColumnType.Kind.FLOAT) {
      return name + " + 0e0 AS " + name;
    }
    if (column.sourceType().startsWith("double(")) {
      // The server cuts the text of these to the declared digits, but keeps more.
      return name + " + 0e0 AS " + name;
    }
    if (column.readAsText()) {
      return "CAST(" + name + " AS CHAR) AS " + name;
    }
    if (!column.characterSet().isEmpty()) {
      // As in the binlog: the character set's own bytes, which are decoded in one place.
      return "CAST(" + name + " AS BINARY) AS " + name;
    }
    // 1900, which no YEAR column can hold, is also what stands for 0 in the binlog.
    return column.sourceType().startsWith("year")
        ? "IF(" + name + " = 0, 1900, " + name + " + 0) AS " + name
        : name;
  }

  static MySqlConnection open(MySqlSourceConfig config, RowLayout layout) {
    return new ExactCopyConnection(
        new MySqlConnectionConfiguration(config.getDbzConfiguration(), config.getJdbcProperties()),
        layout);
  }

  @Override
  public synchronized Connection connection(boolean executeOnConnect) throws SQLException {
    Connection now = super.connection(executeOnConnect);
    if (now != plain) {
      plain = now;
      exact = exact(now);
    }
    return exact;
  }

  private Connection exact(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("prepareStatement")
              && arguments[0] instanceof String sql
              && sql.startsWith(ALL_COLUMNS)) {
            arguments[0] = "SELECT " + columns + " FROM " + sql.substring(ALL_COLUMNS.length());
            Object statement = invoke(connection, method, arguments);
            return holdsBits() ? exact((PreparedStatement) statement) : statement;
          }
          return invoke(connection, method, arguments);
        });
  }

  private boolean holdsBits() {
    for (boolean bit : bits) {
      if (bit) {
        return true;
      }
    }
    return false;
  }

  /**
   * Bits come as in the binlog, as a set. The reader turns the bytes of others round where they
   * are, once for a record's key and once for its value: in a key they would come as they were.
   */
  private PreparedStatement exact(PreparedStatement statement) {
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          Object result = invoke(statement, method, arguments);
          return result instanceof ResultSet rows ? exact(rows) : result;
        });
  }

  private ResultSet exact(ResultSet rows) {
    return proxy(
        ResultSet.class,
        (proxy, method, arguments) -> {
          Object result = invoke(rows, method, arguments);
          return result instanceof byte[] highestFirst
                  && method.getName().equals("getObject")
                  && arguments.length == 1
                  && arguments[0] instanceof Integer place
                  && bits[place - 1]
              ? set(highestFirst)
              : result;
        });
  }

  private static BitSet set(byte[] highestFirst) {
    byte[] lowestFirst = new byte[highestFirst.length];
    for (int i = 0; i < lowestFirst.length; i++) {
      lowestFirst[i] = highestFirst[lowestFirst.length - 1 - i];
    }
    return BitSet.valueOf(lowestFirst);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            ExactCopyConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
