package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableUuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The catalog: one pointer to the table's metadata, replaced by compare-and-set. */
final class Metastore {
  /** What becomes of the next request that replaces the pointer. */
  enum Fate {
    NORMAL,
    LOST_APPLIED,
    LOST_NEVER,
    LOST_LATE,
    REFUSED_THOUGH_APPLIED,
    UNREACHABLE
  }

  /** What a swap is for. */
  enum Kind {
    DATA_ROUND,
    IDLE_ROUND,
    CLAIM
  }

  /**
   * A request to replace the pointer.
   *
   * @param base what it was made from
   * @param plan empty for a claim
   * @param claim the state a claim writes; null for a round
   */
  record Request(TableVersion base, Kind kind, Optional<RoundPlan> plan, TableState claim) {
    boolean changesColumns() {
      return plan.filter(round -> !round.columns().isEmpty()).isPresent();
    }
  }

  private final World world;
  private final List<TableVersion> history = new ArrayList<>();
  private TableVersion pointer;

  /** The newest version that nobody tampered with. */
  private TableVersion truth;

  private boolean tampered;

  /** The versions before the pointer's that its metadata log still names, the oldest first. */
  private List<TableVersion> log = List.of();

  private boolean down;
  private Fate next = Fate.NORMAL;

  /** What becomes of the next request that changes columns. */
  private Fate nextWithColumns = Fate.NORMAL;

  Metastore(World world) {
    this.world = world;
  }

  /** Null when there is no table. */
  TableVersion pointer() {
    return pointer;
  }

  /** Null before the first. */
  TableVersion truth() {
    return truth;
  }

  boolean isTampered() {
    return tampered;
  }

  boolean isDown() {
    return down;
  }

  void setDown(boolean now) {
    down = now;
  }

  void decide(Fate fate) {
    next = fate;
  }

  void decideWithColumns(Fate fate) {
    nextWithColumns = fate;
  }

  void clearFate() {
    next = Fate.NORMAL;
    nextWithColumns = Fate.NORMAL;
  }

  /** Of a request to replace the pointer. */
  Fate takeFate(Request request) {
    if (nextWithColumns == Fate.NORMAL || !request.changesColumns()) {
      return takeFate();
    }
    world.tally.count(FaultKind.COLUMNS_ANSWER_LOST);
    Fate fate = nextWithColumns;
    nextWithColumns = Fate.NORMAL;
    return fate;
  }

  Fate takeFate() {
    Fate fate = next;
    next = Fate.NORMAL;
    switch (fate) {
      case LOST_APPLIED -> world.tally.count(FaultKind.ANSWER_LOST_APPLIED);
      case LOST_NEVER -> world.tally.count(FaultKind.ANSWER_LOST_NEVER_APPLIED);
      case LOST_LATE -> world.tally.count(FaultKind.ANSWER_LOST_APPLIED_LATE);
      case REFUSED_THOUGH_APPLIED -> world.tally.count(FaultKind.REFUSAL_AFTER_APPLYING);
      case NORMAL, UNREACHABLE -> {}
    }
    return fate;
  }

  List<TableVersion> history() {
    return history;
  }

  /**
   * @return whether there was no table
   */
  boolean create(TableUuid uuid, TableState state) {
    if (pointer != null) {
      return false;
    }
    pointer =
        new TableVersion(
            world.nextNumber(), uuid, state, null, null, List.of(), 0, TableSchemas.first(), false);
    if (!tampered) {
      truth = pointer;
      history.clear();
      history.add(pointer);
      world.checks.created(pointer);
    }
    return true;
  }

  /**
   * @return the version that was written; null when the base was no longer the table's
   */
  TableVersion replace(Request request) {
    boolean compared =
        switch (request.kind()) {
          case DATA_ROUND -> world.rules.core().holds(Protection.CHECKED_BASE_OF_DATA_ROUNDS);
          case IDLE_ROUND -> world.rules.core().holds(Protection.CHECKED_BASE_OF_IDLE_ROUNDS);
          case CLAIM -> world.rules.core().holds(Protection.CHECKED_BASE_OF_CLAIMS);
        };
    if (pointer == null) {
      return null;
    }
    TableVersion base = request.base();
    if (pointer.location() != base.location()) {
      if (!world.rules.core().holds(Protection.COMPARE_AND_SET)) {
        // The late request overwrites what came in between.
        world.timeline.note(() -> "an unconditional replacement");
      } else if (!compared) {
        // What re-applying an update does: on a new base, without looking at it.
        base = pointer;
      } else {
        return null;
      }
    }
    TableVersion before = pointer;
    TableVersion after =
        request.plan().isPresent()
            ? base.withRound(world, request.plan().get())
            : base.withState(world.nextNumber(), request.claim());
    pointer = after;
    history.add(after);
    world.checks.replaced(before, after, request);
    if (!tampered) {
      truth = after;
    }
    return after;
  }

  /**
   * A commit of another engine that changes no rows: compaction, or another writer's properties.
   */
  void foreignCommit() {
    Snapshot main = pointer.main();
    if (main == null) {
      return;
    }
    set(
        pointer.withMain(
            world.nextNumber(),
            new Snapshot(world.nextNumber(), main, pointer.lastSequence() + 1, main.rows())));
  }

  /**
   * @param schemas whether the schema's older versions go too
   */
  void expire(boolean schemas) {
    TableVersion expired = pointer.expired(world.nextNumber());
    set(schemas ? expired.withSchemas(expired.schemas().cleaned()) : expired);
  }

  /** Somebody sets the table to something that is not its newest state. */
  void tamper(TableVersion version) {
    log = List.copyOf(history);
    tampered = true;
    pointer = version;
  }

  /** Somebody creates another table under the name; no metadata log leads back. */
  void replaceByOthers(TableVersion version) {
    log = List.of();
    tampered = true;
    pointer = version;
  }

  /** Somebody sets the table to one of its older versions, with the log that it had. */
  void restore(TableVersion older) {
    log = history.stream().filter(version -> version.location() < older.location()).toList();
    tampered = true;
    pointer = older.at(world.nextNumber());
  }

  /** The versions before the present one, as far as its metadata log names them. */
  List<TableVersion> log() {
    return tampered ? log : history;
  }

  /** An operator's decision, on the very version that was looked at. */
  void accept(TableState decided, Optional<TableState> fitting) {
    boolean sameRows = truth != null && truth.main() == pointer.main();
    pointer = pointer.accepted(world.nextNumber(), decided);
    truth = pointer;
    tampered = false;
    history.add(pointer);
    world.checks.accepted(pointer, fitting, sameRows);
  }

  void drop() {
    tampered = true;
    pointer = null;
  }

  /** The old table is meant to be gone for good: whatever comes is the table. */
  void forget() {
    pointer = null;
    truth = null;
    tampered = false;
    history.clear();
  }

  /** The operator puts the newest metadata back. */
  void repair() {
    pointer = truth == null ? null : truth.at(world.nextNumber());
    truth = pointer;
    tampered = false;
  }

  private void set(TableVersion version) {
    pointer = version;
    if (!tampered) {
      truth = version;
      history.add(version);
    }
  }

  TableUuid newUuid() {
    return new TableUuid(new UUID(11, world.nextNumber()));
  }
}
