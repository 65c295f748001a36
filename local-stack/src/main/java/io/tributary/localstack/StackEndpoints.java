package io.tributary.localstack;

import io.tributary.localstack.proxy.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/**
 * Where the services of a stack answer. An accessor of a service that the stack does not run
 * throws.
 */
public final class StackEndpoints {

  private final List<MariaDb> mariaDb;
  private final String kafkaBootstrapServers;
  private final String zooKeeper;
  private final String metastoreUri;
  private final URI warehouse;
  private final Flink flink;

  /**
   * @param mariaDb the MariaDB servers, empty when there are none
   * @param kafkaBootstrapServers host:port, or null
   * @param zooKeeper host:port, or null
   * @param metastoreUri thrift://host:port, or null
   * @param warehouse the metastore's warehouse folder, or null
   * @param flink the Flink cluster, or null
   */
  StackEndpoints(
      List<MariaDb> mariaDb,
      String kafkaBootstrapServers,
      String zooKeeper,
      String metastoreUri,
      URI warehouse,
      Flink flink) {
    this.mariaDb = List.copyOf(mariaDb);
    this.kafkaBootstrapServers = kafkaBootstrapServers;
    this.zooKeeper = zooKeeper;
    this.metastoreUri = metastoreUri;
    this.warehouse = warehouse;
    this.flink = flink;
  }

  public List<MariaDb> mariaDb() {
    if (mariaDb.isEmpty()) {
      throw missing(Service.MARIADB);
    }
    return mariaDb;
  }

  /** The MariaDB server with this number, from 1. */
  public MariaDb mariaDb(int number) {
    if (number < 1 || number > mariaDb().size()) {
      throw new IllegalArgumentException(
          "Cannot give a MariaDB server: expected a number from 1 to %d, found %d"
              .formatted(mariaDb.size(), number));
    }
    return mariaDb.get(number - 1);
  }

  /** Kafka's bootstrap servers as host:port. */
  public String kafkaBootstrapServers() {
    return required(Service.KAFKA, kafkaBootstrapServers);
  }

  /** ZooKeeper's connect string as host:port, without a chroot. */
  public String zooKeeper() {
    return required(Service.ZOOKEEPER, zooKeeper);
  }

  /** The Hive metastore as thrift://host:port. */
  public String metastoreUri() {
    return required(Service.METASTORE, metastoreUri);
  }

  /** The folder that holds the metastore's tables, as a file URI without a slash at its end. */
  public URI warehouse() {
    return required(Service.METASTORE, warehouse);
  }

  public Flink flink() {
    return required(Service.FLINK, flink);
  }

  /**
   * The same services as clients reach them that come by proxies, and those without one as they
   * are.
   *
   * @param proxies by the name of the process that each stands in front of, see {@link
   *     LocalStack#openProxy}; not Flink's
   */
  public StackEndpoints through(Map<String, FaultProxy> proxies) {
    return new StackEndpoints(
        mariaDb.stream()
            .map(
                server ->
                    proxies.containsKey(server.name())
                        ? server.at(proxies.get(server.name()).port())
                        : server)
            .toList(),
        proxies.containsKey(KafkaService.NAME)
            ? proxies.get(KafkaService.NAME).address()
            : kafkaBootstrapServers,
        proxies.containsKey(ZooKeeperService.NAME)
            ? proxies.get(ZooKeeperService.NAME).address()
            : zooKeeper,
        proxies.containsKey(MetastoreService.NAME)
            ? MetastoreService.uri(proxies.get(MetastoreService.NAME).port())
            : metastoreUri,
        warehouse,
        flink);
  }

  boolean has(Service service) {
    return switch (service) {
      case MARIADB -> !mariaDb.isEmpty();
      case KAFKA -> kafkaBootstrapServers != null;
      case ZOOKEEPER -> zooKeeper != null;
      case METASTORE -> metastoreUri != null;
      case FLINK -> flink != null;
    };
  }

  private static <T> T required(Service service, T value) {
    if (value == null) {
      throw missing(service);
    }
    return value;
  }

  private static IllegalStateException missing(Service service) {
    return new IllegalStateException(
        "Cannot give the address of %s: expected a local stack that runs it, found one without"
            .formatted(service));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StackEndpoints that
        && mariaDb.equals(that.mariaDb)
        && Objects.equals(kafkaBootstrapServers, that.kafkaBootstrapServers)
        && Objects.equals(zooKeeper, that.zooKeeper)
        && Objects.equals(metastoreUri, that.metastoreUri)
        && Objects.equals(warehouse, that.warehouse)
        && Objects.equals(flink, that.flink);
  }

  @Override
  public int hashCode() {
    return Objects.hash(mariaDb, kafkaBootstrapServers, zooKeeper, metastoreUri, warehouse, flink);
  }

  @Override
  public String toString() {
    return "StackEndpoints[mariaDb=%s, kafka=%s, zooKeeper=%s, metastore=%s, warehouse=%s, flink=%s]"
        .formatted(mariaDb, kafkaBootstrapServers, zooKeeper, metastoreUri, warehouse, flink);
  }

  /**
   * One MariaDB server.
   *
   * @param name also the name of its process
   * @param host a numeric address
   * @param port its TCP port
   * @param serverId its replication server id; CDC readers need other ones
   * @param admin may do everything
   * @param cdc may read tables and the binlog, nothing else
   */
  public record MariaDb(String name, String host, int port, int serverId, User admin, User cdc) {

    MariaDb at(int otherPort) {
      return new MariaDb(name, host, otherPort, serverId, admin, cdc);
    }

    /** A connection as administrator; no database is selected. */
    public Connection connect() throws SQLException {
      return connect(admin);
    }

    /** A connection as the given user of this server; no database is selected. */
    public Connection connect(User user) throws SQLException {
      Properties properties = new Properties();
      properties.setProperty("user", user.name());
      properties.setProperty("password", user.password());
      properties.setProperty("connectTimeout", "5000");
      properties.setProperty("sslMode", "DISABLED");
      properties.setProperty("allowPublicKeyRetrieval", "true");
      properties.setProperty("connectionTimeZone", "UTC");
      return DriverManager.getConnection("jdbc:mysql://%s:%d/".formatted(host, port), properties);
    }
  }

  /**
   * A database user.
   *
   * @param name its name
   * @param passwordFile holds its password and nothing else; readable by the owner alone
   */
  public record User(String name, Path passwordFile) {

    /** Reads the password; do not keep or print it. */
    public String password() {
      try {
        return Files.readString(passwordFile);
      } catch (IOException e) {
        throw new LocalStackException(
            "Cannot read the password of %s: expected the file %s".formatted(name, passwordFile),
            e);
      }
    }
  }

  /**
   * A Flink cluster.
   *
   * @param webUi address of the web UI and REST API, without a slash at its end
   * @param lib the cluster's lib/ folder
   * @param clientConf configuration folder for Flink's command line (FLINK_CONF_DIR)
   */
  public record Flink(URI webUi, Path lib, Path clientConf) {}
}
