package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.Servers;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
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

  @Override
  void closeCatalog() {
    hive.dropTable(TableIdentifier.parse(ID), true);
  }
}
