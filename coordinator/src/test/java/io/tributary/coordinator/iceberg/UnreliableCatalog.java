package io.tributary.coordinator.iceberg;

import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** Puts a bad network between the ledger and a catalog, one answer at a time. */
public final class UnreliableCatalog implements Supplier<TableOperations> {
  public enum Fault {
    /** The request is applied, its answer is lost. */
    APPLIED_ANSWER_LOST,
    /** The request is lost. */
    REQUEST_LOST,
    /** The request waits somewhere and may be delivered later. */
    REQUEST_DELAYED
  }

  private final Supplier<TableOperations> catalog;
  private final Deque<Fault> faults = new ConcurrentLinkedDeque<>();
  private final List<Supplier<Boolean>> delayed = new CopyOnWriteArrayList<>();
  private volatile boolean down;

  public UnreliableCatalog(Supplier<TableOperations> catalog) {
    this.catalog = catalog;
  }

  public void next(Fault fault) {
    faults.add(fault);
  }

  public void down(boolean isDown) {
    this.down = isDown;
  }

  /**
   * Delivers the delayed requests.
   *
   * @return how many were applied
   */
  public int deliver() {
    int applied = 0;
    for (Supplier<Boolean> request : delayed) {
      applied += request.get() ? 1 : 0;
    }
    delayed.clear();
    return applied;
  }

  @Override
  public TableOperations get() {
    if (down) {
      throw new IllegalArgumentException("connection refused");
    }
    return new Operations(catalog.get());
  }

  private final class Operations implements TableOperations {
    private final TableOperations table;

    Operations(TableOperations table) {
      this.table = table;
    }

    @Override
    public TableMetadata current() {
      return table.current();
    }

    @Override
    public TableMetadata refresh() {
      if (down) {
        throw new IllegalArgumentException("connection refused");
      }
      // Iceberg's in-memory catalog goes on showing a dropped table to those who had it open.
      catalog.get();
      return table.refresh();
    }

    @Override
    public void commit(TableMetadata base, TableMetadata next) {
      Fault fault = faults.poll();
      if (fault == null) {
        table.commit(base, next);
        return;
      }
      switch (fault) {
        case APPLIED_ANSWER_LOST -> table.commit(base, next);
        case REQUEST_LOST -> {}
        case REQUEST_DELAYED -> {
          // Operations of their own keep thinking that the base is current, so that the catalog's
          // compare is what refuses a late request.
          TableOperations late = catalog.get();
          TableMetadata lateBase = late.current();
          delayed.add(
              () -> {
                try {
                  late.commit(lateBase, next);
                  return true;
                } catch (RuntimeException e) {
                  return false;
                }
              });
        }
      }
      throw new CommitStateUnknownException(new RuntimeException("read timed out"));
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
      return table.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return table.locationProvider();
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
}
