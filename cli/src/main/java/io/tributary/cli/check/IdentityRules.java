package io.tributary.cli.check;

import io.tributary.ingest.server.ServerFacts;
import io.tributary.registry.RegistryPlaces;
import io.tributary.registry.ServerSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Judges whether the servers can be told apart: by it a source that finds another server behind its
 * address halts instead of reading on at a position that means something else there.
 */
final class IdentityRules {
  private IdentityRules() {}

  /**
   * @param known the servers that answered
   */
  static List<Finding> judge(Map<ServerSpec, ServerFacts> known, RegistryPlaces places) {
    Map<String, ServerSpec> seen = new TreeMap<>();
    List<Finding> findings = new ArrayList<>();
    known.forEach(
        (server, facts) ->
            identity(facts)
                .ifPresent(
                    identity -> {
                      ServerSpec other = seen.putIfAbsent(identity, server);
                      if (other != null) {
                        findings.add(
                            finding(server, other, identity).at(places.server(server.name())));
                      }
                    }));
    return findings;
  }

  /** As a source keeps it with its position. */
  private static Optional<String> identity(ServerFacts facts) {
    return facts
        .variable("server_uuid")
        .map(uuid -> "server_uuid " + uuid)
        .or(() -> facts.variable("server_id").map(id -> "server_id " + id));
  }

  private static Finding finding(ServerSpec server, ServerSpec other, String identity) {
    return Finding.warning(
        "server-identity",
        "server " + server.name(),
        "%s, as server %s has".formatted(identity, other.name()),
        identity.startsWith("server_id ")
            ? "if one takes the other's address, nobody can tell, and rows are lost"
            : "both are one server under two addresses, or one is a copy of the other's folder",
        identity.startsWith("server_id ")
            ? "give each server a server_id of its own"
            : "describe one server once; let a copied one make a server_uuid of its own"
                + " (remove auto.cnf)");
  }
}
