package io.tributary.registry.zookeeper;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;

/**
 * One session with ZooKeeper, below the registry's path. Stores, counters and leases share it; it
 * re-connects by itself for as long as it is open.
 */
public final class ZooKeeperConnection implements AutoCloseable {
  /** How long ZooKeeper keeps the leases of a process that it does not hear from. */
  public static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(30);

  /** Enough for a leader election, short enough for a person to wait. */
  /** How long ZooKeeper is waited for unless said otherwise. */
  public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(15);

  /** How long one try of an operation waits for a connection. */
  private static final int CONNECTION_LOOK_MS = 2_000;

  private final ZooKeeperAddress address;
  private final CuratorFramework client;
  private final Duration sessionTimeout;

  private ZooKeeperConnection(
      ZooKeeperAddress address, CuratorFramework client, Duration sessionTimeout) {
    this.address = address;
    this.client = client;
    this.sessionTimeout = sessionTimeout;
  }

  /** Opens with the default session timeout and 15 s of patience. */
  public static ZooKeeperConnection open(ZooKeeperAddress address) {
    return open(address, DEFAULT_SESSION_TIMEOUT, DEFAULT_PATIENCE);
  }

  /**
   * Opens a session.
   *
   * @param sessionTimeout how long leases outlive a process that is not heard from
   * @param patience how long to wait for the first connection, and in each operation for a lost one
   * @throws RegistryUnavailableException when there is no connection in that time
   */
  public static ZooKeeperConnection open(
      ZooKeeperAddress address, Duration sessionTimeout, Duration patience) {
    RetryPolicy retries = new RetryUntilElapsed((int) patience.toMillis(), 250);
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(address.servers())
            .namespace(address.path().substring(1))
            .sessionTimeoutMs((int) sessionTimeout.toMillis())
            .connectionTimeoutMs(CONNECTION_LOOK_MS)
            .retryPolicy(retries)
            .build();
    client.start();
    boolean connected = false;
    try {
      connected = client.blockUntilConnected((int) patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!connected) {
      client.close();
      throw new RegistryUnavailableException(
          "Cannot reach ZooKeeper at "
              + address
              + ": expected a connection within "
              + patience.toMillis()
              + " ms, found none",
          null);
    }
    return new ZooKeeperConnection(address, client, sessionTimeout);
  }

  /** Where the registry lies. */
  public ZooKeeperAddress address() {
    return address;
  }

  /** How long leases outlive a process that is not heard from, as ZooKeeper granted it. */
  public Duration sessionTimeout() {
    try {
      int granted = client.getZookeeperClient().getZooKeeper().getSessionTimeout();
      return granted > 0 ? Duration.ofMillis(granted) : sessionTimeout;
    } catch (Exception e) {
      return sessionTimeout;
    }
  }

  CuratorFramework client() {
    return client;
  }

  /** Ends the session: its leases end with it. */
  @Override
  public void close() {
    client.close();
  }
}
