package io.tributary.ingest.source;

import io.tributary.ingest.row.SourceColumn;
import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.ingest.server.ForeignKeys;
import io.tributary.ingest.server.LossRules;
import io.tributary.ingest.server.ServerSurvey;
import io.tributary.protocol.ServerName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads the description of shards from a server's {@code information_schema}. */
public final class ServerCatalog implements AutoCloseable {
  private final Connection connection;

  /**
   * @throws SQLException when the server cannot be reached or refuses the user
   */
  public ServerCatalog(SourceSpec.Connection server) throws SQLException {
    this.connection = ServerSession.open(server);
  }

  /**
   * Over a connection that the catalog closes.
   *
   * @param connection to the server
   */
  public ServerCatalog(Connection connection) {
    this.connection = connection;
  }

  /**
   * What would lose rows or end reading: settings of the server, and foreign keys of the shards.
   *
   * @return one sentence each
   * @throws SQLException when the server does not answer
   */
  List<String> losses(ServerName server, List<SourceSpec.Shard> shards) throws SQLException {
    List<String> losses = new ArrayList<>();
    LossRules.judge(
            new ServerSurvey(connection).facts(),
            shards.stream().map(SourceSpec.Shard::database).distinct().toList())
        .forEach(fault -> losses.add(fault.sentence("server " + server)));
    for (SourceSpec.Shard shard : shards) {
      for (String acting : ForeignKeys.acting(connection, shard.database(), shard.table())) {
        losses.add(LossRules.cascade(acting).sentence(shard + " on server " + server));
      }
    }
    return losses;
  }

  /**
   * @return the descriptions in the order asked for
   * @throws UnfitSourceException naming every table that is missing or no plain table
   * @throws SQLException when the server does not answer
   */
  public List<SourceSchema> describe(List<SourceSpec.Shard> shards) throws SQLException {
    List<SourceSchema> found = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (SourceSpec.Shard shard : shards) {
      Optional<Long> estimate = estimate(shard, problems);
      if (estimate.isPresent()) {
        List<SourceColumn> columns = columns(shard);
        Map<String, List<String>> keys = keys(shard, columns);
        List<String> primary = keys.getOrDefault("PRIMARY", List.of());
        keys.remove("PRIMARY");
        found.add(
            new SourceSchema(
                shard.id(),
                shard.database(),
                shard.table(),
                columns,
                primary,
                List.copyOf(keys.values()),
                estimate.get()));
      }
    }
    if (!problems.isEmpty()) {
      throw new UnfitSourceException(problems);
    }
    return found;
  }

  private Optional<Long> estimate(SourceSpec.Shard shard, List<String> problems)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT table_schema, table_name, table_type, table_rows"
                + " FROM information_schema.tables WHERE table_schema = ? AND table_name = ?")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet rows = statement.executeQuery()) {
        String other = null;
        while (rows.next()) {
          // The comparison in SQL may ignore case; names here are exact.
          if (rows.getString(1).equals(shard.database())
              && rows.getString(2).equals(shard.table())) {
            String type = rows.getString(3);
            if (!type.equals("BASE TABLE")) {
              problems.add(
                  "Cannot read %s: expected a table, found a %s"
                      .formatted(shard, type.toLowerCase(java.util.Locale.ROOT)));
              return Optional.empty();
            }
            return Optional.of(rows.getLong(4));
          }
          other = rows.getString(1) + "." + rows.getString(2);
        }
        problems.add(
            "Cannot read %s: expected that table on the server, found %s"
                .formatted(shard, other == null ? "none, or no right to see it" : "only " + other));
        return Optional.empty();
      }
    }
  }

  private List<SourceColumn> columns(SourceSpec.Shard shard) throws SQLException {
    List<SourceColumn> columns = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT column_name, data_type, column_type, is_nullable, character_maximum_length,"
                + " numeric_precision, numeric_scale, datetime_precision, collation_name, extra"
                + " FROM information_schema.columns"
                + " WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          columns.add(
              new SourceColumn(
                  rows.getString(1),
                  rows.getString(2),
                  rows.getString(3),
                  rows.getString(4).equals("YES"),
                  optionalLong(rows, 5),
                  optionalInt(rows, 6),
                  optionalInt(rows, 7),
                  optionalInt(rows, 8),
                  Optional.ofNullable(rows.getString(9)),
                  Optional.ofNullable(rows.getString(10)).orElse("")));
        }
      }
    }
    return columns;
  }

  /** Keys by name, without those that allow NULL or cover a part of a column only. */
  private Map<String, List<String>> keys(SourceSpec.Shard shard, List<SourceColumn> columns)
      throws SQLException {
    Map<String, List<String>> keys = new LinkedHashMap<>();
    List<String> unfit = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT index_name, column_name, sub_part FROM information_schema.statistics"
                + " WHERE table_schema = ? AND table_name = ? AND non_unique = 0"
                + " ORDER BY index_name, seq_in_index")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(1);
          String column = rows.getString(2);
          boolean nullable =
              column == null
                  || columns.stream().anyMatch(one -> one.name().equals(column) && one.nullable());
          if (nullable || rows.getString(3) != null) {
            unfit.add(name);
          }
          keys.computeIfAbsent(name, any -> new ArrayList<>()).add(column);
        }
      }
    }
    unfit.forEach(keys::remove);
    return keys;
  }

  private static OptionalLong optionalLong(ResultSet rows, int index) throws SQLException {
    // Longtext's length does not fit a long on some servers' wire type; as text it always reads.
    String text = rows.getString(index);
    return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseUnsignedLong(text));
  }

  private static OptionalInt optionalInt(ResultSet rows, int index) throws SQLException {
    int value = rows.getInt(index);
    return rows.wasNull() ? OptionalInt.empty() : OptionalInt.of(value);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
