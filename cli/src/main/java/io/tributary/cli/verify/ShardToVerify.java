package io.tributary.cli.verify;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.util.Objects;

/**
 * A shard and where its MySQL table is.
 *
 * @param database its exact name on the server
 * @param table its exact name in the database
 */
public record ShardToVerify(ShardId shard, ServerName server, String database, String table) {
  public ShardToVerify {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(table, "table");
  }

  /** Quoted for SQL. */
  String quotedName() {
    return quote(database) + "." + quote(table);
  }

  static String quote(String identifier) {
    return "`" + identifier.replace("`", "``") + "`";
  }

  @Override
  public String toString() {
    return "shard " + shard + " (" + server + " " + database + "." + table + ")";
  }
}
