package io.tributary.ingest.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Collects {@link ServerFacts} over one connection; changes nothing. */
public final class ServerSurvey {
  private static final String WANTED =
      "'version', 'log_bin', 'binlog_format', 'binlog_row_image', 'binlog_row_value_options',"
          + " 'log_bin_compress', 'binlog_transaction_compression', 'expire_logs_days',"
          + " 'binlog_expire_logs_seconds', 'gtid_mode', 'server_id', 'log_slave_updates',"
          + " 'log_replica_updates', 'sync_binlog', 'server_uuid', 'time_zone', 'system_time_zone'";

  private final Connection connection;
  private final List<String> unanswered = new ArrayList<>();

  public ServerSurvey(Connection connection) {
    this.connection = connection;
  }

  /**
   * @throws SQLException when the server does not answer what every user may ask
   */
  public ServerFacts facts() throws SQLException {
    Map<String, String> variables = new TreeMap<>();
    for (List<String> row : rows("SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + WANTED + ")")) {
      variables.put(row.get(0).toLowerCase(Locale.ROOT), row.get(1) == null ? "" : row.get(1));
    }
    for (List<String> row : rows("SHOW GLOBAL STATUS LIKE 'Com_xa_prepare'")) {
      variables.put(row.get(0).toLowerCase(Locale.ROOT), row.get(1));
    }
    List<String> grants = rows("SHOW GRANTS").stream().map(row -> row.get(0)).toList();
    Instant before = Instant.now();
    Instant clock =
        LocalDateTime.parse(
                rows("SELECT CAST(UTC_TIMESTAMP(6) AS CHAR(26))").get(0).get(0).replace(' ', 'T'))
            .toInstant(ZoneOffset.UTC);
    Instant after = Instant.now();
    Duration uncertainty = Duration.between(before, after).dividedBy(2);
    Set<String> logged = new TreeSet<>();
    Set<String> ignored = new TreeSet<>();
    for (List<String> row :
        answer("SHOW MASTER STATUS", "SHOW BINARY LOG STATUS").orElse(List.of())) {
      logged.addAll(names(row.get(2)));
      ignored.addAll(names(row.get(3)));
    }
    Set<Long> replicas = new TreeSet<>();
    for (List<String> row : answer("SHOW SLAVE HOSTS", "SHOW REPLICAS").orElse(List.of())) {
      replicas.add(Long.parseLong(row.get(0)));
    }
    // MariaDB's plain statement tells of the connection without a name alone.
    Optional<Boolean> replicates =
        answer("SHOW ALL SLAVES STATUS", "SHOW SLAVE STATUS", "SHOW REPLICA STATUS")
            .map(found -> !found.isEmpty());
    int prepared = answer("XA RECOVER").map(List::size).orElse(0);
    return new ServerFacts(
        variables,
        grants,
        Duration.between(before.plus(uncertainty), clock),
        uncertainty,
        logged,
        ignored,
        replicas,
        replicates,
        prepared,
        unanswered);
  }

  /** The answer to the first statement that the server understands and we may ask. */
  private Optional<List<List<String>>> answer(String... statements) {
    List<String> refusals = new ArrayList<>();
    for (String sql : statements) {
      try {
        return Optional.of(rows(sql));
      } catch (SQLException e) {
        refusals.add(sql + ": " + e.getMessage());
      }
    }
    unanswered.add(refusals.get(0));
    return Optional.empty();
  }

  private static List<String> names(String list) {
    return list == null || list.isBlank() ? List.of() : Arrays.asList(list.split(","));
  }

  private List<List<String>> rows(String sql) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      ResultSetMetaData columns = result.getMetaData();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          row.add(result.getString(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }
}
