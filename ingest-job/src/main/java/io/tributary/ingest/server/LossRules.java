package io.tributary.ingest.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which settings of a server would lose rows or end reading. A job refuses to start over any of
 * them, and {@code registry check} names the same.
 */
public final class LossRules {
  private final ServerFacts facts;
  private final List<ServerFault> faults = new ArrayList<>();

  private LossRules(ServerFacts facts) {
    this.facts = facts;
  }

  /**
   * @param databases that are read on the server
   * @return all that stands against reading it
   */
  public static List<ServerFault> judge(ServerFacts facts, Collection<String> databases) {
    LossRules rules = new LossRules(facts);
    rules.version();
    rules.binlog();
    rules.filters(databases);
    rules.replica();
    rules.prepared();
    return rules.faults;
  }

  /**
   * @param constraint as {@link ForeignKeys} names it
   */
  public static ServerFault cascade(String constraint) {
    return new ServerFault(
        "foreign-key-cascade",
        "foreign keys that refuse",
        "foreign key " + constraint,
        "rows that the server changes by it are not in the binlog: the table would keep them",
        "replace the rule by statements of the application, or drop the foreign key");
  }

  private void version() {
    if (!facts.mariaDb() && facts.atLeast(8, 4)) {
      add(
          "version-refused",
          "MySQL 5.6 to 8.3 or MariaDB",
          facts.version(),
          "Flink CDC asks with statements that MySQL 8.4 no longer has (SHOW MASTER STATUS)",
          "read from a server of an older release, for example a replica");
    } else if (!facts.mariaDb() && !facts.atLeast(5, 6)) {
      add(
          "version-refused",
          "MySQL 5.6 to 8.3 or MariaDB",
          facts.version(),
          "its binlog has no full row images",
          "read from a server of release 5.6 or later");
    }
  }

  private void binlog() {
    if (!facts.on("log_bin")) {
      add(
          "binlog-off",
          "a binlog",
          "log_bin=OFF",
          "there is nothing to read changes from",
          "start the server with log_bin and binlog_format=ROW");
      return;
    }
    String format = facts.variable("binlog_format").orElse("ROW");
    if (!format.equalsIgnoreCase("ROW")) {
      add(
          "binlog-format",
          "binlog_format=ROW",
          "binlog_format=" + format,
          "changes are logged as statements, which say nothing of rows: reading stops at the first",
          "SET GLOBAL binlog_format=ROW, and let clients connect anew");
    }
    String image = facts.variable("binlog_row_image").orElse("FULL");
    if (!image.equalsIgnoreCase("FULL")) {
      add(
          "binlog-row-image",
          "binlog_row_image=FULL",
          "binlog_row_image=" + image,
          "rows are logged without the columns that did not change: reading stops at the first",
          "SET GLOBAL binlog_row_image=FULL, and let clients connect anew");
    }
    facts
        .variable("binlog_row_value_options")
        .filter(value -> value.toUpperCase(Locale.ROOT).contains("PARTIAL_JSON"))
        .ifPresent(
            value ->
                add(
                    "partial-json",
                    "no binlog_row_value_options",
                    "binlog_row_value_options=" + value,
                    "changes of JSON values are logged as differences, which cannot be read",
                    "SET GLOBAL binlog_row_value_options=''"));
    for (String name : List.of("log_bin_compress", "binlog_transaction_compression")) {
      if (facts.on(name)) {
        add(
            "binlog-compressed",
            name + "=OFF",
            name + "=ON",
            "compressed events cannot be read: rows would be passed over",
            "SET GLOBAL " + name + "=OFF");
      }
    }
  }

  private void filters(Collection<String> databases) {
    Set<String> lost = new TreeSet<>(databases);
    if (facts.binlogDatabases().isEmpty()) {
      lost.retainAll(facts.ignoredDatabases());
    } else {
      lost.removeAll(facts.binlogDatabases());
    }
    if (!lost.isEmpty()) {
      add(
          "binlog-filtered",
          "a binlog of all databases",
          "the binlog leaves out " + String.join(", ", lost),
          "changes of these databases' shards would be lost without a sign",
          "take binlog_do_db and binlog_ignore_db out of the server's configuration");
    }
  }

  private void replica() {
    if (facts.replicates().orElse(false) && facts.logsNothingReplicated()) {
      add(
          "replica-logs-nothing",
          "a primary, or a replica with log_slave_updates=ON",
          "a replica with log_slave_updates=OFF",
          "what it replicates is not in its own binlog: changes would be lost without a sign",
          "start it with log_slave_updates=ON, or read from the primary");
    }
  }

  /**
   * Its rows are in the binlog already, and not yet in the tables: who begins now sees them neither
   * in a copy nor behind its position.
   */
  private void prepared() {
    if (facts.preparedTransactions() > 0) {
      add(
          "xa-prepared",
          "transactions of one phase",
          facts.preparedTransactions() + " prepared transactions (XA RECOVER)",
          "whoever begins to read now never sees their rows, whenever they are committed",
          "end them with XA COMMIT or XA ROLLBACK, and use no XA on this server");
    }
  }

  private void add(String code, String expected, String found, String meaning, String cure) {
    faults.add(new ServerFault(code, expected, found, meaning, cure));
  }
}
