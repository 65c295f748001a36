package io.tributary.cli.check;

import io.tributary.registry.DesiredState;
import io.tributary.registry.Registry;
import io.tributary.registry.ServerIdRange;
import io.tributary.registry.ServerSpec;
import io.tributary.registry.ShardSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Judges what one MySQL server says of itself. */
final class ServerRules {
  /** Shorter, and a weekend's outage costs a copy of all shards. */
  private static final Duration LEAST_RETENTION = Duration.ofDays(3);

  private static final Duration MOST_CLOCK_DIFFERENCE = Duration.ofSeconds(5);

  /** Beyond it every other server's shards hold back, or run ahead of, the table's watermark. */
  private static final Duration UNBEARABLE_CLOCK_DIFFERENCE = Duration.ofMinutes(5);

  /** Each further one has the whole binlog sent to it once more. */
  private static final int MANY_GROUPS = 4;

  private final Registry registry;
  private final ServerSpec server;
  private final ServerFacts facts;
  private final String subject;
  private final List<Finding> findings = new ArrayList<>();

  private ServerRules(Registry registry, ServerSpec server, ServerFacts facts) {
    this.registry = registry;
    this.server = server;
    this.facts = facts;
    this.subject = "server " + server.name();
  }

  static List<Finding> judge(Registry registry, ServerSpec server, ServerFacts facts) {
    ServerRules rules = new ServerRules(registry, server, facts);
    rules.version();
    rules.binlog();
    rules.retention();
    rules.grants();
    rules.filters();
    rules.role();
    rules.clock();
    rules.serverIds();
    rules.groups();
    return rules.findings;
  }

  private void version() {
    String version = facts.version();
    if (!facts.mariaDb() && facts.atLeast(8, 4)) {
      error(
          "version-refused",
          version,
          "Flink CDC asks with statements that MySQL 8.4 no longer has (SHOW MASTER STATUS)",
          "read from a server of an older release, for example a replica");
    } else if (!facts.mariaDb() && !facts.atLeast(5, 6)) {
      error(
          "version-refused",
          version,
          "its binlog has no full row images",
          "read from a server of release 5.6 or later");
    } else if (!proven()) {
      warning(
          "version-unproven",
          version,
          "Tributary is tested with MariaDB 10.11 and 11.4 and MySQL 5.6",
          "compare the rows with 'tributary verify' before you rely on them");
    }
  }

  private boolean proven() {
    int[] release = facts.release();
    return facts.mariaDb()
        ? (release[0] == 10 && release[1] == 11) || (release[0] == 11 && release[1] == 4)
        : release[0] == 5 && release[1] == 6;
  }

  private void binlog() {
    if (!facts.on("log_bin")) {
      error(
          "binlog-off",
          "log_bin=OFF",
          "there is nothing to read changes from",
          "start the server with log_bin and binlog_format=ROW");
      return;
    }
    String format = facts.variable("binlog_format").orElse("ROW");
    if (!format.equalsIgnoreCase("ROW")) {
      error(
          "binlog-format",
          "binlog_format=" + format,
          "changes are logged as statements, which say nothing of rows: reading stops at the first",
          "SET GLOBAL binlog_format=ROW, and let clients connect anew");
    }
    String image = facts.variable("binlog_row_image").orElse("FULL");
    if (!image.equalsIgnoreCase("FULL")) {
      error(
          "binlog-row-image",
          "binlog_row_image=" + image,
          "rows are logged without the columns that did not change: reading stops at the first",
          "SET GLOBAL binlog_row_image=FULL, and let clients connect anew");
    }
    facts
        .variable("binlog_row_value_options")
        .filter(value -> value.toUpperCase(Locale.ROOT).contains("PARTIAL_JSON"))
        .ifPresent(
            value ->
                error(
                    "partial-json",
                    "binlog_row_value_options=" + value,
                    "changes of JSON values are logged as differences, which cannot be read",
                    "SET GLOBAL binlog_row_value_options=''"));
    for (String name : List.of("log_bin_compress", "binlog_transaction_compression")) {
      if (facts.on(name)) {
        error(
            "binlog-compressed",
            name + "=ON",
            "compressed events cannot be read: rows would be passed over",
            "SET GLOBAL " + name + "=OFF");
      }
    }
    if (facts.off("sync_binlog")) {
      warning(
          "binlog-not-synced",
          "sync_binlog=0",
          "a crash of the server's machine can take back events that were read already: its"
              + " shards are halted then and have to be copied anew",
          "SET GLOBAL sync_binlog=1");
    }
  }

  private void retention() {
    Optional<Duration> kept =
        facts
            .variable("binlog_expire_logs_seconds")
            .map(text -> Duration.ofSeconds(Long.parseLong(text)))
            .filter(time -> !time.isZero())
            .or(
                () ->
                    facts
                        .variable("expire_logs_days")
                        .map(
                            text -> Duration.ofSeconds((long) (Double.parseDouble(text) * 86_400))))
            .filter(time -> !time.isZero());
    kept.filter(time -> time.compareTo(LEAST_RETENTION) < 0)
        .ifPresent(
            time ->
                warning(
                    "binlog-retention",
                    "binlogs are kept for " + hours(time) + " hours",
                    "a group that stands still for longer has to copy its shards anew",
                    "keep them for "
                        + LEAST_RETENTION.toDays()
                        + " days at least (binlog_expire_logs_seconds, expire_logs_days)"));
  }

  private static String hours(Duration time) {
    return "%.1f".formatted(time.toMinutes() / 60.0);
  }

  private void grants() {
    Set<String> missing = new TreeSet<>();
    if (!granted("REPLICATION SLAVE", "REPLICATION REPLICA")) {
      missing.add("REPLICATION SLAVE");
    }
    if (!granted("REPLICATION CLIENT", "BINLOG MONITOR", "SUPER")) {
      missing.add("REPLICATION CLIENT");
    }
    if (!missing.isEmpty()) {
      error(
          "grants-missing",
          "user '%s' lacks %s ON *.*".formatted(server.username(), String.join(", ", missing)),
          "the binlog cannot be read",
          "GRANT %s ON *.* TO '%s'@'...'".formatted(String.join(", ", missing), server.username()));
    }
  }

  private boolean granted(String... anyOf) {
    Set<String> wanted = new TreeSet<>(List.of(anyOf));
    wanted.add("ALL PRIVILEGES");
    return facts.grants().stream()
        .map(line -> line.toUpperCase(Locale.ROOT))
        .filter(line -> line.startsWith("GRANT ") && line.contains(" ON *.* "))
        .flatMap(line -> Stream.of(line.substring(6, line.indexOf(" ON *.* ")).split(",")))
        .anyMatch(privilege -> wanted.contains(privilege.strip()));
  }

  private void filters() {
    Set<String> read = new TreeSet<>();
    for (ShardSpec shard : registry.shards()) {
      if (shard.server().equals(server.name()) && shard.state() != DesiredState.RETIRED) {
        read.add(shard.source().database());
      }
    }
    Set<String> lost = new TreeSet<>(read);
    if (facts.binlogDatabases().isEmpty()) {
      lost.retainAll(facts.ignoredDatabases());
    } else {
      lost.removeAll(facts.binlogDatabases());
    }
    if (!lost.isEmpty()) {
      error(
          "binlog-filtered",
          "the binlog leaves out " + String.join(", ", lost),
          "changes of these databases' shards would be lost without a sign",
          "take binlog_do_db and binlog_ignore_db out of the server's configuration");
    }
  }

  private void role() {
    boolean logsNothing = facts.off("log_slave_updates") || facts.off("log_replica_updates");
    if (facts.replicates().isEmpty() && logsNothing) {
      warning(
          "replica-unknown",
          "log_slave_updates=OFF, and no right to see whether it is a replica",
          "were it one, changes would be lost without a sign",
          "make sure that it is a primary, or grant REPLICA MONITOR (MariaDB), REPLICATION CLIENT");
    }
    if (!facts.replicates().orElse(false)) {
      return;
    }
    if (logsNothing) {
      error(
          "replica-logs-nothing",
          "a replica with log_slave_updates=OFF",
          "what it replicates is not in its own binlog: changes would be lost without a sign",
          "start it with log_slave_updates=ON, or read from the primary");
    } else {
      warning(
          "replica",
          "a replica",
          "its watermark speaks of what it has replicated: commits of the primary that have not"
              + " reached it are not counted",
          "alert on its replication lag, or read from the primary");
    }
  }

  private void clock() {
    Duration difference = facts.clockAhead().abs().minus(facts.clockUncertainty());
    if (difference.compareTo(MOST_CLOCK_DIFFERENCE) <= 0) {
      return;
    }
    String found =
        "its clock is %.1f s %s ours"
            .formatted(
                facts.clockAhead().abs().toMillis() / 1000.0,
                facts.clockAhead().isNegative() ? "behind" : "ahead of");
    String meaning =
        "a watermark speaks of the source's own clock: consumers that wait for a moment of theirs"
            + " wait too long, or not long enough";
    String cure = "let the server's clock follow the same NTP servers as the consumers'";
    if (difference.compareTo(UNBEARABLE_CLOCK_DIFFERENCE) > 0) {
      error("clock", found, meaning, cure);
    } else {
      warning("clock", found, meaning, cure);
    }
  }

  private void serverIds() {
    Set<Long> taken = new TreeSet<>(facts.replicaIds());
    facts.variable("server_id").map(Long::parseLong).ifPresent(taken::add);
    registry
        .groups()
        .forEach(
            group -> {
              ServerIdRange range = group.serverIds().get(server.name());
              if (range == null) {
                return;
              }
              for (long id : taken) {
                if (id >= range.first() && id <= range.last()) {
                  error(
                      "server-id-taken",
                      "group %s is to use server ids %s, and %d is the server's own or a replica's"
                          .formatted(group.name(), range, id),
                      "the server cuts off one of two readers with the same id",
                      "give the group a range in the registry that nobody uses on this server");
                }
              }
            });
  }

  private void groups() {
    long readers =
        registry.groups().stream()
            .filter(group -> group.serverIds().containsKey(server.name()))
            .count();
    if (readers > MANY_GROUPS) {
      warning(
          "many-groups",
          readers + " groups read its whole binlog",
          "the server sends its binlog that often",
          "make fewer groups of the shards on this server");
    }
    if (!facts.unanswered().isEmpty()) {
      findings.add(
          Finding.info(
              "not-answered",
              subject,
              String.join("; ", facts.unanswered()),
              "whether it is a replica, and which server ids its replicas use, stays unknown without"
                  + " the right to ask (MariaDB: REPLICA MONITOR and REPLICATION MASTER ADMIN)"));
    }
  }

  private void error(String code, String found, String meaning, String cure) {
    findings.add(Finding.error(code, subject, found, meaning, cure));
  }

  private void warning(String code, String found, String meaning, String cure) {
    findings.add(Finding.warning(code, subject, found, meaning, cure));
  }
}
