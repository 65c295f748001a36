package io.tributary.registry.zookeeper;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.registry.Registry;
import io.tributary.registry.RegistryCodec;
import io.tributary.registry.RegistryVersion;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The published registry. Below the connection's path: {@code registry} holds the number of the
 * current version, {@code registry/versions/N} what was published as N, by whom and when; those
 * nodes never change.
 *
 * <p>Publishing makes the version's node and moves the pointer in one ZooKeeper transaction on a
 * checked pointer, so it happens wholly or not at all, and of two operators one is refused. When
 * the answer is lost, the version's node tells whether it happened: it carries the publisher's
 * token. A request of a broken connection cannot arrive later: ZooKeeper refuses requests of a
 * session that has moved on.
 */
public final class RegistryStore {
  private static final Logger LOG = LoggerFactory.getLogger(RegistryStore.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POINTER = "/registry";
  private static final String VERSIONS = POINTER + "/versions";

  /** ZooKeeper refuses nodes of 1 MiB; leave room for the rest of the request. */
  private static final int MOST_BYTES = 1_000_000;

  private static final int ATTEMPTS = 10;

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;
  private final Clock clock;

  public RegistryStore(ZooKeeperConnection connection, Clock clock) {
    this.connection = connection;
    this.client = connection.client();
    this.clock = clock;
  }

  /**
   * Publishes a registry as the version after the expected one.
   *
   * @param expected the version that the edit was made on; empty for the very first
   * @param who who publishes, for the history
   * @return what is published now, with its version
   * @throws PublishConflictException when another version is current; nothing was changed
   * @throws RegistryUnavailableException when ZooKeeper does not answer; read again to see whether
   *     it was published
   */
  public Publication publish(Registry registry, Optional<RegistryVersion> expected, String who) {
    RegistryVersion next = expected.map(RegistryVersion::next).orElse(RegistryVersion.FIRST);
    String token = UUID.randomUUID().toString();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    byte[] content = content(registry, next, who, now, token);
    for (int attempt = 1; ; attempt++) {
      try {
        ensureNodes();
        swap(expected, next, content);
        return new Publication(next, who, now, registry);
      } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
        // Also the answer to our own request when its first answer was lost.
        if (isMine(next, token)) {
          LOG.info("Version {} was published; the answer to it had been lost", next);
          return new Publication(next, who, now, registry);
        }
        throw new PublishConflictException(expected, current());
      } catch (KeeperException.ConnectionLossException
          | KeeperException.OperationTimeoutException
          | KeeperException.SessionExpiredException e) {
        if (attempt == ATTEMPTS) {
          throw unavailable("publish version " + next, e);
        }
        LOG.info(
            "Lost the connection while publishing version {}: looking whether it is there", next);
      } catch (Exception e) {
        throw unavailable("publish version " + next, e);
      }
    }
  }

  private void swap(Optional<RegistryVersion> expected, RegistryVersion next, byte[] content)
      throws Exception {
    Stat stat = new Stat();
    Optional<RegistryVersion> current =
        pointer(client.getData().storingStatIn(stat).forPath(POINTER));
    if (!current.equals(expected)) {
      throw new KeeperException.BadVersionException(POINTER);
    }
    client
        .transaction()
        .forOperations(
            client.transactionOp().create().forPath(node(next), content),
            client
                .transactionOp()
                .setData()
                .withVersion(stat.getVersion())
                .forPath(POINTER, next.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private boolean isMine(RegistryVersion version, String token) {
    try {
      client.sync().forPath(POINTER);
      JsonNode json = JSON.readTree(client.getData().forPath(node(version)));
      return json.path("token").asText().equals(token);
    } catch (KeeperException.NoNodeException e) {
      return false;
    } catch (Exception e) {
      throw unavailable("see whether version " + version + " was published", e);
    }
  }

  /**
   * The current version; empty when nothing was published yet.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Optional<Publication> current() {
    try {
      client.sync().forPath("/");
      Optional<RegistryVersion> version = pointer(client.getData().forPath(POINTER));
      return version.isEmpty() ? Optional.empty() : Optional.of(read(version.get()));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw unavailable("read the registry", e);
    }
  }

  /**
   * One published version; empty when there is none of this number.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Optional<Publication> version(RegistryVersion version) {
    try {
      return Optional.of(read(version));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw unavailable("read version " + version + " of the registry", e);
    }
  }

  /**
   * The numbers of all published versions, oldest first.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public List<RegistryVersion> versions() {
    try {
      List<RegistryVersion> versions = new ArrayList<>();
      for (String name : client.getChildren().forPath(VERSIONS)) {
        versions.add(new RegistryVersion(Long.parseLong(name)));
      }
      versions.sort(Comparator.naturalOrder());
      return versions;
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    } catch (Exception e) {
      throw unavailable("list the versions of the registry", e);
    }
  }

  /**
   * Calls back with the current version, if there is one, and after every later publication, on a
   * thread of the watch. Versions published in quick succession may be skipped, the last never.
   * Lost connections are outlived; a callback that throws is logged.
   *
   * @return ends the watch when closed
   */
  public AutoCloseable watch(Consumer<Publication> onChange) {
    return new RegistryWatch(this, client, POINTER, onChange);
  }

  private Publication read(RegistryVersion version) throws Exception {
    JsonNode json = JSON.readTree(client.getData().forPath(node(version)));
    return new Publication(
        version,
        json.path("publishedBy").asText(),
        Instant.parse(json.path("publishedAt").asText()),
        RegistryCodec.decode(json.path("registry").toString()));
  }

  private static byte[] content(
      Registry registry, RegistryVersion version, String who, Instant at, String token) {
    ObjectNode json = JSON.createObjectNode();
    json.put("version", version.value());
    json.put("publishedBy", who);
    json.put("publishedAt", at.toString());
    json.put("token", token);
    try {
      json.set("registry", JSON.readTree(RegistryCodec.encode(registry)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot encode a registry: expected its JSON to be sound", e);
    }
    byte[] bytes = json.toString().getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MOST_BYTES) {
      throw new IllegalArgumentException(
          "Cannot publish the registry: expected at most "
              + MOST_BYTES
              + " bytes of JSON, found "
              + bytes.length);
    }
    return bytes;
  }

  private static String node(RegistryVersion version) {
    return VERSIONS + "/" + "%010d".formatted(version.value());
  }

  private static Optional<RegistryVersion> pointer(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(new RegistryVersion(Long.parseLong(text)));
  }

  private void ensureNodes() throws Exception {
    if (client.checkExists().forPath(VERSIONS) != null) {
      return;
    }
    for (String path : List.of(POINTER, VERSIONS)) {
      try {
        client
            .create()
            .creatingParentsIfNeeded()
            .withMode(CreateMode.PERSISTENT)
            .forPath(path, new byte[0]);
      } catch (KeeperException.NodeExistsException e) {
        // Another operator was first; the nodes are the same for all.
        LOG.debug("{} exists", path);
      }
    }
  }

  private RegistryUnavailableException unavailable(String what, Exception e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    if (e instanceof RegistryUnavailableException already) {
      return already;
    }
    return new RegistryUnavailableException(
        "Cannot "
            + what
            + ": expected ZooKeeper at "
            + connection.address()
            + " to answer, found "
            + e.getMessage(),
        e);
  }
}
