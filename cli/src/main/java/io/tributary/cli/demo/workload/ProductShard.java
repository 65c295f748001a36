package io.tributary.cli.demo.workload;

import io.tributary.cli.mysql.MySqlServer;
import io.tributary.localstack.StackEndpoints;
import io.tributary.protocol.ShardId;
import java.util.Map;
import java.util.Objects;

/**
 * One shard of the catalogue.
 *
 * @param server where it is; the user may create and write
 * @param database exact name, created when missing
 * @param table exact name
 */
public record ProductShard(ShardId shard, MySqlServer server, String database, String table) {
  public ProductShard {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(server, "server");
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(table, "table");
  }

  /** A shard on a server of the local stack, as its owner writes to it. */
  public static ProductShard on(
      StackEndpoints.MariaDb server, int number, String database, String table) {
    return new ProductShard(
        new ShardId(number),
        new MySqlServer(
            server.host(),
            server.port(),
            server.admin().name(),
            server.admin()::password,
            Map.of("sslMode", "DISABLED")),
        database,
        table);
  }

  /** Quoted for SQL. */
  String quotedName() {
    return "`" + database + "`.`" + table + "`";
  }
}
