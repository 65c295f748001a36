package io.tributary.coordinator;

import io.tributary.coordinator.core.Members;
import io.tributary.protocol.TableName;
import io.tributary.protocol.Term;
import io.tributary.registry.zookeeper.Counters;
import io.tributary.registry.zookeeper.Lease;
import io.tributary.registry.zookeeper.LeaseHeldException;
import io.tributary.registry.zookeeper.LeaseListener;
import io.tributary.registry.zookeeper.LeaseName;
import io.tributary.registry.zookeeper.LeaseOwner;
import io.tributary.registry.zookeeper.RegistryStore;
import io.tributary.registry.zookeeper.RegistryUnavailableException;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table's ties to the published registry: lease, counter of terms, news. All of them are a help
 * and none a need: while ZooKeeper does not answer the coordinator works with what it was started
 * with, and the ties are made as soon as it answers. Only a lease that another living coordinator
 * holds keeps this one from starting.
 */
final class RegistrySession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RegistrySession.class);
  private static final Duration START_WAIT = Duration.ofSeconds(20);
  private static final long TRY_AGAIN_MS = 5_000;

  private final ZooKeeperAddress address;
  private final TableName table;
  private final LeaseOwner owner;
  private final Consumer<Members> onChange;
  private final CompletableFuture<Term> counted = new CompletableFuture<>();
  private final Thread thread;
  private ZooKeeperConnection connection;
  private Lease lease;
  private AutoCloseable watch;
  private volatile boolean closed;

  RegistrySession(
      ZooKeeperAddress address, TableName table, LeaseOwner owner, Consumer<Members> onChange) {
    this.address = address;
    this.table = table;
    this.owner = owner;
    this.onChange = onChange;
    this.thread = new Thread(this::connect, "tributary-registry-" + table);
    this.thread.setDaemon(true);
    this.thread.start();
  }

  /**
   * The term below the one that the registry's counter reserves for this coordinator; 0 when
   * ZooKeeper does not answer in time, for the table's own term counts as well.
   *
   * @throws LeaseHeldException when another coordinator is at work on the table
   */
  Term highestKnownTerm() {
    try {
      return new Term(counted.get(START_WAIT.toMillis(), TimeUnit.MILLISECONDS).value() - 1);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof LeaseHeldException held
          ? held
          : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      LOG.warn(
          "ZooKeeper at {} does not answer; table {} is coordinated with the registry that the job was started with",
          address,
          table);
      return new Term(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Term(0);
    }
  }

  private void connect() {
    while (!closed) {
      try {
        tie();
        return;
      } catch (LeaseHeldException e) {
        if (!counted.completeExceptionally(e)) {
          LOG.warn("Table {} is coordinated without its lease: {}", table, e.getMessage());
        }
        return;
      } catch (RegistryUnavailableException e) {
        LOG.warn("Cannot reach the registry of table {}: {}", table, e.getMessage());
      } catch (RuntimeException e) {
        LOG.error("Cannot tie table {} to its registry", table, e);
      }
      try {
        Thread.sleep(TRY_AGAIN_MS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private synchronized void tie() {
    if (closed) {
      return;
    }
    if (connection == null) {
      connection = ZooKeeperConnection.open(address);
    }
    if (lease == null) {
      lease = Lease.take(connection, LeaseName.coordinator(table), owner, LeaseListener.NONE);
    }
    if (!counted.isDone()) {
      counted.complete(new Counters(connection).nextTerm(table, new Term(0)));
    }
    watch =
        new RegistryStore(connection, Clock.systemUTC())
            .watch(publication -> onChange.accept(TableJob.members(publication.registry(), table)));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    synchronized (this) {
      try {
        if (watch != null) {
          watch.close();
        }
      } catch (Exception e) {
        LOG.debug("Closing the watch of table {}", table, e);
      }
      if (lease != null) {
        lease.close();
      }
      if (connection != null) {
        connection.close();
      }
    }
  }
}
