package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.protocol.TableState;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * What must hold of the very metadata that a swap replaces. The checks are about the table itself;
 * who may commit is compared by the ledger.
 */
final class LedgerChecks {
  /** The tag that points at the last data round's snapshot. */
  static final String TAG = "tributary";

  /** Iceberg's name of the setting that makes a Hive commit a compare-and-set when false. */
  static final String HIVE_LOCK = "engine.hive.lock-enabled";

  static final int FORMAT_VERSION = 2;

  private final String table;
  private final boolean lockModeAccepted;
  private final Protections protections;
  private final TagAncestry ancestry;

  LedgerChecks(String table, boolean lockModeAccepted, Protections protections) {
    this.table = table;
    this.lockModeAccepted = lockModeAccepted;
    this.protections = protections;
    this.ancestry = new TagAncestry();
  }

  /**
   * @return what is wrong, with the cure; absent when all is well
   */
  Optional<String> problem(TableMetadata base, TableState state, FileIO io) {
    if (!state.tableUuid().toString().equals(base.uuid())) {
      return Optional.of(
          "Cannot use table %s: expected UUID %s of the recorded state, found %s; the table was dropped and created again, or its properties were copied from another one. Adopt it explicitly or restore the old table."
              .formatted(table, state.tableUuid(), base.uuid()));
    }
    if (base.formatVersion() != FORMAT_VERSION) {
      return Optional.of(
          "Cannot use table %s: expected format version %d, found %d"
              .formatted(table, FORMAT_VERSION, base.formatVersion()));
    }
    Optional<String> layout = layoutProblem(base.spec());
    if (layout.isPresent()) {
      return layout;
    }
    if (!lockModeAccepted && !"false".equalsIgnoreCase(base.property(HIVE_LOCK, null))) {
      return Optional.of(
          "Cannot use table %s: expected property %s=false, found %s; with Hive locks a late request overwrites committed rounds. Set the property, and stop engines that commit with locks."
              .formatted(table, HIVE_LOCK, base.property(HIVE_LOCK, null)));
    }
    return tagProblem(base, state, io);
  }

  private Optional<String> layoutProblem(PartitionSpec spec) {
    List<PartitionField> fields = spec.fields();
    boolean fits =
        fields.size() == 2
            && fields.get(0).transform().isIdentity()
            && fields.get(1).transform().toString().startsWith("bucket[");
    return fits
        ? Optional.empty()
        : Optional.of(
            "Cannot use table %s: expected its default partition spec to be identity(shard), bucket[N](key), found %s"
                .formatted(table, spec));
  }

  private Optional<String> tagProblem(TableMetadata base, TableState state, FileIO io) {
    if (!protections.holds(Protection.TAG)) {
      return Optional.empty();
    }
    SnapshotRef tag = base.ref(TAG);
    if (state.snapshot().isEmpty()) {
      return tag == null
          ? Optional.empty()
          : Optional.of(
              "Cannot use table %s: expected no tag '%s' before the first data round, found it at snapshot %d"
                  .formatted(table, TAG, tag.snapshotId()));
    }
    long expected = state.snapshot().get().id();
    if (tag == null || tag.isBranch() || tag.snapshotId() != expected) {
      return Optional.of(
          "Cannot use table %s: expected tag '%s' at snapshot %d of round %s, found %s; somebody moved or removed it, or restored the table. Say explicitly which state to accept."
              .formatted(
                  table, TAG, expected, state.round(), tag == null ? "none" : tag.snapshotId()));
    }
    if (!protections.holds(Protection.TAG_IS_ANCESTOR)) {
      return Optional.empty();
    }
    return switch (ancestry.of(base, expected, io)) {
      case ANCESTOR -> Optional.empty();
      case NO_ANCESTOR ->
          Optional.of(
              "Cannot use table %s: expected snapshot %d of round %s to be an ancestor of main, found main at %s, which does not descend from it; somebody rolled the table back. Say explicitly which state to accept."
                  .formatted(table, expected, state.round(), head(base)));
      case UNPROVEN ->
          Optional.of(
              "Cannot use table %s: expected proof that main descends from snapshot %d of round %s, found that the snapshots in between have expired and none of its files are left. When compaction and expiry did this, accept the state explicitly; when somebody rolled the table back, restore it."
                  .formatted(table, expected, state.round()));
    };
  }

  private static Object head(TableMetadata base) {
    return base.currentSnapshot() == null ? "none" : base.currentSnapshot().snapshotId();
  }
}
