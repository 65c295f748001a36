package io.tributary.ingest.server;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a MySQL server says of itself.
 *
 * @param variables its global variables and counters, names in lower case
 * @param grants the lines of SHOW GRANTS for the user that we log in as
 * @param clockAhead how far its clock is ahead of ours; negative when behind
 * @param clockUncertainty how wrong that may be: half the time that asking took
 * @param binlogDatabases the databases that alone are logged; empty when all are
 * @param ignoredDatabases the databases that are not logged
 * @param replicaIds server ids of the replicas that are connected to it
 * @param replicates whether it is a replica itself; empty when we may not ask
 * @param preparedTransactions how many are prepared and not ended (XA); 0 when we may not ask
 * @param unanswered what could not be asked, and why; for example rights that are missing
 */
public record ServerFacts(
    Map<String, String> variables,
    List<String> grants,
    Duration clockAhead,
    Duration clockUncertainty,
    Set<String> binlogDatabases,
    Set<String> ignoredDatabases,
    Set<Long> replicaIds,
    Optional<Boolean> replicates,
    int preparedTransactions,
    List<String> unanswered) {
  public ServerFacts {
    variables = Map.copyOf(variables);
    grants = List.copyOf(grants);
    binlogDatabases = Set.copyOf(binlogDatabases);
    ignoredDatabases = Set.copyOf(ignoredDatabases);
    replicaIds = Set.copyOf(replicaIds);
    unanswered = List.copyOf(unanswered);
  }

  /** The variable's value; empty when this server has no such variable, or none is set. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(variables.get(name)).filter(value -> !value.isEmpty());
  }

  /** Whether the variable is there and on. */
  public boolean on(String name) {
    return variable(name).filter(v -> v.equalsIgnoreCase("ON") || v.equals("1")).isPresent();
  }

  /** Whether the variable is there and off. */
  public boolean off(String name) {
    return variable(name).filter(v -> v.equalsIgnoreCase("OFF") || v.equals("0")).isPresent();
  }

  /** Whether what it replicates is not in its own binlog; says nothing of a primary. */
  public boolean logsNothingReplicated() {
    return off("log_slave_updates") || off("log_replica_updates");
  }

  /** How often a transaction was prepared (XA) since the server was started. */
  public long timesPrepared() {
    return variable("com_xa_prepare").map(Long::parseLong).orElse(0L);
  }

  public String version() {
    return variable("version").orElse("unknown");
  }

  public boolean mariaDb() {
    return version().toLowerCase(java.util.Locale.ROOT).contains("mariadb");
  }

  /** Major and minor version; 0 and 0 when it says something else. */
  public int[] release() {
    String[] parts = version().split("[.-]");
    try {
      return new int[] {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return new int[] {0, 0};
    }
  }

  public boolean atLeast(int major, int minor) {
    int[] release = release();
    return release[0] > major || (release[0] == major && release[1] >= minor);
  }
}
