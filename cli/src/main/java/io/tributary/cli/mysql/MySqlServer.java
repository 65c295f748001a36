package io.tributary.cli.mysql;

import io.tributary.cli.verify.SourceServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * How to reach one MySQL server. The password is read anew for each connection and never kept.
 *
 * @param hostname host name or address
 * @param port 1 to 65535
 * @param username the user to log in as
 * @param password gives the password
 * @param properties of the JDBC driver, under its own names; they win over ours
 */
public record MySqlServer(
    String hostname,
    int port,
    String username,
    Supplier<String> password,
    Map<String, String> properties)
    implements SourceServer {
  public MySqlServer {
    Objects.requireNonNull(hostname, "hostname");
    Objects.requireNonNull(username, "username");
    Objects.requireNonNull(password, "password");
    properties = Map.copyOf(properties);
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(Map.of());
  }

  /**
   * @param more properties of the JDBC driver for this connection
   */
  public Connection connect(Map<String, String> more) throws SQLException {
    Properties all = new Properties();
    all.setProperty("characterEncoding", "UTF-8");
    all.setProperty("connectionTimeZone", "UTC");
    all.setProperty("forceConnectionTimeZoneToSession", "true");
    all.setProperty("connectTimeout", "10000");
    all.setProperty("sslMode", "PREFERRED");
    all.setProperty("allowPublicKeyRetrieval", "true");
    all.putAll(properties);
    all.putAll(more);
    all.setProperty("user", username);
    // The password goes beside the URL, never into it: drivers print URLs.
    all.setProperty("password", password.get());
    return DriverManager.getConnection("jdbc:mysql://" + hostname + ":" + port + "/", all);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return username + "@" + hostname + ":" + port;
  }
}
