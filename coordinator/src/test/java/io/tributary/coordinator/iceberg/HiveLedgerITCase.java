package io.tributary.coordinator.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.coordinator.Servers;
import io.tributary.protocol.TableStateCodec;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hive.HiveCatalog;

class HiveLedgerITCase extends LedgerContract {
  private HiveCatalog hive;

  @Override
  Catalog openCatalog() {
    hive = new HiveCatalog();
    hive.setConf(new Configuration());
    hive.initialize(
        "test",
        Map.of(
            "uri",
            Servers.get().endpoints().metastoreUri(),
            "warehouse",
            Servers.get().endpoints().warehouse().toString()));
    hive.dropTable(TableIdentifier.parse(ID), true);
    return hive;
  }

  /** A metastore cuts or refuses parameters of more than 4,000 characters. */
  @Override
  void assertCatalogHolds(Map<String, String> properties) throws Exception {
    TableIdentifier table = TableIdentifier.parse(ID);
    HiveConf conf = new HiveConf();
    conf.set("hive.metastore.uris", Servers.get().endpoints().metastoreUri());
    HiveMetaStoreClient metastore = new HiveMetaStoreClient(conf);
    try {
      Map<String, String> parameters =
          metastore.getTable(table.namespace().toString(), table.name()).getParameters();
      assertThat(properties)
          .allSatisfy(
              (name, value) -> {
                if (name.startsWith(TableStateCodec.PREFIX)) {
                  assertThat(value).hasSizeLessThan(4_000);
                  assertThat(parameters).containsEntry(name, value);
                }
              });
    } finally {
      metastore.close();
    }
  }

  @Override
  void closeCatalog() {
    hive.dropTable(TableIdentifier.parse(ID), true);
  }
}
