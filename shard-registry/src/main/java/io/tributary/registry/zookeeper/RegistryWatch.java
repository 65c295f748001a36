package io.tributary.registry.zookeeper;

import io.tributary.registry.RegistryVersion;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of published versions, on one thread of its own. A change or a new connection only makes it
 * look; what it tells is what it then reads, so that a notice lost with a connection is made good.
 */
final class RegistryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RegistryWatch.class);
  private static final long LOOK_AGAIN_MS = 1_000;

  private final RegistryStore store;
  private final CuratorFramework client;
  private final Consumer<Publication> onChange;
  private final CuratorCache cache;
  private final ConnectionStateListener onConnection = this::connectionChanged;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "tributary-registry-watch");
            made.setDaemon(true);
            return made;
          });

  /** Only touched on the watch's thread. */
  private Optional<RegistryVersion> told = Optional.empty();

  RegistryWatch(
      RegistryStore store,
      CuratorFramework client,
      String pointer,
      Consumer<Publication> onChange) {
    this.store = store;
    this.client = client;
    this.onChange = onChange;
    this.cache = CuratorCache.build(client, pointer, CuratorCache.Options.SINGLE_NODE_CACHE);
    cache
        .listenable()
        .addListener(CuratorCacheListener.builder().forAll((a, b, c) -> look(0)).build());
    client.getConnectionStateListenable().addListener(onConnection);
    cache.start();
    look(0);
  }

  private void connectionChanged(CuratorFramework ignored, ConnectionState state) {
    if (state.isConnected()) {
      look(0);
    }
  }

  private void look(long delayMs) {
    try {
      thread.schedule(this::lookNow, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("The watch is closed");
    }
  }

  private void lookNow() {
    Optional<Publication> current;
    try {
      current = store.current();
    } catch (RegistryUnavailableException e) {
      LOG.info("Cannot read the registry yet, looking again: {}", e.getMessage());
      look(LOOK_AGAIN_MS);
      return;
    }
    if (current.isEmpty() || current.map(Publication::version).equals(told)) {
      return;
    }
    told = current.map(Publication::version);
    try {
      onChange.accept(current.get());
    } catch (RuntimeException e) {
      LOG.error("A watcher of the registry failed on version {}", current.get().version(), e);
    }
  }

  @Override
  public void close() {
    client.getConnectionStateListenable().removeListener(onConnection);
    cache.close();
    thread.shutdownNow();
  }
}
