package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.CommittableFault;
import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.core.TableLayout;
import io.tributary.coordinator.core.TableLook;
import io.tributary.coordinator.iceberg.SchemaOfFiles;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a coordinator's process knows of the table: a model of the product's ledger, with the same
 * checks in the same order.
 */
final class LedgerAdapter {
  static final TableLayout LAYOUT = new TableLayout(0, 2);

  private final World world;
  private TableUuid seenUuid;
  private long seenRound;
  private long seenTerm;

  LedgerAdapter(World world) {
    this.world = world;
  }

  /** An attempt: over before anything was sent, or a request. */
  record Attempt(Optional<SwapOutcome> ended, Metastore.Request request) {
    static Attempt over(SwapOutcome outcome) {
      return new Attempt(Optional.of(outcome), null);
    }
  }

  TableLook look() {
    if (world.metastore.isDown()) {
      return new TableLook.Unreachable("the metastore is down");
    }
    TableVersion table = world.metastore.pointer();
    if (table == null) {
      return seenUuid == null ? new TableLook.Absent() : new TableLook.Unusable("table gone");
    }
    Optional<String> problem = problem(table);
    if (problem.isPresent()) {
      return new TableLook.Unusable(problem.get());
    }
    remember(table.state());
    return new TableLook.Present(table.state(), LAYOUT);
  }

  Attempt claim(TableState expected, TableState next) {
    return attempt(expected, next, Optional.empty());
  }

  Attempt round(RoundPlan plan) {
    return attempt(plan.expected(), plan.next(), Optional.of(plan));
  }

  private Attempt attempt(TableState expected, TableState next, Optional<RoundPlan> plan) {
    if (world.metastore.isDown()) {
      return Attempt.over(new SwapOutcome.Unreachable("the metastore is down"));
    }
    TableVersion base = world.metastore.pointer();
    if (base == null) {
      return Attempt.over(new SwapOutcome.TableHalted("table gone"));
    }
    Optional<String> problem = problem(base);
    if (problem.isPresent()) {
      return Attempt.over(new SwapOutcome.TableHalted(problem.get()));
    }
    remember(base.state());
    if (!sameHolder(base.state(), expected)) {
      return Attempt.over(refused(base.state(), next));
    }
    if (plan.isEmpty()) {
      return new Attempt(
          Optional.empty(),
          new Metastore.Request(base, Metastore.Kind.CLAIM, Optional.empty(), next));
    }
    List<CommittableFault> faults = faults(plan.get(), base.schemas());
    if (!faults.isEmpty()) {
      return Attempt.over(new SwapOutcome.Faulty(faults));
    }
    Metastore.Kind kind =
        plan.get().layers().isEmpty() ? Metastore.Kind.IDLE_ROUND : Metastore.Kind.DATA_ROUND;
    for (Layer layer : plan.get().layers()) {
      TableVersion.filesOf(world, layer).forEach(file -> file.requested = true);
    }
    return new Attempt(Optional.empty(), new Metastore.Request(base, kind, plan, null));
  }

  /** The catalog said that the base was no longer the table's. */
  SwapOutcome afterRefusal(TableState written) {
    TableLook look = look();
    if (look instanceof TableLook.Present present) {
      return refused(present.state(), written);
    }
    if (look instanceof TableLook.Unusable unusable) {
      return new SwapOutcome.TableHalted(unusable.reason());
    }
    return new SwapOutcome.Unknown("refused, then " + look);
  }

  private SwapOutcome refused(TableState found, TableState written) {
    boolean applied =
        world.rules.core().holds(Protection.CONFLICT_IS_NO_PROOF)
            && sameHolder(found, written)
            && found.plan().equals(written.plan());
    return applied ? new SwapOutcome.Done(found) : new SwapOutcome.Conflict(found);
  }

  private boolean sameHolder(TableState found, TableState expected) {
    return (found.tableUuid().equals(expected.tableUuid())
            || !world.rules.core().holds(Protection.TABLE_IDENTITY))
        && found.round().equals(expected.round())
        && (!world.rules.core().holds(Protection.TERM_AND_OWNER)
            || found.term().equals(expected.term()) && found.owner().equals(expected.owner()));
  }

  boolean canBeRead(Optional<io.tributary.protocol.IcebergSnapshot> snapshot) {
    TableVersion table = world.metastore.pointer();
    return table != null && snapshot.map(wanted -> table.holds(wanted.id())).orElse(true);
  }

  void remember(TableState state) {
    seenUuid = state.tableUuid();
    seenRound = state.round().value();
    seenTerm = state.term().value();
  }

  private Optional<String> problem(TableVersion table) {
    if (table.stateless()) {
      return Optional.of("expected the coordinator's state, found none");
    }
    TableState state = table.state();
    if (seenUuid != null && !seenUuid.equals(state.tableUuid())) {
      return Optional.of("expected table %s, found %s".formatted(seenUuid, state.tableUuid()));
    }
    if ((state.round().value() < seenRound || state.term().value() < seenTerm)
        && world.rules.core().holds(Protection.NEVER_BELOW_SEEN)) {
      return Optional.of(
          "expected at least round %d and term %d, found %s and %s"
              .formatted(seenRound, seenTerm, state.round(), state.term()));
    }
    if (!table.uuid().equals(state.tableUuid())) {
      return Optional.of("expected the state of table " + table.uuid());
    }
    if (state.snapshot().isEmpty()) {
      return Optional.empty();
    }
    if (world.rules.core().holds(Protection.TAG)
        && (table.tag() == null || table.tag().id() != state.snapshot().get().id())) {
      return Optional.of("expected the tag at " + state.snapshot() + ", found " + table.tag());
    }
    if (world.rules.core().holds(Protection.TAG_IS_ANCESTOR)
        && table.tag() != null
        && !table.main().descendsFrom(table.tag())) {
      return Optional.of("expected the tag to be an ancestor of main, found main before it");
    }
    return Optional.empty();
  }

  private List<CommittableFault> faults(RoundPlan plan, TableSchemas schemas) {
    List<CommittableFault> faults = new ArrayList<>();
    for (Layer layer : plan.layers()) {
      for (Layer.Part part : layer.parts()) {
        for (ModelFile file : TableVersion.filesOf(world, part.slice())) {
          fault(plan, part, file, schemas)
              .filter(
                  code ->
                      faults.stream()
                          .noneMatch(
                              known ->
                                  known.group().equals(part.group())
                                      && known.epoch().equals(part.epoch())))
              .ifPresent(
                  code ->
                      faults.add(
                          new CommittableFault(
                              part.group(), part.epoch(), code, "expected file " + file.id)));
        }
      }
    }
    return faults;
  }

  private Optional<HaltCode> fault(
      RoundPlan plan, Layer.Part part, ModelFile file, TableSchemas schemas) {
    if (world.rules.core().holds(Protection.FILES_OF_THE_SCHEMA)
        && SchemaOfFiles.mismatch(
                file.schema, schemas.current(), schemas.all(), schemas.lastColumnId())
            .isPresent()) {
      return Optional.of(HaltCode.WRONG_LAYOUT);
    }
    if (!file.exists && world.rules.core().holds(Protection.FILES_SEEN)) {
      return Optional.of(HaltCode.MISSING_FILES);
    }
    ShardState shard = plan.next().shards().get(file.shard);
    if (world.rules.core().holds(Protection.FILES_OWNED)
        && (shard == null || !shard.group().equals(part.group()))) {
      return Optional.of(HaltCode.NOT_OWNED);
    }
    return Optional.empty();
  }
}
