package io.tributary.registry.zookeeper;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.Incarnation;
import io.tributary.protocol.TableName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;

/**
 * Remembers each group's last savepoint. A help and never the truth: whoever starts from one first
 * makes sure that nothing was submitted since, and a group starts from its table as well.
 */
public final class Savepoints {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;

  public Savepoints(ZooKeeperConnection connection) {
    this.connection = connection;
    this.client = connection.client();
  }

  /**
   * Keeps a savepoint in the place of the one before.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public void keep(TableName table, GroupName group, Savepoint savepoint) {
    byte[] content =
        JSON.createObjectNode()
            .put("path", savepoint.path())
            .put("incarnation", savepoint.incarnation().value())
            .put("registryVersion", savepoint.registryVersion())
            .put("takenAt", savepoint.takenAt().toString())
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    try {
      client.create().orSetData().creatingParentsIfNeeded().forPath(node(table, group), content);
    } catch (Exception e) {
      throw unavailable("keep the savepoint of group " + group, e);
    }
  }

  /**
   * The group's last one.
   *
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public Optional<Savepoint> last(TableName table, GroupName group) {
    try {
      JsonNode json = JSON.readTree(client.getData().forPath(node(table, group)));
      return Optional.of(
          new Savepoint(
              json.path("path").asText(),
              new Incarnation(json.path("incarnation").asLong()),
              json.path("registryVersion").asLong(),
              Instant.parse(json.path("takenAt").asText())));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    } catch (Exception e) {
      throw unavailable("read the savepoint of group " + group, e);
    }
  }

  private static String node(TableName table, GroupName group) {
    return "/savepoints/" + table + "/" + group;
  }

  private RegistryUnavailableException unavailable(String what, Exception e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new RegistryUnavailableException(
        "Cannot %s: expected an answer of ZooKeeper at %s, found %s"
            .formatted(what, connection.address(), e.getMessage()),
        e);
  }
}
