package io.tributary.ingest.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds foreign keys by which a server changes a table's rows on its own, outside its binlog. */
public final class ForeignKeys {
  private ForeignKeys() {}

  /**
   * @param database exact name
   * @param table exact name of the table whose rows are changed
   * @return what is to be told of each
   * @throws SQLException when the server does not answer
   */
  public static List<String> acting(Connection connection, String database, String table)
      throws SQLException {
    List<String> acting = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT constraint_name, referenced_table_name, delete_rule, update_rule, table_name"
                + " FROM information_schema.referential_constraints"
                + " WHERE constraint_schema = ? AND table_name = ?")) {
      statement.setString(1, database);
      statement.setString(2, table);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          // The comparison in SQL may ignore case; names here are exact.
          boolean ours = rows.getString(5).equals(table);
          if (ours && (acts(rows.getString(3)) || acts(rows.getString(4)))) {
            acting.add(
                "%s on %s (delete: %s, update: %s)"
                    .formatted(
                        rows.getString(1),
                        rows.getString(2),
                        rows.getString(3),
                        rows.getString(4)));
          }
        }
      }
    }
    return acting;
  }

  private static boolean acts(String rule) {
    return rule.equals("CASCADE") || rule.equals("SET NULL") || rule.equals("SET DEFAULT");
  }
}
