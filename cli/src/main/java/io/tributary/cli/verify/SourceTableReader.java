package io.tributary.cli.verify;

import io.tributary.registry.ColumnTypeOverride;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads one shard's MySQL table as the server itself writes it. */
final class SourceTableReader {
  private final ShardToVerify shard;
  private final Connection connection;

  /**
   * @param connection used by this reader alone until it is closed
   */
  SourceTableReader(ShardToVerify shard, Connection connection) throws SQLException {
    this.shard = shard;
    this.connection = connection;
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION time_zone = '+00:00'");
      // Modes such as PAD_CHAR_TO_FULL_LENGTH change the text of stored values.
      statement.execute("SET SESSION sql_mode = ''");
      // The server waits this long for us while the other side is read.
      statement.execute("SET SESSION net_write_timeout = 3600");
    }
  }

  /**
   * The columns in table order, invisible ones too, with the form of their texts.
   *
   * @param wanted the types that the registry wants in the place of those that lose nothing
   */
  Map<String, TextForm> columns(Map<String, ColumnTypeOverride> wanted) throws SQLException {
    Map<String, TextForm> columns = new LinkedHashMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          String name = result.getString(1);
          String type = result.getString(2);
          columns.put(
              name,
              (wanted.containsKey(name) ? TextForm.of(type, wanted.get(name)) : TextForm.of(type))
                  .orElseThrow(
                      () ->
                          new VerifyException(
                              "Cannot verify %s: expected columns of types with an exact text, found column '%s' of type %s"
                                  .formatted(shard, name, type))));
        }
      }
    }
    if (columns.isEmpty()) {
      throw new VerifyException(
          "Cannot verify %s: expected the table on the server, found none (or no right to read it)"
              .formatted(shard));
    }
    return columns;
  }

  /** The primary key's columns, in key order; empty when there is none. */
  List<String> primaryKey() throws SQLException {
    List<String> key = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ?"
                + " AND TABLE_NAME = ? AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          key.add(result.getString(1));
        }
      }
    }
    return key;
  }

  /** How many rows the server believes there are; for choosing a way to compare, no more. */
  long estimatedRows() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COALESCE(MAX(TABLE_ROWS), 0) FROM information_schema.TABLES"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?")) {
      statement.setString(1, shard.database());
      statement.setString(2, shard.table());
      try (ResultSet result = statement.executeQuery()) {
        return result.next() ? result.getLong(1) : 0;
      }
    }
  }

  /**
   * All rows, streamed.
   *
   * @param compared the columns to read and their forms, in the order of the rows' texts; a column
   *     that the source lacks has no form and reads as NULL
   */
  RowSource rows(List<String> compared, Map<String, TextForm> forms, int[] keyIndexes) {
    String sql =
        compared.stream()
            .map(
                column ->
                    forms.containsKey(column)
                        ? forms.get(column).select(ShardToVerify.quote(column))
                        : "NULL")
            .collect(Collectors.joining(", ", "SELECT ", " FROM " + shard.quotedName()));
    List<TextForm> formOf = new ArrayList<>();
    compared.forEach(column -> formOf.add(forms.get(column)));
    return taker -> {
      try (Statement statement =
          connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
        // The driver's word for streaming: anything else holds the whole result in memory.
        statement.setFetchSize(Integer.MIN_VALUE);
        try (ResultSet result = statement.executeQuery(sql)) {
          List<String> texts = new ArrayList<>(compared.size());
          while (result.next()) {
            texts.clear();
            for (int i = 0; i < compared.size(); i++) {
              TextForm form = formOf.get(i);
              texts.add(form == null ? null : form.ofSource(result.getBytes(i + 1)));
            }
            taker.take(PackedRow.of(texts, keyIndexes));
          }
        }
      }
    };
  }

  /** Where the server's binlog ends now. */
  static String binlogEnd(Connection connection) throws SQLException {
    try {
      return binlogEnd(connection, "SHOW MASTER STATUS");
    } catch (SQLSyntaxErrorException renamed) {
      // MySQL 8.4 knows only the new name.
      return binlogEnd(connection, "SHOW BINARY LOG STATUS");
    }
  }

  private static String binlogEnd(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      if (!result.next()) {
        throw new VerifyException(
            "Cannot verify: expected a server with its binlog on, found " + sql + " to be empty");
      }
      return result.getString(1) + ":" + result.getLong(2);
    }
  }
}
