package io.tributary.coordinator.iceberg;

import io.tributary.coordinator.core.LedgerProblem;
import io.tributary.coordinator.core.Protections;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableFindings;
import io.tributary.coordinator.core.TableFindings.ForeignSnapshot;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.IcebergSnapshot;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableProposal;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.TableUuid;
import io.tributary.protocol.UnreadableMessageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadata.MetadataLogEntry;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a table for an operator's decision about it, and writes the decision in one swap of the
 * very metadata that was looked at: whoever changed the table meanwhile, or does so with a request
 * from before, is refused or refuses it.
 *
 * <p>Which state belongs to main's rows is found by walking from main's end to its beginning, up to
 * the first snapshot that a state names; states are read from the table itself and from the older
 * metadata files that its log still names.
 */
public final class TableExaminer {
  private static final Logger LOG = LoggerFactory.getLogger(TableExaminer.class);

  private final Supplier<TableOperations> loader;
  private final LedgerChecks checks;

  /**
   * @param loader finds the table in the catalog
   * @param lockModeAccepted whether the operator accepts by name that Hive locks can lose rounds
   */
  public TableExaminer(TableName name, Supplier<TableOperations> loader, boolean lockModeAccepted) {
    this.loader = loader;
    this.checks = new LedgerChecks(name.value(), lockModeAccepted, Protections.all());
  }

  /** A table that was looked at. */
  public static final class Examined {
    private final TableOperations table;
    private final TableMetadata base;
    private final Optional<TableState> recorded;
    private final Optional<LedgerProblem> problem;
    private final List<TableState> known;
    private final Optional<TableState> fitting;
    private final List<ForeignSnapshot> foreign;

    private Examined(
        TableOperations table,
        TableMetadata base,
        Optional<TableState> recorded,
        Optional<LedgerProblem> problem,
        List<TableState> known,
        Optional<TableState> fitting,
        List<ForeignSnapshot> foreign) {
      this.table = table;
      this.base = base;
      this.recorded = recorded;
      this.problem = problem;
      this.known = known;
      this.fitting = fitting;
      this.foreign = foreign;
    }

    /** With what the topics say. */
    public TableFindings findings(
        TableName name, Optional<CommitStatus> announced, TableFindings.ControlRecords control) {
      return new TableFindings(
          name,
          TableUuid.parse(base.uuid()),
          Optional.ofNullable(base.currentSnapshot()).map(LedgerMetadata::snapshotOf),
          recorded,
          problem,
          fitting,
          foreign,
          known,
          announced,
          control);
    }
  }

  /**
   * Reads the table anew.
   *
   * @return absent when there is no such table
   * @throws UnreadableMessageException when its state cannot be understood
   * @throws RuntimeException when the catalog or the file system does not answer
   */
  public Optional<Examined> examine() {
    TableOperations table;
    try {
      table = loader.get();
    } catch (NoSuchTableException e) {
      return Optional.empty();
    }
    TableMetadata base = table.current();
    Optional<TableState> recorded = TableStateCodec.decode(base.properties());
    if (recorded.isEmpty()) {
      return Optional.of(
          new Examined(
              table, base, recorded, checks.unfit(base), List.of(), Optional.empty(), List.of()));
    }
    Optional<LedgerProblem> problem = checks.problem(base, recorded.get(), table.io());
    List<TableState> known = olderStates(table, base);
    List<TableState> newestFirst = new ArrayList<>(List.of(recorded.get()));
    newestFirst.addAll(known);
    List<Snapshot> lineage = lineage(base);
    Optional<TableState> fitting =
        TableFindings.fitting(lineage.stream().map(Snapshot::snapshotId).toList(), newestFirst);
    OptionalLong explained =
        fitting.flatMap(TableState::snapshot).stream().mapToLong(IcebergSnapshot::id).findFirst();
    List<Snapshot> unexplained =
        lineage.stream()
            .takeWhile(
                snapshot -> explained.isEmpty() || snapshot.snapshotId() != explained.getAsLong())
            .toList();
    List<ForeignSnapshot> foreign = new ArrayList<>();
    for (Snapshot snapshot : unexplained) {
      if (fitting.isPresent()) {
        foreign.add(0, ForeignChanges.of(new FixedBase(table, base), snapshot));
      } else if (!RoundBuilder.isOurs(snapshot)) {
        foreign.add(0, ForeignChanges.named(snapshot, Optional.empty()));
      }
    }
    return Optional.of(new Examined(table, base, recorded, problem, known, fitting, foreign));
  }

  /** Main's snapshots from its end to its beginning, or to where they have expired. */
  private static List<Snapshot> lineage(TableMetadata base) {
    List<Snapshot> lineage = new ArrayList<>();
    Snapshot at = base.currentSnapshot();
    while (at != null) {
      lineage.add(at);
      at = at.parentId() == null ? null : base.snapshot(at.parentId());
    }
    return lineage;
  }

  /** The states in the metadata files before this one, the newest first, each once. */
  private static List<TableState> olderStates(TableOperations table, TableMetadata base) {
    Set<TableState> states = new LinkedHashSet<>();
    List<MetadataLogEntry> log = base.previousFiles();
    for (int i = log.size() - 1; i >= 0; i--) {
      try {
        TableStateCodec.decode(TableMetadataParser.read(table.io(), log.get(i).file()).properties())
            .ifPresent(states::add);
      } catch (NotFoundException | UnreadableMessageException e) {
        LOG.debug("Metadata file {} tells nothing", log.get(i).file(), e);
      }
    }
    return List.copyOf(states);
  }

  /**
   * What keeps a table without a state from becoming one of ours.
   *
   * @param proposals what the groups' sources say the table should be
   * @return "expected ..., found ..." each; none when it fits
   */
  public List<String> differences(Examined found, Collection<TableProposal> proposals) {
    Set<String> differences = new LinkedHashSet<>();
    checks.unfit(found.base).map(LedgerProblem::text).ifPresent(differences::add);
    for (TableProposal proposal : proposals) {
      try {
        differences.addAll(
            ProposalCheck.differences(proposal, found.base.schema(), found.base.spec()));
      } catch (IllegalArgumentException e) {
        differences.add(e.getMessage());
      }
    }
    return List.copyOf(differences);
  }

  /**
   * Writes a decision, with the tag where main ends.
   *
   * @return Done; Conflict when somebody else changed the table since it was looked at; Unknown
   *     when the answer was lost and the table does not show the decision: looking again tells
   */
  public SwapOutcome write(Examined found, TableState decision) {
    TableMetadata next = LedgerMetadata.of(found.base, found.base, decision, true);
    String cause;
    boolean refused = false;
    try {
      found.table.commit(found.base, next);
      return new SwapOutcome.Done(decision);
    } catch (CommitFailedException e) {
      refused = true;
      cause = LedgerMetadata.describe(e);
    } catch (RuntimeException e) {
      cause = LedgerMetadata.describe(e);
    }
    try {
      Optional<TableState> now = TableStateCodec.decode(loader.get().current().properties());
      if (now.filter(state -> LedgerMetadata.isApplied(state, decision)).isPresent()) {
        return new SwapOutcome.Done(decision);
      }
      return refused && now.isPresent()
          ? new SwapOutcome.Conflict(now.get())
          : new SwapOutcome.Unknown(cause);
    } catch (RuntimeException e) {
      return new SwapOutcome.Unknown(cause + "; then " + LedgerMetadata.describe(e));
    }
  }
}
