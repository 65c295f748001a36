package io.tributary.coordinator.iceberg;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.RewriteManifests;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;

/**
 * Makes a table's metadata without its old snapshots and with merged manifests, on one base, in a
 * transaction that is never committed. No file is removed here.
 *
 * <p>Kept are the snapshots that the table's properties say, those of its branches and tags, and
 * all between the tag {@code tributary} and main's end, which prove that main descends from it.
 */
final class MaintenanceBuilder {
  private static final String MAINTENANCE = "tributary.maintenance";

  private MaintenanceBuilder() {}

  /**
   * @param nowMs by the coordinator's clock; a clock that is ahead expires nothing by itself, since
   *     age counts from main's newest snapshot where that is older
   * @return absent when there is nothing to do
   */
  static Optional<TableMetadata> build(
      String tableName,
      TableOperations table,
      TableMetadata base,
      MergedManifests merged,
      long nowMs) {
    Snapshot head = base.currentSnapshot();
    if (head == null) {
      return Optional.empty();
    }
    Retention retention = Retention.of(base);
    Transaction transaction =
        Transactions.newTransaction(tableName, new FixedBase(table, base), report -> {});
    if (!merged.isEmpty()) {
      RewriteManifests rewrite = transaction.rewriteManifests();
      merged.replaced().forEach(rewrite::deleteManifest);
      merged.written().forEach(rewrite::addManifest);
      rewrite.set(MAINTENANCE, "manifests");
      rewrite.commit();
    }
    TableMetadata merging = current(transaction);
    if (retention.expires()) {
      transaction
          .expireSnapshots()
          .cleanupLevel(ExpireSnapshots.CleanupLevel.NONE)
          .expireOlderThan(expiredBefore(head, retention, nowMs))
          .retainLast(retention.snapshotsKept())
          .commit();
    }
    TableMetadata built = current(transaction);
    if (!proves(built)) {
      // A branch of its own retention; what is merged can go on without it.
      built = merging;
    }
    return ids(built).equals(ids(base)) ? Optional.empty() : Optional.of(built);
  }

  /** What expires in both steps: when it is decided, and when its files are looked for. */
  static long expiredBefore(Snapshot head, Retention retention, long nowMs) {
    return Math.min(nowMs, head.timestampMillis()) - retention.snapshotAgeMs();
  }

  static Set<Long> ids(TableMetadata table) {
    return table.snapshots().stream().map(Snapshot::snapshotId).collect(Collectors.toSet());
  }

  /** The snapshots that are in one and not in the other. */
  static Set<Long> removed(TableMetadata base, TableMetadata next) {
    Set<Long> removed = new HashSet<>(ids(base));
    removed.removeAll(ids(next));
    return removed;
  }

  /** Whether the chain of parents still leads from main's end to the tag. */
  private static boolean proves(TableMetadata built) {
    SnapshotRef tag = built.ref(LedgerChecks.TAG);
    if (tag == null) {
      return true;
    }
    Snapshot at = built.currentSnapshot();
    while (at != null && at.snapshotId() != tag.snapshotId()) {
      at = at.parentId() == null ? null : built.snapshot(at.parentId());
    }
    return at != null;
  }

  private static TableMetadata current(Transaction transaction) {
    return ((BaseTransaction) transaction).currentMetadata();
  }
}
