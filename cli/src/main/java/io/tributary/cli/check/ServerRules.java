package io.tributary.cli.check;

import io.tributary.ingest.server.LossRules;
import io.tributary.ingest.server.ServerFacts;
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
    rules.losses();
    rules.version();
    rules.binlog();
    rules.retention();
    rules.grants();
    rules.role();
    rules.clock();
    rules.serverIds();
    rules.transactions();
    rules.zone();
    rules.groups();
    return rules.findings;
  }

  private void version() {
    if (facts.mariaDb() || facts.atLeast(5, 6) && !facts.atLeast(8, 4)) {
      if (proven()) {
        return;
      }
      warning(
          "version-unproven",
          facts.version(),
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

  /** What a job refuses to start over. */
  private void losses() {
    Set<String> databases = new TreeSet<>();
    for (ShardSpec shard : registry.shards()) {
      if (shard.server().equals(server.name()) && shard.state() != DesiredState.RETIRED) {
        databases.add(shard.source().database());
      }
    }
    LossRules.judge(facts, databases)
        .forEach(fault -> error(fault.code(), fault.found(), fault.meaning(), fault.cure()));
  }

  private void binlog() {
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
    kept(facts)
        .filter(time -> time.compareTo(LEAST_RETENTION) < 0)
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

  /** How long it keeps its binlogs; empty when for ever. */
  static Optional<Duration> kept(ServerFacts facts) {
    return facts
        .variable("binlog_expire_logs_seconds")
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .filter(time -> !time.isZero())
        .or(
            () ->
                facts
                    .variable("expire_logs_days")
                    .map(text -> Duration.ofSeconds((long) (Double.parseDouble(text) * 86_400))))
        .filter(time -> !time.isZero());
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
    String cure =
        "GRANT %s ON *.* TO '%s'@'...'".formatted(String.join(", ", missing), server.username());
    if (!missing.isEmpty() && facts.grants().stream().anyMatch(ServerRules::isRole)) {
      warning(
          "grants-unknown",
          "user '%s' has no %s of its own, and a role"
              .formatted(server.username(), String.join(", ", missing)),
          "a role's rights cannot be seen here; without them the binlog cannot be read",
          cure);
    } else if (!missing.isEmpty()) {
      error(
          "grants-missing",
          "user '%s' lacks %s ON *.*".formatted(server.username(), String.join(", ", missing)),
          "the binlog cannot be read",
          cure);
    }
  }

  private static boolean isRole(String line) {
    String text = line.toUpperCase(Locale.ROOT);
    return text.startsWith("GRANT ") && !text.contains(" ON ") && text.contains(" TO ");
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

  private void role() {
    if (facts.replicates().isEmpty() && facts.logsNothingReplicated()) {
      warning(
          "replica-unknown",
          "log_slave_updates=OFF, and no right to see whether it is a replica",
          "were it one, changes would be lost without a sign",
          "make sure that it is a primary, or grant REPLICA MONITOR (MariaDB), REPLICATION CLIENT");
    }
    if (facts.replicates().orElse(false) && !facts.logsNothingReplicated()) {
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
                      "give group %s a range in the registry that nobody uses on this server"
                          .formatted(group.name()));
                }
              }
            });
  }

  private void transactions() {
    if (facts.timesPrepared() > 0 && facts.preparedTransactions() == 0) {
      warning(
          "xa-used",
          "%d transactions were prepared (XA PREPARE) since it was started"
              .formatted(facts.timesPrepared()),
          "reading stops at the next one, and all its shards are halted and copied anew",
          "use no XA on this server: transactions of one phase instead");
    }
  }

  private void zone() {
    Optional<String> own = CheckReport.zone(facts);
    server
        .serverTimeZone()
        .filter(named -> own.isPresent() && !named.getId().equals(own.get()))
        .ifPresent(
            named ->
                findings.add(
                    Finding.info(
                        "zone",
                        subject,
                        "server-time-zone: %s in the registry, %s on the server"
                            .formatted(named, own.get()),
                        "nothing: times are read without any zone, and no job reads the key")));
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
              "whether it is a replica, which server ids its replicas use, and which XA transactions"
                  + " are prepared stays unknown without the right to ask (MariaDB: REPLICA MONITOR"
                  + " and REPLICATION MASTER ADMIN; MySQL: XA_RECOVER_ADMIN)"));
    }
  }

  private void error(String code, String found, String meaning, String cure) {
    findings.add(Finding.error(code, subject, found, meaning, cure));
  }

  private void warning(String code, String found, String meaning, String cure) {
    findings.add(Finding.warning(code, subject, found, meaning, cure));
  }
}
