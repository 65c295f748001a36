package io.tributary.registry.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/** Tries out whether the registry's path can be used; makes one node there and removes it. */
public final class ZooKeeperProbe {
  private final ZooKeeperConnection connection;

  public ZooKeeperProbe(ZooKeeperConnection connection) {
    this.connection = connection;
  }

  /**
   * Why nothing can be written below the registry's path; empty when it can.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Optional<String> refusal() {
    CuratorFramework client = connection.client();
    // As the leases are: it goes with the session at the latest.
    String scratch = "/check-" + UUID.randomUUID();
    try {
      client
          .create()
          .creatingParentsIfNeeded()
          .withMode(CreateMode.EPHEMERAL)
          .forPath(scratch, new byte[0]);
      client.delete().forPath(scratch);
      return Optional.empty();
    } catch (KeeperException.NoAuthException e) {
      return Optional.of("no right to make or remove a node there");
    } catch (KeeperException.NotReadOnlyException e) {
      return Optional.of("a server that only reads: it has no quorum");
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new RegistryUnavailableException(
          "Cannot try out ZooKeeper at %s: expected an answer, found %s"
              .formatted(connection.address(), e.getMessage()),
          e);
    }
  }

  /** How long ZooKeeper keeps leases of a process that it does not hear from. */
  public Duration sessionTimeout() {
    return connection.sessionTimeout();
  }
}
