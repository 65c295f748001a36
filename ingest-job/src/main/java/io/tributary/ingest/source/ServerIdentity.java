package io.tributary.ingest.source;

import java.util.Map;

/** By what one server is told apart from every other one. */
final class ServerIdentity {
  /** Asks for two columns, a variable's name and its value, neither of them NULL. */
  static final String STATEMENT =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'server_uuid', 'server_id')";

  private ServerIdentity() {}

  /**
   * MariaDB has no lasting unique id of its own; its replica id must be unique among its peers, and
   * stays when the server is moved to another port or folder.
   *
   * @param variables by name
   */
  static String of(Map<String, String> variables) {
    String uuid = variables.getOrDefault("server_uuid", "");
    return uuid.isBlank() ? "server_id " + variables.get("server_id") : "server_uuid " + uuid;
  }
}
