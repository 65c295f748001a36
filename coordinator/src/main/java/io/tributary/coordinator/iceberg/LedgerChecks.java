package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.LedgerProblem;
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
  Optional<LedgerProblem> problem(TableMetadata base, TableState state, FileIO io) {
    Optional<LedgerProblem> unfit = unfit(base);
    if (unfit.isPresent()) {
      return unfit;
    }
    if (!state.tableUuid().toString().equals(base.uuid())) {
      return problem(
          LedgerProblem.Kind.OTHER_UUID,
          "Cannot use table %s: expected UUID %s of the recorded state, found %s; the table was dropped and created again, or its properties were copied from another one; cure: restore the old table, or accept this one: tributary accept %s"
              .formatted(table, state.tableUuid(), base.uuid(), table));
    }
    return tagProblem(base, state, io);
  }

  /** What the files and the commits rest on, whatever the state says. */
  Optional<LedgerProblem> unfit(TableMetadata base) {
    if (base.formatVersion() != FORMAT_VERSION) {
      return problem(
          LedgerProblem.Kind.OTHER_LAYOUT,
          "Cannot use table %s: expected format version %d, found %d; cure: restore the table as it was"
              .formatted(table, FORMAT_VERSION, base.formatVersion()));
    }
    Optional<LedgerProblem> layout = layoutProblem(base.spec());
    if (layout.isPresent()) {
      return layout;
    }
    boolean compares = !lockModeAccepted && protections.holds(Protection.COMPARE_AND_SET);
    if (compares && !"false".equalsIgnoreCase(base.property(HIVE_LOCK, null))) {
      return problem(
          LedgerProblem.Kind.LOCK_MODE,
          "Cannot use table %s: expected property %s=false, found %s; with Hive locks a late request overwrites committed rounds. Set the property, and stop engines that commit with locks."
              .formatted(table, HIVE_LOCK, base.property(HIVE_LOCK, null)));
    }
    return Optional.empty();
  }

  private Optional<LedgerProblem> layoutProblem(PartitionSpec spec) {
    List<PartitionField> fields = spec.fields();
    boolean fits =
        fields.size() == 2
            && fields.get(0).transform().isIdentity()
            && fields.get(1).transform().toString().startsWith("bucket[");
    return fits
        ? Optional.empty()
        : problem(
            LedgerProblem.Kind.OTHER_LAYOUT,
            "Cannot use table %s: expected its default partition spec to be identity(shard), bucket[N](key), found %s; cure: make it the default again"
                .formatted(table, spec));
  }

  private Optional<LedgerProblem> tagProblem(TableMetadata base, TableState state, FileIO io) {
    if (!protections.holds(Protection.TAG)) {
      return Optional.empty();
    }
    SnapshotRef tag = base.ref(TAG);
    if (state.snapshot().isEmpty()) {
      return tag == null
          ? Optional.empty()
          : problem(
              LedgerProblem.Kind.TAG,
              "Cannot use table %s: expected no tag '%s' before the first data round, found it at snapshot %d; cure: remove it, or accept the table as it is: tributary accept %s"
                  .formatted(table, TAG, tag.snapshotId(), table));
    }
    long expected = state.snapshot().get().id();
    if (tag == null || tag.isBranch() || tag.snapshotId() != expected) {
      return problem(
          LedgerProblem.Kind.TAG,
          "Cannot use table %s: expected tag '%s' at snapshot %d of round %s, found %s; somebody moved or removed it, or restored the table; cure: put the newest metadata back, or accept the table as it is: tributary accept %s"
              .formatted(
                  table,
                  TAG,
                  expected,
                  state.round(),
                  tag == null ? "none" : tag.snapshotId(),
                  table));
    }
    if (!protections.holds(Protection.TAG_IS_ANCESTOR)) {
      return Optional.empty();
    }
    return switch (ancestry.of(base, expected, io)) {
      case ANCESTOR -> Optional.empty();
      case NO_ANCESTOR ->
          problem(
              LedgerProblem.Kind.ROLLED_BACK,
              "Cannot use table %s: expected snapshot %d of round %s to be an ancestor of main, found main at %s, which does not descend from it; somebody rolled the table back; cure: put the newest metadata back, or accept the table as it is: tributary accept %s"
                  .formatted(table, expected, state.round(), head(base), table));
      case UNPROVEN ->
          problem(
              LedgerProblem.Kind.UNPROVEN,
              "Cannot use table %s: expected proof that main descends from snapshot %d of round %s, found that the snapshots in between have expired and none of its files are left; cure: when compaction and expiry did this, tributary accept %s --positions-hold; when somebody rolled the table back, put the newest metadata back or tributary accept %s"
                  .formatted(table, expected, state.round(), table, table));
    };
  }

  private static Optional<LedgerProblem> problem(LedgerProblem.Kind kind, String text) {
    return Optional.of(new LedgerProblem(kind, text));
  }

  private static Object head(TableMetadata base) {
    return base.currentSnapshot() == null ? "none" : base.currentSnapshot().snapshotId();
  }
}
