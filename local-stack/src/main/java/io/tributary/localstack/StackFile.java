package io.tributary.localstack;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The content of {@code stack.json}, by which other processes find a stack.
 *
 * @param state what the supervisor last said of the whole stack
 * @param supervisor the process that holds the stack up
 * @param processes names of the stack's processes, in the order of their start
 * @param ports ports by name, to be used again by the next run
 * @param endpoints where the services answer
 */
record StackFile(
    State state,
    ProcessIdentity supervisor,
    List<String> processes,
    Map<String, Integer> ports,
    StackEndpoints endpoints) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Life of a stack: starting, then up, then stopped; or starting, then stopped. */
  enum State {
    STARTING,
    UP,
    STOPPED
  }

  StackFile {
    processes = List.copyOf(processes);
    ports = Map.copyOf(ports);
  }

  StackFile withState(State newState) {
    return new StackFile(newState, supervisor, processes, ports, endpoints);
  }

  void write(Path file) {
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION);
    root.put("state", state.name().toLowerCase(java.util.Locale.ROOT));
    root.putObject("supervisor")
        .put("pid", supervisor.pid())
        .put("startTicks", supervisor.startTicks());
    processes.forEach(root.putArray("processes")::add);
    ObjectNode portsNode = root.putObject("ports");
    new TreeMap<>(ports).forEach(portsNode::put);
    ObjectNode services = root.putObject("services");
    if (endpoints.has(Service.MARIADB)) {
      var servers = services.putArray("mariaDb");
      for (StackEndpoints.MariaDb server : endpoints.mariaDb()) {
        ObjectNode node = servers.addObject();
        node.put("name", server.name());
        node.put("host", server.host());
        node.put("port", server.port());
        node.put("serverId", server.serverId());
        writeUser(node.putObject("admin"), server.admin());
        writeUser(node.putObject("cdc"), server.cdc());
      }
    }
    if (endpoints.has(Service.KAFKA)) {
      services.put("kafkaBootstrapServers", endpoints.kafkaBootstrapServers());
    }
    if (endpoints.has(Service.ZOOKEEPER)) {
      services.put("zooKeeper", endpoints.zooKeeper());
    }
    if (endpoints.has(Service.METASTORE)) {
      services.put("metastoreUri", endpoints.metastoreUri());
      services.put("warehouse", endpoints.warehouse().toString());
    }
    if (endpoints.has(Service.FLINK)) {
      services
          .putObject("flink")
          .put("webUi", endpoints.flink().webUi().toString())
          .put("lib", endpoints.flink().lib().toString())
          .put("clientConf", endpoints.flink().clientConf().toString());
    }
    try {
      StackFolder.write(
          file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    } catch (JsonProcessingException e) {
      throw new LocalStackException("Cannot write " + file, e);
    }
  }

  /** Reads the file; empty when there is none. */
  static Optional<StackFile> read(Path file) {
    JsonNode root;
    try {
      root = JSON.readTree(Files.readString(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new LocalStackException("Cannot read " + file, e);
    }
    if (root.path("version").asInt() != VERSION) {
      throw new LocalStackException(
          "Cannot read %s: expected version %d, found %s"
              .formatted(file, VERSION, root.path("version")));
    }
    List<String> processes = new ArrayList<>();
    root.get("processes").forEach(name -> processes.add(name.asText()));
    Map<String, Integer> ports = new TreeMap<>();
    root.get("ports").properties().forEach(e -> ports.put(e.getKey(), e.getValue().asInt()));
    JsonNode services = root.get("services");
    List<StackEndpoints.MariaDb> mariaDb = new ArrayList<>();
    services.path("mariaDb").forEach(node -> mariaDb.add(readMariaDb(node)));
    JsonNode flink = services.get("flink");
    return Optional.of(
        new StackFile(
            State.valueOf(root.get("state").asText().toUpperCase(java.util.Locale.ROOT)),
            new ProcessIdentity(
                root.get("supervisor").get("pid").asLong(),
                root.get("supervisor").get("startTicks").asLong()),
            processes,
            ports,
            new StackEndpoints(
                mariaDb,
                text(services, "kafkaBootstrapServers"),
                text(services, "zooKeeper"),
                text(services, "metastoreUri"),
                services.has("warehouse") ? URI.create(text(services, "warehouse")) : null,
                flink == null
                    ? null
                    : new StackEndpoints.Flink(
                        URI.create(text(flink, "webUi")),
                        Path.of(text(flink, "lib")),
                        Path.of(text(flink, "clientConf"))))));
  }

  private static StackEndpoints.MariaDb readMariaDb(JsonNode node) {
    return new StackEndpoints.MariaDb(
        text(node, "name"),
        text(node, "host"),
        node.get("port").asInt(),
        node.get("serverId").asInt(),
        readUser(node.get("admin")),
        readUser(node.get("cdc")));
  }

  private static void writeUser(ObjectNode node, StackEndpoints.User user) {
    node.put("name", user.name()).put("passwordFile", user.passwordFile().toString());
  }

  private static StackEndpoints.User readUser(JsonNode node) {
    return new StackEndpoints.User(text(node, "name"), Path.of(text(node, "passwordFile")));
  }

  private static String text(JsonNode node, String field) {
    return node.hasNonNull(field) ? node.get(field).asText() : null;
  }
}
