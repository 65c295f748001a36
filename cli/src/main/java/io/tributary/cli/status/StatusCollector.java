package io.tributary.cli.status;

import io.tributary.coordinator.core.Alarm;
import io.tributary.localstack.LocalStackException;
import io.tributary.protocol.CommitStatus;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.GroupState;
import io.tributary.protocol.RoundNumber;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableState;
import io.tributary.protocol.TableStateCodec;
import io.tributary.protocol.Watermark;
import io.tributary.registry.GroupSpec;
import io.tributary.registry.Registry;
import io.tributary.registry.ShardSpec;
import io.tributary.registry.TableSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;

/** Puts together what the table, the status topic and Flink say of one table. */
public final class StatusCollector {
  private static final String TABLE_STOPPED = Alarm.Code.TABLE_STOPPED.name();

  private final Registry registry;
  private final TableSpec table;
  private final Clock clock;

  public StatusCollector(Registry registry, TableSpec table, Clock clock) {
    this.registry = registry;
    this.table = table;
    this.clock = clock;
  }

  /**
   * @param iceberg loads the table from its catalog
   * @param lastStatus reads the last message of the status topic
   * @param flink the cluster that the jobs run on, if it is known
   */
  public TableReport collect(
      Supplier<Optional<Table>> iceberg,
      Supplier<Optional<CommitStatus>> lastStatus,
      Optional<FlinkJobs> flink) {
    List<String> problems = new ArrayList<>();
    Optional<Table> loaded = ask(problems, iceberg);
    Optional<TableState> state =
        loaded.flatMap(found -> ask(problems, () -> TableStateCodec.decode(found.properties())));
    Optional<String> unknown = problems.stream().findFirst();
    Optional<RoundNumber> published = ask(problems, lastStatus).map(CommitStatus::round);
    Optional<FlinkJobs.JobView> coordinator = Optional.empty();
    Map<GroupName, FlinkJobs.JobView> jobs = new HashMap<>();
    List<FlinkJobs.AlarmView> alarms = new ArrayList<>();
    Optional<String> jobsUnknown = Optional.empty();
    if (flink.isEmpty()) {
      jobsUnknown = Optional.of("expected Flink's address (--flink URL), found none");
    } else {
      try {
        coordinator = flink.get().coordinator();
        if (coordinator.filter(job -> !FlinkJobs.hasEnded(job.state())).isPresent()) {
          alarms.addAll(flink.get().alarms(coordinator.get().id(), table.name()));
        }
        for (GroupSpec group : registry.groupsOf(table.name())) {
          flink.get().ingest(group.name()).ifPresent(job -> jobs.put(group.name(), job));
        }
      } catch (LocalStackException e) {
        problems.add(e.getMessage());
        jobsUnknown = Optional.of(e.getMessage());
      }
    }
    Optional<SnapshotRates> rates =
        loaded.flatMap(found -> state.map(now -> SnapshotRates.of(found, now)));
    alarms.stream()
        .filter(alarm -> alarm.code().equals(TABLE_STOPPED))
        .forEach(alarm -> problems.add(alarm.last()));
    Instant now = clock.instant();
    return new TableReport(
        table.name(),
        state.map(TableState::round),
        published,
        state.flatMap(TableState::snapshot),
        state.flatMap(TableState::validThrough),
        state.flatMap(TableState::promisedThrough),
        state.flatMap(TableState::validThrough).map(watermark -> lag(watermark, now)),
        state.map(TableState::committedAt),
        coordinator,
        groups(state, jobs),
        shards(state, jobs, rates, now),
        loaded
            .flatMap(found -> state.map(known -> ColumnReport.of(known, names(found))))
            .orElse(List.of()),
        alarms,
        unknown,
        jobsUnknown,
        problems);
  }

  private static Map<Integer, String> names(Table table) {
    return table.schema().columns().stream()
        .collect(Collectors.toMap(Types.NestedField::fieldId, Types.NestedField::name));
  }

  private static <T> Optional<T> ask(List<String> problems, Supplier<Optional<T>> question) {
    try {
      return question.get();
    } catch (RuntimeException e) {
      // One silent party must not hide what the others say.
      problems.add(e.getMessage());
      return Optional.empty();
    }
  }

  private List<TableReport.Group> groups(
      Optional<TableState> state, Map<GroupName, FlinkJobs.JobView> jobs) {
    return registry.groupsOf(table.name()).stream()
        .map(
            group -> {
              Optional<GroupState> known = state.flatMap(all -> all.group(group.name()));
              return new TableReport.Group(
                  group.name(),
                  known.map(GroupState::epoch),
                  Optional.ofNullable(jobs.get(group.name())),
                  known.flatMap(GroupState::halt).map(halt -> halt.message()));
            })
        .toList();
  }

  private List<TableReport.Shard> shards(
      Optional<TableState> state,
      Map<GroupName, FlinkJobs.JobView> jobs,
      Optional<SnapshotRates> rates,
      Instant now) {
    List<TableReport.Shard> shards = new ArrayList<>();
    Map<ShardId, ShardState> unlisted =
        new java.util.TreeMap<>(state.map(TableState::shards).orElse(new java.util.TreeMap<>()));
    for (ShardSpec spec : registry.shardsOf(table.name())) {
      Optional<ShardState> known = Optional.ofNullable(unlisted.remove(spec.id()));
      GroupName group = known.map(ShardState::group).orElse(spec.group());
      shards.add(
          new TableReport.Shard(
              spec.id(),
              group,
              spec.server(),
              spec.source().toString(),
              known.map(shard -> shard.phase().wireName()).orElse(spec.state().word() + "?"),
              longOf(known.map(ShardState::copiedRows)),
              longOf(known.map(ShardState::estimatedRows)),
              known
                  .filter(shard -> shard.phase() == ShardPhase.SNAPSHOT)
                  .flatMap(shard -> rates.flatMap(rate -> rate.eta(spec.id()))),
              known.flatMap(ShardState::watermark),
              known.flatMap(ShardState::watermark).map(watermark -> lag(watermark, now)),
              epoch(state, group),
              error(state, jobs, known, group)));
    }
    unlisted.forEach(
        (id, shard) ->
            shards.add(
                new TableReport.Shard(
                    id,
                    shard.group(),
                    shard.server(),
                    "(not in the registry)",
                    shard.phase().wireName(),
                    OptionalLong.of(shard.copiedRows()),
                    OptionalLong.of(shard.estimatedRows()),
                    Optional.empty(),
                    shard.watermark(),
                    shard.watermark().map(watermark -> lag(watermark, now)),
                    epoch(state, shard.group()),
                    error(state, jobs, Optional.of(shard), shard.group()))));
    return shards;
  }

  private static Optional<Epoch> epoch(Optional<TableState> state, GroupName group) {
    return state.flatMap(all -> all.group(group)).map(GroupState::epoch);
  }

  private static Optional<String> error(
      Optional<TableState> state,
      Map<GroupName, FlinkJobs.JobView> jobs,
      Optional<ShardState> shard,
      GroupName group) {
    return shard
        .flatMap(ShardState::haltReason)
        .or(
            () ->
                state
                    .flatMap(all -> all.group(group))
                    .flatMap(GroupState::halt)
                    .map(halt -> halt.message()))
        .or(() -> Optional.ofNullable(jobs.get(group)).flatMap(FlinkJobs.JobView::lastError));
  }

  private static OptionalLong longOf(Optional<Long> value) {
    return value.map(OptionalLong::of).orElse(OptionalLong.empty());
  }

  private static Duration lag(Watermark watermark, Instant now) {
    return Duration.between(watermark.instant(), now);
  }
}
