package io.tributary.ingest.source;

import com.mysql.cj.jdbc.Driver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Opens plain JDBC connections to a source, in the process that uses them. */
final class ServerSession {
  private static final String CONNECT_TIMEOUT_MILLIS = "5000";
  private static final String SOCKET_TIMEOUT_MILLIS = "20000";

  private ServerSession() {}

  /**
   * A connection whose session runs in UTC.
   *
   * @throws SQLException when the server cannot be reached or refuses the user
   */
  static Connection open(SourceSpec.Connection server) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("connectTimeout", CONNECT_TIMEOUT_MILLIS);
    properties.setProperty("socketTimeout", SOCKET_TIMEOUT_MILLIS);
    properties.putAll(server.jdbcProperties().resolve());
    properties.setProperty("user", server.username());
    properties.setProperty("password", server.password().resolve());
    exactSession(properties);
    // Not through DriverManager: it looks for drivers in the caller's class loader only.
    return new Driver()
        .connect("jdbc:mysql://" + server.hostname() + ":" + server.port() + "/", properties);
  }

  /**
   * What every session of ours needs to see values as they are. UTC, so that a moment is never seen
   * through the server's zone, in which an hour of autumn exists twice. No SQL mode: some pad CHAR
   * values or quote names in another way.
   */
  static void exactSession(Properties properties) {
    properties.setProperty("connectionTimeZone", "UTC");
    properties.setProperty("forceConnectionTimeZoneToSession", "true");
    String named = properties.getProperty("sessionVariables");
    properties.setProperty("sessionVariables", (named == null ? "" : named + ",") + "sql_mode=''");
  }
}
