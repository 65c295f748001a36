package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.LedgerProblem;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLayout;
import io.tributary.coordinator.core.TableLook;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.Term;
import io.tributary.protocol.UnreadableMessageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.types.Types;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table as the coordinator's only memory. Every write is one compare-and-set of the table's
 * metadata, made from a base that was checked as a whole: state, data, tag and fencing token change
 * together or not at all.
 *
 * <p>What it assumes of the catalog: a commit compares the metadata location in the same step that
 * replaces it (Hive without locks from 2.3.10 or 4.0 on, JDBC, in memory), so that of all requests
 * made from one base at most one is ever applied, and none after another one was.
 *
 * <p>What it makes of Iceberg's answers, as read in version 1.11:
 *
 * <ul>
 *   <li>{@link CommitFailedException}: the location was not the base's at some moment after the
 *       request was made, so no request of ours from this base can be applied any more. It may have
 *       been applied before: Hive's client and the connection pools re-send a request whose answer
 *       was lost, and Hive's status check looks only at a metadata log of limited length. Hence the
 *       table is read again, and the plan id decides.
 *   <li>Anything else that a commit throws, {@code CommitStateUnknownException} or not: unknown. It
 *       may be applied now or later. A failure before the request was sent is counted here too: to
 *       settle it costs one claim, to guess wrong costs a round.
 *   <li>A failure while the base is read or manifests are written: nothing was sent.
 * </ul>
 *
 * <p>Iceberg removes on these paths at most the new metadata file of a request that it saw refused;
 * were that request applied after all and already followed by more commits than the metadata log is
 * long, the file is no longer needed. Manifests are removed by {@code commitTransaction} alone,
 * which is never called. One thread.
 */
public final class TableLedger {
  private static final Logger LOG = LoggerFactory.getLogger(TableLedger.class);

  private final TableName name;
  private final Supplier<TableOperations> loader;
  private final LedgerChecks checks;
  private final LedgerHooks hooks;
  private final Protections protections;
  private final CommittableFiles files;
  private final RoundBuilder builder;

  private TableOperations table;
  private TableUuid seenUuid;
  private RoundNumber seenRound = new RoundNumber(0);
  private Term seenTerm = new Term(0);

  /**
   * @param loader finds the table in the catalog; throws {@link NoSuchTableException} when it is
   *     not there
   * @param lockModeAccepted whether the operator accepts by name that Hive locks can lose rounds
   * @param readers reads manifests and asks for files, several at a time
   * @param protections all of them, outside tests that show what one of them is for
   */
  public TableLedger(
      TableName name,
      Supplier<TableOperations> loader,
      boolean lockModeAccepted,
      ExecutorService readers,
      LedgerHooks hooks,
      Protections protections) {
    this.name = name;
    this.loader = loader;
    this.checks = new LedgerChecks(name.value(), lockModeAccepted, protections);
    this.hooks = hooks;
    this.protections = protections;
    this.files = new CommittableFiles(readers, protections);
    this.builder = new RoundBuilder(name.value(), protections);
  }

  /** How to find a table in a catalog. */
  public static Supplier<TableOperations> in(Catalog catalog, TableName name) {
    TableIdentifier identifier = TableIdentifier.parse(name.value());
    return () -> ((HasTableOperations) catalog.loadTable(identifier)).operations();
  }

  /** How often the file system was asked whether a file exists. */
  public long existenceRequests() {
    return files.existenceRequests();
  }

  /** Reads the table anew and checks it. */
  public TableLook read() {
    TableMetadata base;
    try {
      base = refresh();
    } catch (NoSuchTableException e) {
      return seenUuid == null ? new TableLook.Absent() : new TableLook.Unusable(gone());
    } catch (RuntimeException e) {
      return new TableLook.Unreachable(LedgerMetadata.describe(e));
    }
    try {
      Optional<TableState> state = TableStateCodec.decode(base.properties());
      if (state.isEmpty()) {
        return new TableLook.Unusable(stateless(base));
      }
      Optional<String> problem = problem(base, state.get());
      if (problem.isPresent()) {
        return new TableLook.Unusable(problem.get());
      }
      remember(state.get());
      return new TableLook.Present(
          state.get(), new TableLayout(base.defaultSpecId(), base.formatVersion()));
    } catch (UnreadableMessageException e) {
      return new TableLook.Unusable("Cannot use table " + name + ": " + e.getMessage());
    } catch (RuntimeException e) {
      return new TableLook.Unreachable(LedgerMetadata.describe(e));
    }
  }

  /**
   * Why the table, as it was last read, can never take what a group proposes. Columns that one of
   * them lacks, and types that one can be widened to the other's, are no reason: shards change
   * their schema one after the other.
   *
   * @return absent when it fits or was never read
   */
  public Optional<String> misfit(TableProposal proposal) {
    if (table == null || table.current() == null) {
      return Optional.empty();
    }
    try {
      List<String> differences =
          ProposalCheck.contradictions(proposal, table.current().schema(), table.current().spec());
      return differences.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", differences));
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * Makes the caller the table's owner. From then on no request that anybody made from an earlier
   * base can be applied.
   *
   * @param expected what the table must hold: table, round, term and owner are compared
   * @param next the same state under the new owner
   */
  public SwapOutcome claim(TableState expected, TableState next) {
    return attempt(
        Protection.CHECKED_BASE_OF_CLAIMS,
        base -> {
          TableState found = base.state();
          if (!sameHolder(found, expected)) {
            return new Attempt.Ended(refused(found, next));
          }
          return new Attempt.Ready(base.metadata(), next, false);
        });
  }

  /** Commits a round. */
  public SwapOutcome commit(RoundPlan plan) {
    return attempt(
        plan.layers().isEmpty()
            ? Protection.CHECKED_BASE_OF_IDLE_ROUNDS
            : Protection.CHECKED_BASE_OF_DATA_ROUNDS,
        base -> {
          TableState found = base.state();
          if (!sameHolder(found, plan.expected())) {
            return new Attempt.Ended(refused(found, plan.next()));
          }
          CommittableFiles.RoundFiles round = files.of(plan, base.metadata(), table.io());
          if (!round.faults().isEmpty()) {
            return new Attempt.Ended(new SwapOutcome.Faulty(round.faults()));
          }
          TableMetadata built = builder.build(table, base.metadata(), plan, round.layers());
          boolean dataRound = built.lastSequenceNumber() != base.metadata().lastSequenceNumber();
          FileCounts added =
              round.layers().stream()
                  .flatMap(List::stream)
                  .map(SliceFiles::counts)
                  .reduce(FileCounts.NONE, FileCounts::plus);
          TableState next =
              plan.next()
                  .withColumns(names(built))
                  .built(
                      dataRound
                          ? Optional.of(LedgerMetadata.snapshotOf(built.currentSnapshot()))
                          : plan.expected().snapshot(),
                      dataRound,
                      added,
                      RoundBuilder.removed(base.metadata(), built));
          return new Attempt.Ready(built, next, dataRound);
        });
  }

  private static Map<Integer, String> names(TableMetadata metadata) {
    return metadata.schema().columns().stream()
        .collect(Collectors.toMap(Types.NestedField::fieldId, Types.NestedField::name));
  }

  /**
   * Expires snapshots and puts merged manifests in. Round, positions and all else that the table
   * remembers stay as they are, so that no round has to know of it.
   *
   * @param held as {@link #claim}'s expected
   * @param merged left out where the table has meanwhile changed one of them
   * @param nowMs what the age of snapshots counts to
   */
  MaintenanceOutcome maintain(TableState held, MergedManifests merged, long nowMs) {
    TableMetadata base;
    TableMetadata next;
    try {
      base = refresh();
      Optional<TableState> state = TableStateCodec.decode(base.properties());
      if (state.isEmpty() || !sameHolder(state.get(), held)) {
        return unsent(merged, "another round, term or owner in the table");
      }
      Optional<String> problem = problem(base, state.get());
      if (problem.isPresent()) {
        return unsent(merged, problem.get());
      }
      hooks.baseChecked(base);
      boolean fits = !merged.isEmpty() && ManifestMerger.fits(merged, base, table.io());
      if (!fits && !merged.isEmpty()) {
        LOG.info("Manifests of table {} changed while they were merged; merged anew later", name);
        ManifestMerger.discard(merged, table.io());
      }
      Optional<TableMetadata> built =
          MaintenanceBuilder.build(
              name.value(), table, base, fits ? merged : MergedManifests.NONE, nowMs);
      if (built.isEmpty()) {
        return new MaintenanceOutcome.Nothing();
      }
      next = built.get();
    } catch (RuntimeException e) {
      return unsent(merged, LedgerMetadata.describe(e));
    }
    hooks.beforeSwap(base, next);
    try {
      table.commit(base, next);
    } catch (RuntimeException e) {
      // Refused or not: a request that was sent again may have been applied the first time.
      return new MaintenanceOutcome.Unknown(
          base, next, e instanceof CommitFailedException, LedgerMetadata.describe(e));
    }
    hooks.afterSwap(next);
    return new MaintenanceOutcome.Done(base, next);
  }

  private MaintenanceOutcome unsent(MergedManifests merged, String reason) {
    if (table != null) {
      ManifestMerger.discard(merged, table.io());
    }
    return new MaintenanceOutcome.NotSent(reason);
  }

  /**
   * Whether a reader that opens the table now finds the snapshot, or none is named.
   *
   * @throws RuntimeException when the catalog does not answer
   */
  public boolean canBeRead(Optional<IcebergSnapshot> snapshot) {
    TableMetadata now = refresh();
    return snapshot.map(wanted -> now.snapshot(wanted.id()) != null).orElse(true);
  }

  private boolean sameHolder(TableState found, TableState expected) {
    boolean sameTable =
        found.tableUuid().equals(expected.tableUuid())
            || !protections.holds(Protection.TABLE_IDENTITY);
    boolean sameOwner =
        found.term().equals(expected.term()) && found.owner().equals(expected.owner())
            || !protections.holds(Protection.TERM_AND_OWNER);
    return sameTable && sameOwner && found.round().equals(expected.round());
  }

  private SwapOutcome refused(TableState found, TableState wanted) {
    return protections.holds(Protection.CONFLICT_IS_NO_PROOF)
            && LedgerMetadata.isApplied(found, wanted)
        ? new SwapOutcome.Done(found)
        : new SwapOutcome.Conflict(found);
  }

  private record Base(TableMetadata metadata, TableState state) {}

  /** What an attempt came to before anything was sent. */
  private sealed interface Attempt {
    /**
     * @param endsInSnapshot whether main ends in a snapshot of this attempt
     */
    record Ready(TableMetadata built, TableState next, boolean endsInSnapshot) implements Attempt {}

    record Ended(SwapOutcome outcome) implements Attempt {}
  }

  private interface Preparation {
    Attempt prepare(Base base);
  }

  private SwapOutcome attempt(Protection checkedBase, Preparation preparation) {
    TableMetadata base;
    Attempt attempt;
    try {
      base = refresh();
      Optional<TableState> state = TableStateCodec.decode(base.properties());
      if (state.isEmpty()) {
        return new SwapOutcome.TableHalted(stateless(base));
      }
      Optional<String> problem = problem(base, state.get());
      if (problem.isPresent()) {
        return new SwapOutcome.TableHalted(problem.get());
      }
      remember(state.get());
      hooks.baseChecked(base);
      if (!protections.holds(checkedBase)) {
        // What a library's retry does: the same change once more, on metadata nobody looked at.
        base = table.refresh();
      }
      attempt = preparation.prepare(new Base(base, state.get()));
    } catch (NoSuchTableException e) {
      return new SwapOutcome.TableHalted(gone());
    } catch (UnreadableMessageException e) {
      return new SwapOutcome.TableHalted("Cannot use table " + name + ": " + e.getMessage());
    } catch (RuntimeException e) {
      return new SwapOutcome.Unreachable(LedgerMetadata.describe(e));
    }
    if (attempt instanceof Attempt.Ended ended) {
      return ended.outcome();
    }
    Attempt.Ready ready = (Attempt.Ready) attempt;
    boolean tagged = ready.endsInSnapshot() && protections.holds(Protection.TAG);
    return swap(base, LedgerMetadata.of(base, ready.built(), ready.next(), tagged), ready.next());
  }

  private SwapOutcome swap(TableMetadata base, TableMetadata next, TableState written) {
    hooks.beforeSwap(base, next);
    try {
      table.commit(base, next);
    } catch (CommitFailedException e) {
      leave(base, next);
      return afterRefusal(written, e);
    } catch (RuntimeException e) {
      leave(base, next);
      return new SwapOutcome.Unknown(LedgerMetadata.describe(e));
    }
    hooks.afterSwap(next);
    remember(written);
    return new SwapOutcome.Done(written);
  }

  /**
   * Leaves the files of a swap that was not confirmed where they are: it may have been applied all
   * the same, or may be later. Orphan cleanup removes what nobody references.
   */
  private void leave(TableMetadata base, TableMetadata next) {
    if (protections.holds(Protection.NOTHING_DELETED)) {
      return;
    }
    // What a library does with a commit that it takes for failed.
    for (Snapshot snapshot : next.snapshots()) {
      if (base.snapshot(snapshot.snapshotId()) == null) {
        snapshot.allManifests(table.io()).stream()
            .filter(manifest -> manifest.snapshotId() == snapshot.snapshotId())
            .forEach(manifest -> table.io().deleteFile(manifest.path()));
      }
    }
  }

  private SwapOutcome afterRefusal(TableState written, CommitFailedException refusal) {
    TableLook look = read();
    if (look instanceof TableLook.Present present) {
      return refused(present.state(), written);
    }
    if (look instanceof TableLook.Unusable unusable) {
      return new SwapOutcome.TableHalted(unusable.reason());
    }
    // Nobody can say yet whether an earlier request of the same swap was applied.
    return new SwapOutcome.Unknown(LedgerMetadata.describe(refusal) + "; then " + look);
  }

  private Optional<String> problem(TableMetadata base, TableState state) {
    if (seenUuid != null && !seenUuid.equals(state.tableUuid())) {
      return Optional.of(
          "Cannot use table %s: expected UUID %s as seen before, found %s; the table was dropped and created again, and what is pending was written for the old one; cure: restore the old table, or start the coordinator again when the new one is meant (tributary accept %s when the status topic does not fit it)"
              .formatted(name, seenUuid, state.tableUuid(), name));
    }
    boolean below = state.round().compareTo(seenRound) < 0 || state.term().compareTo(seenTerm) < 0;
    if (below && protections.holds(Protection.NEVER_BELOW_SEEN)) {
      return Optional.of(
          "Cannot use table %s: expected at least round %s and term %s, which were seen there, found round %s and term %s; somebody restored older metadata; cure: put the newest metadata back, or accept the table as it is: tributary accept %s"
              .formatted(name, seenRound, seenTerm, state.round(), state.term(), name));
    }
    return checks.problem(base, state, table.io()).map(LedgerProblem::text);
  }

  private void remember(TableState state) {
    seenUuid = state.tableUuid();
    seenRound = state.round();
    seenTerm = state.term();
  }

  private TableMetadata refresh() {
    if (table == null) {
      table = loader.get();
      return table.current();
    }
    try {
      return table.refresh();
    } catch (NoSuchTableException e) {
      table = null;
      throw e;
    } catch (IllegalStateException e) {
      // Iceberg's way to say that the name now belongs to another table; look at that one.
      table = loader.get();
      return table.current();
    }
  }

  private String gone() {
    return "Cannot use table %s: expected the table of round %s, found none; somebody dropped or renamed it; cure: restore it"
        .formatted(name, seenRound);
  }

  private String stateless(TableMetadata base) {
    return "Cannot use table %s: expected the coordinator's state in its properties %s*, found none%s; cure: tributary adopt %s, or give the registry another table name"
        .formatted(
            name,
            TableStateCodec.PREFIX,
            base.currentSnapshot() == null
                ? " on a table without data"
                : " on a table with data in snapshot " + base.currentSnapshot().snapshotId(),
            name);
  }
}
