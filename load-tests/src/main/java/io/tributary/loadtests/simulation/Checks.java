package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Layer;
import io.tributary.coordinator.core.RoundPlan;
import io.tributary.ingest.row.ColumnType;
import io.tributary.protocol.ChainHash;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.HaltCode;
import io.tributary.protocol.RequestedColumn;
import io.tributary.protocol.SchemaRequest;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.Slice;
import io.tributary.protocol.SourceKey;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/** The invariants, checked whenever something changed that they speak of. */
final class Checks {
  /**
   * What the model knows of a sealed epoch.
   *
   * @param reached of each shard whose copy was whole: how far its reader was
   */
  record Sealed(Committable epoch, Map<ShardId, Integer> reached) {}

  private final World world;
  private final Map<ChainHash, Sealed> sealed = new HashMap<>();

  /** How far each shard's rows in the table ever were. */
  private final Map<ShardId, Integer> farthest = new HashMap<>();

  /** The same of the rows of each snapshot, for those that main is put back to. */
  private final Map<Long, Map<ShardId, Integer>> farthestOf = new HashMap<>();

  /** The same of the positions that an operator accepted, by the chain that begins there. */
  private final Map<ChainHash, Map<ShardId, Integer>> accepted = new HashMap<>();

  private long highestTerm;

  /** The highest term that a message was sent in. */
  private long announcedTerm;

  /** The highest watermark that readers were told. */
  private Optional<Watermark> announced = Optional.empty();

  Checks(World world) {
    this.world = world;
  }

  private InvariantViolation broken(Invariant invariant, String format, Object... values) {
    return new InvariantViolation(invariant, format.formatted(values));
  }

  void sealed(Committable epoch, Map<ShardId, Integer> reached) {
    sealed.put(epoch.chain(), new Sealed(epoch, reached));
  }

  /** Whether the file was written after the last epoch of its group that the table has. */
  boolean mayBePending(ModelFile file) {
    TableVersion table = world.metastore.truth();
    Sealed last =
        table == null
            ? null
            : table.state().group(file.group).map(group -> sealed.get(group.chain())).orElse(null);
    return last == null || file.writtenAt >= Timeline.millisOf(last.epoch().sealedAt());
  }

  /** A table was created where none was, or where the old one is meant to be gone. */
  void created(TableVersion table) {
    announced = Optional.empty();
    farthest.clear();
    highestTerm = table.state().term().value();
    announcedTerm = 0;
  }

  /**
   * An operator accepted the table as it is: its rows may be older ones.
   *
   * @param fitting whose positions count
   * @param sameRows whether main is still where its last round left it
   */
  void accepted(TableVersion table, Optional<TableState> fitting, boolean sameRows) {
    Map<ShardId, Integer> reached = new HashMap<>();
    Map<ShardId, Integer> atLeast = new HashMap<>();
    table
        .state()
        .shards()
        .forEach(
            (id, shard) -> {
              Optional<TableState> known = fitting.filter(any -> shard.watermark().isPresent());
              known
                  .flatMap(state -> state.shard(id).map(before -> reached(state, id, before)))
                  .ifPresent(position -> reached.put(id, position));
              known
                  .flatMap(state -> state.group(shard.group()))
                  .map(group -> lastReached(group.chain(), id))
                  .ifPresent(position -> atLeast.put(id, position));
            });
    table.state().groups().values().forEach(group -> accepted.put(group.chain(), reached));
    // Claims that nobody announced may be lost with their metadata: then owners tell them apart.
    if (table.state().term().value() <= announcedTerm) {
      throw broken(
          Invariant.TERM_NEVER_FALLS,
          "term %s was accepted after messages of term %d",
          table.state().term(),
          announcedTerm);
    }
    if (!sameRows) {
      farthest.clear();
      farthest.putAll(atLeast);
      if (table.main() != null) {
        // A shard that is read again from an earlier position has rows beyond its position.
        farthestOf
            .getOrDefault(table.main().id(), Map.of())
            .forEach((id, position) -> farthest.merge(id, position, Math::max));
      }
    }
    highestTerm = table.state().term().value();
  }

  void replaced(TableVersion before, TableVersion after, Metastore.Request request) {
    boolean round = request.plan().isPresent();
    if (world.metastore.isTampered()) {
      if (round && !isDeposedOn(before.state(), after.state())) {
        throw broken(
            Invariant.TAMPERING_NOTICED,
            "round %s was made on table %s, which is not the newest state",
            after.state().round(),
            after.uuid());
      }
      return;
    }
    TableState old = before.state();
    TableState now = after.state();
    if (now.term().value() < highestTerm || now.term().compareTo(old.term()) < 0) {
      throw broken(Invariant.TERM_NEVER_FALLS, "term %s after term %d", now.term(), highestTerm);
    }
    highestTerm = now.term().value();
    long expected = old.round().value() + (round ? 1 : 0);
    if (now.round().value() != expected) {
      throw broken(
          Invariant.ROUNDS_CONTIGUOUS,
          "round %s follows round %s where %d was expected",
          now.round(),
          old.round(),
          expected);
    }
    if (!round) {
      return;
    }
    if (world.status.size() != old.round().value()) {
      throw broken(
          Invariant.ANNOUNCED_ONCE,
          "round %s was made while %d messages are out",
          now.round(),
          world.status.size());
    }
    RoundPlan plan = request.plan().get();
    now.groups().forEach((name, group) -> epochs(old, plan, name, group));
    files(after, plan);
    requests(old, after, plan, before.schemas());
    rows(after);
    watermark(old, now);
    positions(old, now);
    now.groups()
        .forEach(
            (name, group) ->
                group
                    .halt()
                    .filter(
                        halt ->
                            old.group(name)
                                .flatMap(GroupState::halt)
                                .filter(halt::equals)
                                .isEmpty())
                    .ifPresent(halt -> halted(name, halt.code(), halt.message())));
    world.roundMade(old, now, plan);
  }

  /**
   * The one thing nobody can see before it happens: the table was restored to the very state that a
   * deposed owner knew when it was stopped. Its round there is never announced, which {@link
   * #announced} checks, and its message being refused makes it stop.
   */
  private boolean isDeposedOn(TableState restored, TableState after) {
    TableVersion truth = world.metastore.truth();
    return truth != null
        && restored.owner().equals(after.owner())
        && after.term().compareTo(truth.state().term()) < 0;
  }

  /** The new epochs of a group: they follow the old ones, and all of their slices are there. */
  private void epochs(TableState old, RoundPlan plan, GroupName name, GroupState group) {
    Optional<GroupState> known = old.group(name);
    ChainHash from =
        known.map(GroupState::chain).orElseGet(() -> ChainHash.first(old.tableUuid(), name));
    Epoch last = known.map(GroupState::epoch).orElse(new Epoch(0));
    Deque<Sealed> added = new ArrayDeque<>();
    ChainHash at = group.chain();
    while (!at.equals(from)) {
      Sealed epoch = sealed.get(at);
      if (epoch == null || epoch.epoch().epoch().compareTo(last) <= 0) {
        throw broken(
            Invariant.EPOCH_ONCE,
            "group %s has epoch %s in round %s, which does not follow epoch %s",
            name,
            group.epoch(),
            plan.next().round(),
            last);
      }
      added.addFirst(epoch);
      at = epoch.epoch().previous();
    }
    if (group.epoch().value() - last.value() != added.size()) {
      throw broken(
          Invariant.EPOCH_ONCE,
          "group %s goes from epoch %s to %s with %d epochs",
          name,
          last,
          group.epoch(),
          added.size());
    }
    List<Slice> wanted = new ArrayList<>();
    for (Sealed epoch : added) {
      speaksForItsOwn(name, epoch.epoch(), plan.next());
      for (Slice slice : epoch.epoch().slices()) {
        if (!slice.manifests().isEmpty()) {
          wanted.add(slice);
        }
      }
    }
    List<Slice> found = new ArrayList<>();
    for (Layer layer : plan.layers()) {
      for (Layer.Part part : layer.parts()) {
        if (part.group().equals(name)) {
          found.add(part.slice());
        }
      }
    }
    if (!wanted.equals(found)) {
      throw broken(
          Invariant.SLICES_IN_ORDER,
          "group %s brings %d slices for epochs %s to %s, and not the %d that were sealed",
          name,
          found.size(),
          last.next(),
          group.epoch(),
          wanted.size());
    }
  }

  private void speaksForItsOwn(GroupName name, Committable epoch, TableState now) {
    for (ShardProgress progress : epoch.shards()) {
      ShardState shard = now.shards().get(progress.shard());
      if (shard == null || !shard.group().equals(name)) {
        throw broken(
            Invariant.OWNER_ONLY,
            "epoch %s of group %s speaks for shard %s, owned by %s",
            epoch.epoch(),
            name,
            progress.shard(),
            shard);
      }
    }
  }

  private void files(TableVersion after, RoundPlan plan) {
    TableState now = after.state();
    for (Layer layer : plan.layers()) {
      for (Layer.Part part : layer.parts()) {
        for (ModelFile file : TableVersion.filesOf(world, part.slice())) {
          if (!file.exists) {
            throw broken(
                Invariant.FILES_EXIST,
                "round %s references file %d, which was deleted",
                now.round(),
                file.id);
          }
          file.referenced = true;
          file.lost.ifPresent(
              what -> {
                throw broken(
                    Invariant.COLUMNS_FIRST,
                    "round %s brings file %d: %s",
                    now.round(),
                    file.id,
                    what);
              });
          if (!after.schemas().holds(file.schema)) {
            throw broken(
                Invariant.SCHEMA_IN_TABLE,
                "round %s brings file %d of schema %s, and the table has %s",
                now.round(),
                file.id,
                file.schema,
                after.schemas().all());
          }
          ShardState shard = now.shards().get(file.shard);
          if (shard == null || !shard.group().equals(part.group())) {
            throw broken(
                Invariant.OWNER_ONLY,
                "group %s brings files of shard %s, owned by %s",
                part.group(),
                file.shard,
                shard);
          }
        }
      }
    }
  }

  /**
   * What a row loses when it is written with a schema of the table. Nobody minds it of a superseded
   * job, which may meet a table that was put back: its files never get into the table.
   */
  static Optional<String> lost(Reader.Row row, Schema schema) {
    return row.columns().entrySet().stream()
        .filter(column -> !holds(schema, column.getKey(), column.getValue()))
        .map(
            column ->
                "a row of shard %s with column %s %s is written with schema %s"
                    .formatted(row.shard(), column.getKey(), column.getValue(), schema))
        .findFirst();
  }

  private static boolean holds(Schema schema, String name, ColumnType type) {
    Types.NestedField field = schema.findField(name);
    return field != null
        && ColumnType.parse(field.type().toString()).filter(type::fitsInto).isPresent();
  }

  /** A round changes the table's columns. */
  void columns(List<Types.NestedField> before, List<Types.NestedField> after) {
    Set<String> names = new HashSet<>();
    Set<Integer> ids = new HashSet<>();
    for (Types.NestedField field : after) {
      if (!names.add(field.name()) || !ids.add(field.fieldId())) {
        throw broken(Invariant.COLUMN_ADDED_ONCE, "column %s is there twice: %s", field, after);
      }
    }
    for (Types.NestedField field : before) {
      boolean kept =
          after.stream()
              .filter(now -> now.fieldId() == field.fieldId())
              .filter(now -> now.name().equals(field.name()))
              .anyMatch(
                  now -> TypeUtil.isPromotionAllowed(field.type(), now.type().asPrimitiveType()));
      if (!kept) {
        throw broken(Invariant.COLUMNS_KEPT, "column %s is not kept by a round: %s", field, after);
      }
    }
  }

  /** What was asked for in the control topic, and what of it the round carries out. */
  private void requests(TableState old, TableVersion after, RoundPlan plan, TableSchemas before) {
    TableState now = after.state();
    world
        .control
        .requests()
        .subMap(old.controlOffset(), Math.max(old.controlOffset(), now.controlOffset()))
        .forEach(
            (offset, request) -> {
              for (RequestedColumn column : request.columns()) {
                ColumnType type = ColumnType.parse(column.type()).orElseThrow();
                if (offset >= world.control.first()
                    && counts(old, offset, request)
                    && counts(now, offset, request)
                    && !holds(after.schemas().current(), column.name(), type)) {
                  throw broken(
                      Invariant.REQUEST_CARRIED_OUT,
                      "round %s goes on behind offset %d without column %s, which group %s asks for there",
                      now.round(),
                      offset,
                      column,
                      request.group());
                }
              }
            });
    if (after.schemas() == before) {
      return;
    }
    world.tally.count(MatrixLine.COLUMNS_CHANGE);
    for (RequestedColumn column : plan.columns()) {
      ColumnType type = ColumnType.parse(column.type()).orElseThrow();
      if (!holds(before.current(), column.name(), type) && !isAskedFor(old, now, column)) {
        throw broken(
            Invariant.REQUEST_FENCED,
            "round %s brings column %s, which only superseded submissions ask for: %s",
            now.round(),
            column,
            world.control.requests());
      }
    }
  }

  /**
   * Whether the group's submission in the table asked, behind its hello, for a shard of its own.
   */
  private static boolean counts(TableState table, long offset, SchemaRequest request) {
    return isOfNewest(table, offset, request) && owns(table, request);
  }

  private static boolean isOfNewest(TableState table, long offset, SchemaRequest request) {
    return table.tableUuid().equals(request.tableUuid())
        && table
            .group(request.group())
            .filter(group -> group.submission().equals(request.submission()))
            .filter(group -> group.helloOffset() < offset)
            .isPresent();
  }

  private static boolean owns(TableState table, SchemaRequest request) {
    return table.shard(request.shard()).filter(s -> s.group().equals(request.group())).isPresent();
  }

  /**
   * Whether somebody asked for it whom no newer submission had superseded by then. The shard may
   * belong to another group since.
   */
  private boolean isAskedFor(TableState old, TableState now, RequestedColumn column) {
    return world.control.requests().entrySet().stream()
            .filter(entry -> entry.getValue().columns().contains(column))
            .anyMatch(
                entry ->
                    isOfNewest(now, entry.getKey(), entry.getValue())
                        || now.group(entry.getValue().group())
                                // The same offset in a topic that was created again.
                                .filter(group -> entry.getKey() <= group.helloOffset())
                                .isPresent()
                            // The round may bring its successor's hello, and move the shard away.
                            && (owns(now, entry.getValue())
                                || isOfNewest(old, entry.getKey(), entry.getValue())))
        || world.control.formerRequests().stream()
            .anyMatch(request -> request.columns().contains(column));
  }

  void deleted(ModelFile file) {
    if (file.referenced) {
      throw broken(
          Invariant.FILES_EXIST, "file %d was deleted, and snapshots reference it", file.id);
    }
  }

  private void rows(TableVersion table) {
    TableState state = table.state();
    for (Map.Entry<ShardId, ShardState> entry : state.shards().entrySet()) {
      ShardId shard = entry.getKey();
      Integer reached = reached(state, shard, entry.getValue());
      if (reached == null || reached < farthest.getOrDefault(shard, 0)) {
        // Being copied, not read, or read again from an earlier position.
        continue;
      }
      farthest.put(shard, reached);
      long[] wanted = world.server(entry.getValue().server()).rows(shard, reached);
      List<Snapshot.Row> found =
          table.main() == null ? List.of() : table.main().rows().getOrDefault(shard, List.of());
      long[] seen = new long[Server.KEYS];
      for (Snapshot.Row row : found) {
        if (seen[row.key()] != 0 || row.value() != wanted[row.key()]) {
          throw broken(
              Invariant.ROWS_EXACT,
              "shard %s at position %d in round %s holds rows %s, expected %s",
              shard,
              reached,
              state.round(),
              found,
              Arrays.toString(wanted));
        }
        seen[row.key()] = row.value();
      }
      if (!Arrays.equals(seen, wanted)) {
        throw broken(
            Invariant.ROWS_EXACT,
            "shard %s at position %d in round %s lacks rows: it holds %s, expected %s",
            shard,
            reached,
            state.round(),
            Arrays.toString(seen),
            Arrays.toString(wanted));
      }
    }
    if (table.main() != null) {
      farthestOf.put(table.main().id(), Map.copyOf(farthest));
    }
  }

  /** How far the reader of the shard's last committed epoch was; null when that says nothing. */
  private Integer reached(TableState state, ShardId shard, ShardState known) {
    GroupState group = state.groups().get(known.group());
    if (group == null) {
      return null;
    }
    Sealed last = sealed.get(group.chain());
    Map<ShardId, Integer> reached =
        last == null ? accepted.getOrDefault(group.chain(), Map.of()) : last.reached();
    return reached.get(shard);
  }

  /**
   * How far it was by the last epoch of a chain that says so; a shard that was paused or halted
   * since then is not behind that.
   */
  private Integer lastReached(ChainHash chain, ShardId shard) {
    ChainHash at = chain;
    while (sealed.containsKey(at) && !sealed.get(at).reached().containsKey(shard)) {
      at = sealed.get(at).epoch().previous();
    }
    return sealed.containsKey(at)
        ? sealed.get(at).reached().get(shard)
        : accepted.getOrDefault(at, Map.of()).get(shard);
  }

  /** Whether the table holds all of the shard's changes. */
  boolean isComplete(TableState state, ShardId shard) {
    ShardState known = state.shards().get(shard);
    Integer reached = reached(state, shard, known);
    return reached != null && reached == world.server(known.server()).size();
  }

  private void watermark(TableState old, TableState now) {
    if (old.validThrough().isPresent()
        && now.validThrough().filter(t -> t.compareTo(old.validThrough().get()) >= 0).isEmpty()) {
      throw broken(
          Invariant.WATERMARK_NEVER_BACK,
          "round %s has %s after %s",
          now.round(),
          now.validThrough(),
          old.validThrough());
    }
    if (now.validThrough().isEmpty()) {
      return;
    }
    Watermark promised = now.validThrough().get();
    now.shards()
        .forEach(
            (id, shard) -> {
              boolean wanted =
                  shard.phase() != ShardPhase.PAUSED && shard.phase() != ShardPhase.RETIRED;
              if (old.validThrough().isEmpty() && wanted && shard.phase() != ShardPhase.ACTIVE) {
                throw broken(
                    Invariant.WATERMARK_HONEST,
                    "round %s has the first watermark while shard %s is in phase %s",
                    now.round(),
                    id,
                    shard.phase());
              }
              if (shard.covered() && shard.phase() == ShardPhase.ACTIVE) {
                int needed =
                    world
                        .server(shard.server())
                        .committedBefore(Timeline.millisOf(promised.instant()));
                Integer reached = reached(now, id, shard);
                int holds = Math.max(reached == null ? 0 : reached, farthest.getOrDefault(id, 0));
                if (holds < needed) {
                  throw broken(
                      Invariant.WATERMARK_HONEST,
                      "round %s promises %s, for which shard %s needs %d changes and holds %d",
                      now.round(),
                      promised,
                      id,
                      needed,
                      holds);
                }
              }
            });
  }

  private void positions(TableState old, TableState now) {
    for (Map.Entry<SourceKey, SourcePosition> entry : now.sources().entrySet()) {
      SourcePosition before = old.sources().get(entry.getKey());
      if (before != null
          && entry.getValue().position() < before.position()
          && !world.group(entry.getKey().group()).hadTwoReaders) {
        throw broken(
            Invariant.POSITION_NEVER_BACK,
            "source %s is at %s in round %s after %s",
            entry.getKey(),
            entry.getValue(),
            now.round(),
            before);
      }
    }
  }

  /** The operator is told that a group stands still: what the halt says must be what happened. */
  void toldOfHalt(GroupName name, String alarm) {
    for (HaltCode code : HaltCode.values()) {
      if (alarm.startsWith(code + ":") || alarm.startsWith(code + " ")) {
        halted(name, code, alarm);
        return;
      }
    }
    throw broken(Invariant.HALT_HAS_CAUSE, "group %s is halted without a cause: %s", name, alarm);
  }

  private void halted(GroupName name, HaltCode code, String message) {
    if (!world.group(name).excuses.contains(code)) {
      throw broken(
          Invariant.HALT_HAS_CAUSE,
          "group %s is halted as %s without such a fault: %s",
          name,
          code,
          message);
    }
  }

  void announced(CommitStatus message) {
    if (message.round().value() != world.status.size() + 1L) {
      throw broken(
          Invariant.ANNOUNCED_ONCE,
          "round %s is announced after %d messages",
          message.round(),
          world.status.size());
    }
    Optional<Watermark> told = message.validThrough().or(message::promisedThrough);
    if (announced.isPresent() && told.filter(t -> t.compareTo(announced.get()) >= 0).isEmpty()) {
      throw broken(
          Invariant.WATERMARK_NEVER_BACK,
          "round %s announces %s after %s",
          message.round(),
          told,
          announced);
    }
    announced = told;
    announcedTerm = Math.max(announcedTerm, message.term().value());
    TableVersion table = world.metastore.truth();
    if (table == null || table.state().round().compareTo(message.round()) < 0) {
      throw broken(
          Invariant.ANNOUNCED_IN_TABLE, "round %s is announced before it is made", message.round());
    }
    if (message.snapshot().filter(s -> !table.holds(s.id())).isPresent()) {
      throw broken(
          Invariant.ANNOUNCED_IN_TABLE,
          "round %s is announced with snapshot %s, which is gone",
          message.round(),
          message.snapshot());
    }
  }

  void expired(TableVersion table) {
    if (table.state().snapshot().filter(s -> !table.holds(s.id())).isPresent()) {
      throw broken(
          Invariant.ANNOUNCED_IN_TABLE,
          "snapshot %s of round %s was expired",
          table.state().snapshot(),
          table.state().round());
    }
  }

  InvariantViolation violation(Invariant invariant, String found) {
    return new InvariantViolation(invariant, found);
  }
}
