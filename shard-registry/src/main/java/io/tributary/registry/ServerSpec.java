package io.tributary.registry;

import io.tributary.protocol.ServerName;
import java.time.ZoneId;
import java.util.Objects;
import java.util.Optional;

/**
 * One MySQL server.
 *
 * @param name its name in the registry, stable for the life of the tables it feeds
 * @param hostname host name or address
 * @param port 1 to 65535
 * @param username the user that reads the binlog
 * @param password where the user's password is kept
 * @param serverTimeZone the server's time zone as the operator knows it; only compared with the
 *     server's own by {@code registry check}, since times are read without any zone
 * @param jdbcProperties properties of the JDBC driver under their own names
 */
public record ServerSpec(
    ServerName name,
    String hostname,
    int port,
    String username,
    SecretRef password,
    Optional<ZoneId> serverTimeZone,
    PassThroughProperties jdbcProperties) {
  /** MySQL's own port. */
  public static final int DEFAULT_PORT = 3306;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public ServerSpec {
    Objects.requireNonNull(name, "name");
    Checks.text("host name of server " + name, hostname);
    Checks.between("port of server " + name, port, 1, 65_535);
    Checks.text("user name of server " + name, username);
    Objects.requireNonNull(password, "password");
    Objects.requireNonNull(serverTimeZone, "serverTimeZone");
    Objects.requireNonNull(jdbcProperties, "jdbcProperties");
  }
}
