package io.tributary.coordinator.iceberg;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the files that only expired snapshots need. Iceberg's own expiry does it, shown the two
 * states of the table around a swap that is known to be done. Files that no snapshot ever named, as
 * those of committables that wait, are none of them.
 *
 * <p>Whoever is ended in the midst of it leaves files that nobody needs, for orphan cleanup.
 */
final class ExpiredFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredFiles.class);

  private ExpiredFiles() {}

  /**
   * @param next what the table became by the swap, and certainly was
   * @param planner reads manifests; not the thread that calls
   * @return how many files are gone
   * @throws RuntimeException when the file system does not answer
   */
  static int remove(
      TableOperations table,
      TableMetadata base,
      TableMetadata next,
      long nowMs,
      ExecutorService planner) {
    Retention retention = Retention.of(base);
    AtomicInteger removed = new AtomicInteger();
    FileIO io = table.io();
    new BaseTable(new Replayed(table, base, next), "expired")
        .expireSnapshots()
        .expireOlderThan(MaintenanceBuilder.expiredBefore(base.currentSnapshot(), retention, nowMs))
        .retainLast(retention.snapshotsKept())
        .planWith(planner)
        .deleteWith(
            path -> {
              LOG.debug("Removing {}, which only expired snapshots need", path);
              io.deleteFile(path);
              removed.incrementAndGet();
            })
        .commit();
    return removed.get();
  }

  /** The table before the swap, and after whatever is committed here the table after it. */
  private static final class Replayed implements TableOperations {
    private final TableOperations table;
    private final TableMetadata next;
    private TableMetadata current;

    Replayed(TableOperations table, TableMetadata base, TableMetadata next) {
      this.table = table;
      this.next = next;
      this.current = base;
    }

    @Override
    public TableMetadata current() {
      return current;
    }

    @Override
    public TableMetadata refresh() {
      return current;
    }

    @Override
    public void commit(TableMetadata from, TableMetadata to) {
      current = next;
    }

    @Override
    public FileIO io() {
      return table.io();
    }

    @Override
    public EncryptionManager encryption() {
      return table.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      throw new UnsupportedOperationException(
          "Cannot write a file here: expected files to be removed only");
    }

    @Override
    public LocationProvider locationProvider() {
      return LocationProviders.locationsFor(next.location(), next.properties());
    }
  }
}
