package io.tributary.registry.zookeeper;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/**
 * The content of a lease's node.
 *
 * @param token tells two takings by one owner apart
 * @param sessionTimeout how long the node outlives a dead holder
 */
record LeaseNode(LeaseOwner owner, String token, Duration sessionTimeout) {
  private static final ObjectMapper JSON = new ObjectMapper();

  byte[] toBytes() {
    ObjectNode json = JSON.createObjectNode();
    json.put("id", owner.id());
    json.put("host", owner.host());
    json.put("since", owner.since().toString());
    json.put("what", owner.what());
    json.put("token", token);
    json.put("sessionTimeoutMs", sessionTimeout.toMillis());
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  static LeaseNode fromBytes(byte[] bytes) throws IOException {
    JsonNode json = JSON.readTree(bytes);
    return new LeaseNode(
        new LeaseOwner(
            json.path("id").asText(),
            json.path("host").asText(),
            Instant.parse(json.path("since").asText()),
            json.path("what").asText()),
        json.path("token").asText(),
        Duration.ofMillis(json.path("sessionTimeoutMs").asLong()));
  }
}
