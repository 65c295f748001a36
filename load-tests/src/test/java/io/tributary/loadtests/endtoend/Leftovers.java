package io.tributary.loadtests.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.TreeMap;

/** Looks for processes and ports of a local stack that was stopped. */
final class Leftovers {
  private Leftovers() {}

  /**
   * @param folder the stack's
   */
  static void assertNone(Path folder) throws IOException {
    assertThat(Processes.commandLinesWith(folder.toString())).isEmpty();
    JsonNode ports =
        new ObjectMapper().readTree(folder.resolve("stack.json").toFile()).get("ports");
    TreeMap<String, Integer> open = new TreeMap<>();
    ports
        .properties()
        .forEach(
            port -> {
              if (isOpen(port.getValue().asInt())) {
                open.put(port.getKey(), port.getValue().asInt());
              }
            });
    assertThat(ports).isNotEmpty();
    assertThat(open).as("ports that still listen").isEmpty();
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
