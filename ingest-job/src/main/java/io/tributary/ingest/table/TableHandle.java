package io.tributary.ingest.table;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.NoSuchTableException;

/**
 * The table through one open catalog. Opened at the first use and again after a failure, so that a
 * metastore that was down does not stay down for us. Not thread-safe.
 */
public final class TableHandle implements Closeable {
  private final TableAccess access;
  private Catalog catalog;

  public TableHandle(TableAccess access) {
    this.access = access;
  }

  /**
   * Loads the table as it is now.
   *
   * @return absent when there is no such table
   * @throws TableUnavailableException when the catalog does not answer
   */
  public Optional<Table> load() {
    try {
      if (catalog == null) {
        catalog = access.openCatalog();
      }
      return Optional.of(catalog.loadTable(access.identifier()));
    } catch (NoSuchTableException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      close();
      throw new TableUnavailableException(
          "Cannot read table %s: expected an answer of catalog %s, found %s"
              .formatted(access.table(), access.catalogName(), e),
          e);
    }
  }

  @Override
  public void close() {
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    catalog = null;
  }
}
