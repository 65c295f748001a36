package io.tributary.coordinator.iceberg;

import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;

/** How a state becomes part of a table's metadata, and how it is found there. */
final class LedgerMetadata {
  private LedgerMetadata() {}

  /**
   * @param base what is to be replaced
   * @param built the base, with whatever else changes
   * @param tagged whether the tag is put to where main ends; removed when main has no snapshot
   */
  static TableMetadata of(
      TableMetadata base, TableMetadata built, TableState state, boolean tagged) {
    SortedMap<String, String> properties = TableStateCodec.encode(state);
    TableMetadata.Builder next =
        TableMetadata.buildFrom(built)
            .setProperties(properties)
            .removeProperties(TableStateCodec.leftOvers(base.properties(), properties));
    if (tagged && built.currentSnapshot() != null) {
      // Without an age of its own the tag would follow a table-wide maximum age of references.
      next.setRef(
          LedgerChecks.TAG,
          SnapshotRef.tagBuilder(built.currentSnapshot().snapshotId())
              .maxRefAgeMs(Long.MAX_VALUE)
              .build());
    } else if (tagged) {
      next.removeRef(LedgerChecks.TAG);
    }
    return next.build();
  }

  /**
   * Whether the table carries what was to be written. A round that was applied and then claimed by
   * somebody else is for the caller to recognise: it is no longer the caller's table.
   */
  static boolean isApplied(TableState found, TableState written) {
    return found.tableUuid().equals(written.tableUuid())
        && found.round().equals(written.round())
        && found.term().equals(written.term())
        && found.owner().equals(written.owner())
        && found.plan().equals(written.plan());
  }

  static IcebergSnapshot snapshotOf(Snapshot snapshot) {
    return new IcebergSnapshot(
        snapshot.snapshotId(),
        snapshot.parentId() == null ? OptionalLong.empty() : OptionalLong.of(snapshot.parentId()),
        snapshot.sequenceNumber());
  }

  /** Hive's client puts whole stack traces into its messages; the first line says it. */
  static String describe(Throwable e) {
    String message =
        e.getMessage() == null ? "" : ": " + e.getMessage().lines().findFirst().orElse("");
    String cause = e.getCause() == null ? "" : " caused by " + describe(e.getCause());
    return e.getClass().getSimpleName() + message + cause;
  }
}
