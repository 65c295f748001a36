package io.tributary.cli.check;

import io.tributary.registry.SourceTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  ShardFacts facts(SourceTable table) throws SQLException {
    List<List<String>> found =
        rows(
            "SELECT table_name, table_type, engine, table_rows, data_length + index_length"
                + " FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
            table);
    // The comparison in SQL may ignore case; names here are exact.
    Optional<List<String>> exact =
        found.stream().filter(row -> row.get(0).equals(table.table())).findFirst();
    if (exact.isEmpty()) {
      return new ShardFacts(
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Map.of(),
          Map.of(),
          List.of(),
          List.of());
    }
    Map<String, String> columns = new LinkedHashMap<>();
    List<String> nullable = new ArrayList<>();
    for (List<String> row :
        rows(
            "SELECT column_name, column_type, is_nullable"
                + " FROM information_schema.columns WHERE table_schema = ? AND table_name = ?"
                + " ORDER BY ordinal_position",
            table)) {
      columns.put(row.get(0), row.get(1));
      if (row.get(2).equals("YES")) {
        nullable.add(row.get(0));
      }
    }
    Map<String, List<String>> keys = new LinkedHashMap<>();
    List<String> nullableKeys = new ArrayList<>();
    for (List<String> row :
        rows(
            "SELECT index_name, column_name, sub_part FROM information_schema.statistics"
                + " WHERE table_schema = ? AND table_name = ? AND non_unique = 0"
                + " ORDER BY index_name, seq_in_index",
            table)) {
      keys.computeIfAbsent(row.get(0), any -> new ArrayList<>()).add(row.get(1));
      if (row.get(1) == null || row.get(2) != null || nullable.contains(row.get(1))) {
        nullableKeys.add(row.get(0));
      }
    }
    List<String> cascades = new ArrayList<>();
    for (List<String> row :
        rows(
            "SELECT constraint_name, referenced_table_name, delete_rule, update_rule"
                + " FROM information_schema.referential_constraints"
                + " WHERE constraint_schema = ? AND table_name = ?",
            table)) {
      if (acts(row.get(2)) || acts(row.get(3))) {
        cascades.add(
            "%s on %s (delete: %s, update: %s)"
                .formatted(row.get(0), row.get(1), row.get(2), row.get(3)));
      }
    }
    return new ShardFacts(
        Optional.of(exact.get().get(1)),
        Optional.ofNullable(exact.get().get(2)),
        number(exact.get().get(3)),
        number(exact.get().get(4)),
        columns,
        keys,
        nullableKeys,
        cascades);
  }

  private static boolean acts(String rule) {
    return rule.equals("CASCADE") || rule.equals("SET NULL") || rule.equals("SET DEFAULT");
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
