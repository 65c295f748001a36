package io.tributary.cli.demo;

import io.tributary.cli.demo.workload.ProductShard;
import io.tributary.localstack.StackEndpoints;
import java.util.List;
import java.util.stream.IntStream;

/** The demo's landscape: 4 shards on 2 servers, read by 2 groups, into one table. */
final class DemoRegistry {
  static final String TABLE = "shop.products";
  static final List<String> GROUPS = List.of("west", "east");

  private static final String DATABASE = "shop";
  private static final int SHARDS_PER_SERVER = 2;

  private DemoRegistry() {}

  /** The registry file's text. Passwords stay in the stack's files. */
  static String yaml(StackEndpoints stack) {
    StackEndpoints.MariaDb west = stack.mariaDb(1);
    StackEndpoints.MariaDb east = stack.mariaDb(2);
    return """
        # The registry of the demo, written by it.
        catalog:
          uri: %s
          warehouse: %s
        kafka:
          bootstrap-servers: %s
        coordinator:
          checkpoint-interval: 3 s
          idle-round-interval: 3 s
        servers:
        %s%stables:
          %s:
            owner: demo
        groups:
          west:
            checkpoint-interval: 3 s
            server-id: {%s: 5401-5404}
          east:
            checkpoint-interval: 3 s
            server-id: {%s: 5401-5404}
        shards:
          - {group: west, server: %s, database: %s, table: "products_{000..001}"}
          - {group: east, server: %s, database: %s, table: "products_{002..003}"}
        """
        .formatted(
            stack.metastoreUri(),
            stack.warehouse(),
            stack.kafkaBootstrapServers(),
            server(west),
            server(east),
            TABLE,
            west.name(),
            east.name(),
            west.name(),
            DATABASE,
            east.name(),
            DATABASE);
  }

  private static String server(StackEndpoints.MariaDb server) {
    return "  %s:\n    hostname: %s\n    port: %d\n    username: %s\n    password: {file: %s}\n"
        .formatted(
            server.name(),
            server.host(),
            server.port(),
            server.cdc().name(),
            server.cdc().passwordFile());
  }

  /** The shards as the workload writes to them. */
  static List<ProductShard> shards(StackEndpoints stack) {
    return IntStream.range(0, 2 * SHARDS_PER_SERVER)
        .mapToObj(
            number ->
                ProductShard.on(
                    stack.mariaDb(1 + number / SHARDS_PER_SERVER),
                    number,
                    DATABASE,
                    "products_%03d".formatted(number)))
        .toList();
  }
}
