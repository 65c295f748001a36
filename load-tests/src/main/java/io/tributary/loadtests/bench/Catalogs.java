package io.tributary.loadtests.bench;

import io.tributary.localstack.StackEndpoints;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.types.Types;

/** What both sides of a benchmark have in common: the metastore and the table's columns. */
final class Catalogs {
  private static final int COLUMNS = 30;

  private Catalogs() {}

  /**
   * @param client whose connection it is: nobody shares one with another, as in processes of their
   *     own
   */
  static HiveCatalog open(StackEndpoints stack, String client) {
    HiveCatalog hive = new HiveCatalog();
    Configuration hadoop = new Configuration();
    hadoop.set("hive.metastore.client.socket.timeout", "600s");
    hadoop.set("bench.client", client);
    hive.setConf(hadoop);
    hive.initialize(
        "bench",
        Map.of(
            "uri",
            stack.metastoreUri(),
            "warehouse",
            stack.warehouse().toString(),
            "client-pool-cache-keys",
            "conf:bench.client",
            "metrics-reporter-impl",
            CommitCounter.class.getName()));
    return hive;
  }

  /** Shard, key, and 28 more columns of two types. */
  static Schema schema() {
    List<Types.NestedField> columns = new ArrayList<>();
    columns.add(Types.NestedField.required(1, "shard_id", Types.IntegerType.get()));
    columns.add(Types.NestedField.required(2, "id", Types.LongType.get()));
    for (int i = 3; i <= COLUMNS; i++) {
      columns.add(
          Types.NestedField.optional(
              i, "column_" + i, i % 2 == 0 ? Types.LongType.get() : Types.StringType.get()));
    }
    return new Schema(columns, Set.of(1, 2));
  }

  static PartitionSpec spec(Schema schema, int buckets) {
    return PartitionSpec.builderFor(schema).identity("shard_id").bucket("id", buckets).build();
  }
}
