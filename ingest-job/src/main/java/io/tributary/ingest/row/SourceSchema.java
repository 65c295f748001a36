package io.tributary.ingest.row;

import io.tributary.protocol.ShardId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One physical MySQL table, as its server describes it.
 *
 * @param shard the shard it is
 * @param database the database's exact name on the server
 * @param table the table's exact name on the server
 * @param columns in the server's order, at least one
 * @param primaryKey columns of the primary key, in key order; empty when there is none
 * @param uniqueKeys every unique key whose columns are all NOT NULL, the primary key left out
 * @param estimatedRows the server's own estimate, at least 0
 */
public record SourceSchema(
    ShardId shard,
    String database,
    String table,
    List<SourceColumn> columns,
    List<String> primaryKey,
    List<List<String>> uniqueKeys,
    long estimatedRows) {
  /**
   * @throws IllegalArgumentException when there is no column
   */
  public SourceSchema {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(table, "table");
    columns = List.copyOf(columns);
    primaryKey = List.copyOf(primaryKey);
    uniqueKeys = uniqueKeys.stream().map(List::copyOf).toList();
    if (columns.isEmpty() || estimatedRows < 0) {
      throw new IllegalArgumentException(
          "Cannot use table %s.%s: expected columns and an estimate not below 0"
              .formatted(database, table));
    }
  }

  public Optional<SourceColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** Shard, database and table, for messages. */
  public String title() {
    return "shard " + shard + " (" + database + "." + table + ")";
  }
}
