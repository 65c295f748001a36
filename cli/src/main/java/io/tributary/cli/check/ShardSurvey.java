package io.tributary.cli.check;

import io.tributary.ingest.row.SourceSchema;
import io.tributary.ingest.server.ForeignKeys;
import io.tributary.ingest.source.ServerCatalog;
import io.tributary.ingest.source.SourceSpec;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.SourceTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Collects {@link ShardFacts} from {@code information_schema}; reads no row of the table. */
final class ShardSurvey {
  private final Connection connection;

  ShardSurvey(Connection connection) {
    this.connection = connection;
  }

  /**
   * @throws SQLException when the server does not answer
   */
  ShardFacts facts(ShardSpec shard) throws SQLException {
    SourceTable table = shard.source();
    // The comparison in SQL may ignore case; names here are exact.
    Optional<List<String>> exact =
        rows(
                "SELECT table_name, table_type, engine, table_rows, data_length + index_length"
                    + " FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
                table)
            .stream()
            .filter(row -> row.get(0).equals(table.table()))
            .findFirst();
    if (exact.isEmpty()) {
      return ShardFacts.missing();
    }
    boolean plain = exact.get().get(1).equals("BASE TABLE");
    return new ShardFacts(
        Optional.of(exact.get().get(1)),
        Optional.ofNullable(exact.get().get(2)),
        number(exact.get().get(3)),
        number(exact.get().get(4)),
        plain ? schema(shard) : Optional.empty(),
        distinct(table),
        plain ? refusal(table) : Optional.empty(),
        ForeignKeys.acting(connection, table.database(), table.table()));
  }

  /** As the job sees it. */
  @SuppressWarnings("resource") // Closing it would close our connection.
  private Optional<SourceSchema> schema(ShardSpec shard) throws SQLException {
    return new ServerCatalog(connection)
            .describe(
                List.of(
                    new SourceSpec.Shard(
                        shard.id(), shard.source().database(), shard.source().table())))
            .stream()
            .findFirst();
  }

  private Map<String, Long> distinct(SourceTable table) throws SQLException {
    Map<String, Long> distinct = new HashMap<>();
    for (List<String> row :
        rows(
            "SELECT column_name, cardinality FROM information_schema.statistics"
                + " WHERE table_schema = ? AND table_name = ? AND seq_in_index = 1",
            table)) {
      if (row.get(0) != null && row.get(1) != null) {
        distinct.merge(row.get(0), Long.parseLong(row.get(1)), Math::max);
      }
    }
    return distinct;
  }

  /** A right to see a table is not one to read it. */
  private Optional<String> refusal(SourceTable table) {
    try (Statement statement = connection.createStatement();
        ResultSet none =
            statement.executeQuery(
                "SELECT * FROM %s.%s LIMIT 0"
                    .formatted(quoted(table.database()), quoted(table.table())))) {
      return none.next() ? Optional.of("a row where none was asked for") : Optional.empty();
    } catch (SQLException e) {
      return Optional.of(Causes.of(e));
    }
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  private static OptionalLong number(String text) {
    return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseUnsignedLong(text));
  }

  private List<List<String>> rows(String sql, SourceTable table) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, table.database());
      statement.setString(2, table.table());
      try (ResultSet result = statement.executeQuery()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            row.add(result.getString(i));
          }
          rows.add(row);
        }
      }
    }
    return rows;
  }
}
