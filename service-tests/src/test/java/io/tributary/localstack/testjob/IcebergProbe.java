package io.tributary.localstack.testjob;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.types.Types;

/**
 * Creates an Iceberg table through the Hive metastore and changes it by swaps without locks. It
 * runs with the jars of the Flink cluster's lib/ folder alone, as a job does.
 */
public final class IcebergProbe {

  private IcebergProbe() {}

  /**
   * @param args metastore URI, warehouse URI, table name
   */
  public static void main(String[] args) {
    HiveCatalog catalog = new HiveCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize("probe", Map.of("uri", args[0], "warehouse", args[1]));
    TableIdentifier name = TableIdentifier.of("probe", args[2]);
    if (!catalog.namespaceExists(Namespace.of("probe"))) {
      catalog.createNamespace(Namespace.of("probe"));
    }
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "shard_id", Types.IntegerType.get()),
            Types.NestedField.required(2, "id", Types.LongType.get()),
            Types.NestedField.optional(3, "name", Types.StringType.get()));
    Table table =
        catalog.createTable(
            name,
            schema,
            PartitionSpec.builderFor(schema).identity("shard_id").bucket("id", 5).build(),
            Map.of("format-version", "2", "engine.hive.lock-enabled", "false"));
    table.updateProperties().set("tributary.state.0", "x".repeat(3_900)).commit();
    table.updateSchema().addColumn("price", Types.DecimalType.of(12, 2)).commit();

    TableOperations operations = ((BaseTable) table).operations();
    TableMetadata base = operations.refresh();
    operations.commit(base, base.replaceProperties(with(base, "tributary.round", "1")));
    try {
      operations.commit(base, base.replaceProperties(with(base, "tributary.round", "2")));
      throw new IllegalStateException(
          "Cannot trust the metastore: expected a conflict on a stale base, found none");
    } catch (CommitFailedException expected) {
      // The compare part of the swap works.
    }
    Table loaded = catalog.loadTable(name);
    if (!"1".equals(loaded.properties().get("tributary.round"))
        || loaded.schema().findField("price") == null
        || loaded.properties().get("tributary.state.0").length() != 3_900) {
      throw new IllegalStateException(
          "Cannot trust the metastore: expected the table as changed, found "
              + loaded.properties());
    }
    System.out.println("probe passed: " + loaded.location());
  }

  private static Map<String, String> with(TableMetadata base, String key, String value) {
    Map<String, String> properties = new java.util.HashMap<>(base.properties());
    properties.put(key, value);
    return properties;
  }
}
