package io.tributary.coordinator.iceberg;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.junit.jupiter.api.io.TempDir;

class JdbcLedgerTest extends LedgerContract {
  @TempDir Path warehouse;
  private JdbcCatalog jdbc;

  @Override
  Catalog openCatalog() {
    jdbc = new JdbcCatalog();
    jdbc.setConf(new Configuration());
    jdbc.initialize(
        "test",
        Map.of(
            "uri",
            "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
            "warehouse",
            warehouse.toUri().toString()));
    return jdbc;
  }

  @Override
  void closeCatalog() {
    jdbc.close();
  }
}
