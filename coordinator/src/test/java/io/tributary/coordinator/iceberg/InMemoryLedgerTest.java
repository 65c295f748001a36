package io.tributary.coordinator.iceberg;

import java.util.Map;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.inmemory.InMemoryCatalog;

class InMemoryLedgerTest extends LedgerContract {
  private InMemoryCatalog memory;

  @Override
  Catalog openCatalog() {
    memory = new InMemoryCatalog();
    memory.initialize("test", Map.of());
    return memory;
  }

  @Override
  void closeCatalog() throws Exception {
    memory.close();
  }
}
