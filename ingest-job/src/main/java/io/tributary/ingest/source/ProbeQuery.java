package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Asks one server, over one connection, for a {@link Probe}. */
final class ProbeQuery implements AutoCloseable {
  private final Connection connection;
  private final String identity;
  private final String positionStatement;

  ProbeQuery(Connection connection) throws SQLException {
    this.connection = connection;
    Map<String, String> variables = variables();
    this.identity = identity(variables);
    this.positionStatement = positionStatement(variables.getOrDefault("version", ""));
  }

  /** Which server this is, told apart from every other one. */
  String identity() {
    return identity;
  }

  /**
   * The order is what makes the answer honest: the connection says who the server is, then the
   * clock is read, then the end of the binlog.
   */
  Probe ask() throws SQLException {
    Watermark clock = clock();
    return new Probe(identity, clock, position());
  }

  private Watermark clock() throws SQLException {
    try (Statement statement = connection.createStatement();
        // As text: no driver and no zone may touch it.
        ResultSet rows = statement.executeQuery("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR(26))")) {
      if (!rows.next()) {
        throw new SQLException("Cannot read the server's clock: expected one row, found none");
      }
      LocalDateTime utc = LocalDateTime.parse(rows.getString(1).replace(' ', 'T'));
      return new Watermark(utc.toInstant(ZoneOffset.UTC));
    }
  }

  private SourcePosition position() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(positionStatement)) {
      if (!rows.next()) {
        throw new SQLException(
            "Cannot read the binlog position: expected one row of "
                + positionStatement
                + ", found none; is the binlog on?");
      }
      Optional<String> gtids =
          rows.getMetaData().getColumnCount() > 4
              ? Optional.ofNullable(rows.getString(5))
                  .map(set -> set.replaceAll("\\s", ""))
                  .filter(set -> !set.isEmpty())
              : Optional.empty();
      return new SourcePosition(rows.getString(1), rows.getLong(2), gtids, 0, 0);
    }
  }

  private Map<String, String> variables() throws SQLException {
    Map<String, String> found = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'server_uuid', 'server_id')")) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getString(2));
      }
    }
    return found;
  }

  /**
   * MariaDB has no lasting unique id of its own; its replica id must be unique among its peers, and
   * stays when the server is moved to another port or folder.
   */
  private static String identity(Map<String, String> variables) {
    String uuid = variables.getOrDefault("server_uuid", "");
    return uuid.isBlank() ? "server_id " + variables.get("server_id") : "server_uuid " + uuid;
  }

  private static String positionStatement(String version) {
    if (version.toLowerCase(java.util.Locale.ROOT).contains("mariadb")) {
      return "SHOW MASTER STATUS";
    }
    String[] numbers = version.split("[.-]");
    int major = Integer.parseInt(numbers[0]);
    int minor = Integer.parseInt(numbers[1]);
    return major > 8 || (major == 8 && minor >= 4)
        ? "SHOW BINARY LOG STATUS"
        : "SHOW MASTER STATUS";
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
