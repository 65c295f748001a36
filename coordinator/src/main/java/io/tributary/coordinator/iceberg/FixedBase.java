package io.tributary.coordinator.iceberg;

import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table that stands still: what is built on it is built on exactly this metadata. Iceberg's own
 * transaction refreshes when it begins, and would then build on something that nobody has checked.
 */
final class FixedBase implements TableOperations {
  private final TableOperations table;
  private final TableMetadata base;

  FixedBase(TableOperations table, TableMetadata base) {
    this.table = table;
    this.base = base;
  }

  @Override
  public TableMetadata current() {
    return base;
  }

  @Override
  public TableMetadata refresh() {
    return base;
  }

  @Override
  public void commit(TableMetadata from, TableMetadata to) {
    throw new UnsupportedOperationException(
        "Cannot commit here: expected the ledger's own swap of checked metadata");
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
    return table.temp(base).metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor(base.location(), base.properties());
  }

  @Override
  public TableOperations temp(TableMetadata uncommitted) {
    return table.temp(uncommitted);
  }

  @Override
  public long newSnapshotId() {
    return table.newSnapshotId();
  }
}
