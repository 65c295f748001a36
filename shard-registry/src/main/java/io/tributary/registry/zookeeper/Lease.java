package io.tributary.registry.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease that was taken: an ephemeral node that names the holder.
 *
 * <pre>
 *   HELD -- connection lost --> UNCERTAIN -- session over --> LOST -- free again --> HELD
 *                               UNCERTAIN -- connection back --> HELD
 *                               UNCERTAIN or LOST -- another owner has it --> TAKEN (for good)
 *   any -- close --> CLOSED
 * </pre>
 *
 * <p>A lease keeps a second job from being started by mistake. It is no fence: what makes an
 * outdated job harmless is the table's own check of incarnations and terms. So losing it stops
 * nothing; it is taken again when that is possible.
 */
public final class Lease implements AutoCloseable {
  /** What is known of a lease. */
  public enum State {
    HELD,
    UNCERTAIN,
    LOST,
    TAKEN,
    CLOSED
  }

  /** The outcome of one look at the node. */
  private sealed interface Look {
    record Mine() implements Look {}

    record Other(LeaseNode node) implements Look {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

  /** ZooKeeper rounds expiry up to its tick; wait a little longer than the session timeout. */
  private static final Duration EXPIRY_SLACK = Duration.ofSeconds(3);

  private static final long LOOK_MS = 200;

  private final LeaseName name;
  private final LeaseNode mine;
  private final String path;
  private final CuratorFramework client;
  private final LeaseListener listener;
  private final Duration tendEvery;
  private final ConnectionStateListener onConnection = this::connectionChanged;

  /** Asks ZooKeeper; an operation may wait long for a connection. */
  private final ScheduledExecutorService worker;

  /** Calls the listener, in order; never waits for ZooKeeper. */
  private final ExecutorService messenger;

  /** Changed by the worker and by the connection's events, under this lease's lock. */
  private volatile State state = State.UNCERTAIN;

  private Lease(
      ZooKeeperConnection connection, LeaseName name, LeaseOwner owner, LeaseListener listener) {
    this.name = name;
    this.mine = new LeaseNode(owner, UUID.randomUUID().toString(), connection.sessionTimeout());
    this.path = "/leases/" + name.node();
    this.client = connection.client();
    this.listener = listener;
    this.tendEvery = connection.sessionTimeout().dividedBy(3);
    this.worker =
        Executors.newSingleThreadScheduledExecutor(daemon("tributary-lease-" + name.node()));
    this.messenger =
        Executors.newSingleThreadExecutor(daemon("tributary-lease-listener-" + name.node()));
  }

  private static ThreadFactory daemon(String threadName) {
    return task -> {
      Thread made = new Thread(task, threadName);
      made.setDaemon(true);
      return made;
    };
  }

  /**
   * Takes a lease; when another owner holds it, waits as long as that owner's session would outlive
   * its death.
   *
   * @throws LeaseHeldException when the other owner is still there then; names it
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public static Lease take(
      ZooKeeperConnection connection, LeaseName name, LeaseOwner owner, LeaseListener listener) {
    return take(connection, name, owner, listener, Optional.empty());
  }

  /**
   * As {@link #take(ZooKeeperConnection, LeaseName, LeaseOwner, LeaseListener)}, with the longest
   * time to wait for another holder; zero asks once.
   */
  public static Lease take(
      ZooKeeperConnection connection,
      LeaseName name,
      LeaseOwner owner,
      LeaseListener listener,
      Duration wait) {
    return take(connection, name, owner, listener, Optional.of(wait));
  }

  private static Lease take(
      ZooKeeperConnection connection,
      LeaseName name,
      LeaseOwner owner,
      LeaseListener listener,
      Optional<Duration> wait) {
    Lease lease = new Lease(connection, name, owner, listener);
    boolean taken = false;
    try {
      lease.waitAndTake(wait);
      taken = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryUnavailableException(
          "Cannot take the lease of " + name + ": expected time to wait, found an interruption", e);
    } finally {
      if (!taken) {
        lease.close();
      }
    }
    return lease;
  }

  /** Who holds a lease now; empty when nobody does. */
  public static Optional<LeaseOwner> holder(ZooKeeperConnection connection, LeaseName name) {
    try {
      byte[] content = connection.client().getData().forPath("/leases/" + name.node());
      return Optional.of(LeaseNode.fromBytes(content).owner());
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw unavailable("see who holds the lease of " + name, connection.address().toString(), e);
    }
  }

  private void waitAndTake(Optional<Duration> wait) throws InterruptedException {
    long start = System.nanoTime();
    boolean said = false;
    while (true) {
      Look look;
      try {
        look = look(true);
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        throw unavailable("take the lease of " + name, path, e);
      }
      if (!(look instanceof Look.Other other)) {
        break;
      }
      Duration most = wait.orElse(other.node().sessionTimeout().plus(EXPIRY_SLACK));
      Duration waited = Duration.ofNanos(System.nanoTime() - start);
      if (waited.compareTo(most) >= 0) {
        throw new LeaseHeldException(name, other.node().owner(), waited);
      }
      if (!said) {
        LOG.info(
            "The lease of {} is held by {}; waiting up to {} ms in case it died",
            name,
            other.node().owner(),
            most.toMillis());
        said = true;
      }
      Thread.sleep(LOOK_MS);
    }
    state = State.HELD;
    client.getConnectionStateListenable().addListener(onConnection);
    worker.scheduleWithFixedDelay(
        this::tend, tendEvery.toMillis(), tendEvery.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Looks at the node, and makes it when it is free or was made by this lease in an earlier
   * session.
   *
   * @param taking whether a node of the same owner, left by an earlier process, may be replaced
   */
  private Look look(boolean taking) throws Exception {
    Stat stat = new Stat();
    try {
      LeaseNode found = LeaseNode.fromBytes(client.getData().storingStatIn(stat).forPath(path));
      boolean thisLease = found.token().equals(mine.token());
      if (thisLease && stat.getEphemeralOwner() == session()) {
        return new Look.Mine();
      }
      if (!thisLease && !(taking && found.owner().id().equals(mine.owner().id()))) {
        return new Look.Other(found);
      }
      client
          .transaction()
          .forOperations(
              client.transactionOp().delete().withVersion(stat.getVersion()).forPath(path),
              client
                  .transactionOp()
                  .create()
                  .withMode(CreateMode.EPHEMERAL)
                  .forPath(path, mine.toBytes()));
    } catch (KeeperException.NoNodeException e) {
      try {
        client
            .create()
            .creatingParentsIfNeeded()
            .withMode(CreateMode.EPHEMERAL)
            .forPath(path, mine.toBytes());
      } catch (KeeperException.NodeExistsException raced) {
        // Another owner, or our own request whose answer was lost: look again.
        return look(taking);
      }
    }
    return new Look.Mine();
  }

  private long session() throws Exception {
    return client.getZookeeperClient().getZooKeeper().getSessionId();
  }

  private synchronized void connectionChanged(
      CuratorFramework ignored, ConnectionState connection) {
    if (state == State.TAKEN || state == State.CLOSED) {
      return;
    }
    if (connection == ConnectionState.SUSPENDED && state == State.HELD) {
      state = State.UNCERTAIN;
    } else if (connection == ConnectionState.LOST && state != State.LOST) {
      state = State.LOST;
      LOG.warn("The lease of {} is lost with the ZooKeeper session; work goes on", name);
      tell(() -> listener.lost(name));
    } else if (connection.isConnected()) {
      worker.execute(this::tend);
    }
  }

  /** Makes sure of the lease; runs on the worker, on each new connection and regularly. */
  private void tend() {
    if (state == State.TAKEN || state == State.CLOSED) {
      return;
    }
    try {
      seen(look(false));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      unsure();
      LOG.info("Cannot make sure of the lease of {} now, trying again: {}", name, e.toString());
    }
  }

  private synchronized void seen(Look look) {
    if (state == State.CLOSED) {
      return;
    }
    if (look instanceof Look.Other other) {
      state = State.TAKEN;
      LOG.warn("The lease of {} was taken by {}", name, other.node().owner());
      tell(() -> listener.taken(name, other.node().owner()));
      return;
    }
    if (state == State.LOST) {
      LOG.info("The lease of {} is held again", name);
      tell(() -> listener.regained(name));
    }
    state = State.HELD;
  }

  private synchronized void unsure() {
    if (state == State.HELD) {
      state = State.UNCERTAIN;
    }
  }

  private void tell(Runnable message) {
    messenger.execute(
        () -> {
          try {
            message.run();
          } catch (RuntimeException e) {
            LOG.error("A listener of the lease of {} failed", name, e);
          }
        });
  }

  /** What is known of the lease now. */
  public State state() {
    return state;
  }

  /** What the lease is for. */
  public LeaseName name() {
    return name;
  }

  /** Gives the lease back; when ZooKeeper cannot be reached it ends with the session. */
  @Override
  public void close() {
    client.getConnectionStateListenable().removeListener(onConnection);
    State before;
    synchronized (this) {
      before = state;
      state = State.CLOSED;
      worker.shutdownNow();
      messenger.shutdown();
    }
    if (before == State.TAKEN
        || before == State.CLOSED
        || !client.getZookeeperClient().isConnected()) {
      return;
    }
    try {
      Stat stat = new Stat();
      LeaseNode found = LeaseNode.fromBytes(client.getData().storingStatIn(stat).forPath(path));
      if (found.token().equals(mine.token())) {
        client.delete().withVersion(stat.getVersion()).forPath(path);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.debug("The lease of {} ends with the session", name, e);
    }
  }

  private static RegistryUnavailableException unavailable(String what, String at, Exception e) {
    return new RegistryUnavailableException(
        "Cannot " + what + ": expected ZooKeeper to answer for " + at + ", found " + e, e);
  }
}
