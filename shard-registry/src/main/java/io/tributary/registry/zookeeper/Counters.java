package io.tributary.registry.zookeeper;

import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Numbers that only grow: a group's incarnations and a table's terms. Each is 1 + the higher of
 * what the caller knows (from the table) and what is stored here, so that neither a lost ZooKeeper
 * nor a restored table makes a number come twice. A number may be skipped when an answer is lost.
 */
public final class Counters {
  private static final int ATTEMPTS = 100;

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;

  public Counters(ZooKeeperConnection connection) {
    this.connection = connection;
    this.client = connection.client();
  }

  /**
   * Takes the next incarnation of a group.
   *
   * @param known the highest that the table knows; 0 when it knows none
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Incarnation nextIncarnation(TableName table, GroupName group, long known) {
    return new Incarnation(next("/incarnations/" + table + "/" + group, known));
  }

  /**
   * The last incarnation that was given to a group.
   *
   * @return 0 when none was
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public long lastIncarnation(TableName table, GroupName group) {
    String path = "/incarnations/" + table + "/" + group;
    try {
      return Long.parseLong(new String(client.getData().forPath(path), StandardCharsets.UTF_8));
    } catch (KeeperException.NoNodeException e) {
      return 0;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new RegistryUnavailableException(
          "Cannot read the last number of %s: expected an answer of ZooKeeper at %s, found %s"
              .formatted(path, connection.address(), e.getMessage()),
          e);
    }
  }

  /**
   * Takes the next term of a table.
   *
   * @param known the table's term
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Term nextTerm(TableName table, Term known) {
    return new Term(next("/terms/" + table, known.value()));
  }

  private long next(String path, long known) {
    Exception last = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return tryNext(path, known);
      } catch (KeeperException.BadVersionException
          | KeeperException.NodeExistsException
          | KeeperException.NoNodeException e) {
        last = e;
      } catch (Exception e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        last = e;
        break;
      }
    }
    throw new RegistryUnavailableException(
        "Cannot take the next number of "
            + path
            + ": expected ZooKeeper at "
            + connection.address()
            + " to store it, found "
            + last.getMessage(),
        last);
  }

  private long tryNext(String path, long known) throws Exception {
    if (client.checkExists().forPath(path) == null) {
      long first = known + 1;
      client
          .create()
          .creatingParentsIfNeeded()
          .withMode(CreateMode.PERSISTENT)
          .forPath(path, bytes(first));
      return first;
    }
    Stat stat = new Stat();
    long stored =
        Long.parseLong(
            new String(client.getData().storingStatIn(stat).forPath(path), StandardCharsets.UTF_8));
    long next = 1 + Math.max(known, stored);
    client.setData().withVersion(stat.getVersion()).forPath(path, bytes(next));
    return next;
  }

  private static byte[] bytes(long number) {
    return Long.toString(number).getBytes(StandardCharsets.UTF_8);
  }
}
