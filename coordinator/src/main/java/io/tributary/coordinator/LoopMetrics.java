package io.tributary.coordinator;

import io.tributary.coordinator.core.Alarm;
import io.tributary.coordinator.core.GroupView;
import io.tributary.coordinator.core.SwapOutcome;
import io.tributary.coordinator.iceberg.TableMaintenance;
import io.tributary.protocol.FileCounts;
import io.tributary.protocol.GroupName;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardState;
import io.tributary.protocol.TableName;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * A table's numbers under Flink's metric group of the table's task: {@code table.<table>}, below it
 * {@code group.<group>} and {@code shard.<number>}. Names are Iceberg's where Iceberg's own sink
 * has the number. Written by the loop's thread, read by Flink's reporters.
 */
public final class LoopMetrics {
  private final Clock clock;
  private final MetricGroup table;
  private final Instant startedAt;

  private volatile Optional<TableState> ledger = Optional.empty();
  private volatile List<GroupView> groups = List.of();
  private volatile String stage = "NEW";
  private volatile long lastCommitDurationMs;
  private volatile long lastPublishDurationMs;
  private volatile Optional<Instant> lastCommit = Optional.empty();
  private volatile long existenceRequests;
  private volatile boolean isStopped;

  private volatile long snapshots = -1;
  private volatile long manifests = -1;

  private final Map<GroupName, GroupView> byGroup = new ConcurrentHashMap<>();
  private final Map<GroupName, MetricGroup> groupMetrics = new ConcurrentHashMap<>();
  private final Map<ShardId, MetricGroup> shardMetrics = new ConcurrentHashMap<>();

  private final Counter rounds;
  private final Counter dataRounds;
  private final Counter dataFiles;
  private final Counter dataRecords;
  private final Counter deleteFiles;
  private final Counter deleteRecords;
  private final Counter bytes;
  private final Counter conflicts;
  private final Counter unknownOutcomes;
  private final Counter messages;
  private final Counter expiredSnapshots;
  private final Counter mergedManifests;
  private final Map<Alarm.Code, Counter> alarms = new EnumMap<>(Alarm.Code.class);
  private final Map<Alarm.Code, String> lastAlarms = new ConcurrentHashMap<>();

  public LoopMetrics(MetricGroup parent, TableName name, Clock clock) {
    this.clock = clock;
    this.startedAt = clock.instant();
    this.table = parent.addGroup("table", name.value());
    this.rounds = table.counter("committedRoundsCount");
    this.dataRounds = table.counter("committedDataRoundsCount");
    this.dataFiles = table.counter("committedDataFilesCount");
    this.dataRecords = table.counter("committedDataFilesRecordCount");
    this.deleteFiles = table.counter("committedDeleteFilesCount");
    this.deleteRecords = table.counter("committedDeleteFilesRecordCount");
    this.bytes = table.counter("committedFilesByteCount");
    this.conflicts = table.counter("commitConflicts");
    this.unknownOutcomes = table.counter("unknownOutcomes");
    this.messages = table.counter("publishedMessagesCount");
    this.expiredSnapshots = table.counter("expiredSnapshotsCount");
    this.mergedManifests = table.counter("mergedManifestsCount");
    for (Alarm.Code code : Alarm.Code.values()) {
      MetricGroup alarm = table.addGroup("alarm", code.name());
      alarms.put(code, alarm.counter("raised"));
      gauge(alarm, "last", () -> lastAlarms.getOrDefault(code, ""));
    }
    gauge(table, "lastCommitDurationMs", () -> lastCommitDurationMs);
    gauge(table, "lastPublishDurationMs", () -> lastPublishDurationMs);
    gauge(
        table,
        "elapsedSecondsSinceLastSuccessfulCommit",
        () -> Duration.between(lastCommit.orElse(startedAt), clock.instant()).toSeconds());
    gauge(table, "round", () -> number(state -> state.round().value()));
    gauge(table, "term", () -> number(state -> state.term().value()));
    gauge(table, "validThroughLagMs", () -> lagMs(ledger.flatMap(TableState::validThrough)));
    gauge(table, "pendingEpochs", () -> sum(GroupView::pendingEpochs));
    gauge(table, "heldEpochs", () -> sum(GroupView::heldEpochs));
    gauge(table, "haltedGroups", () -> sum(view -> view.halt().isPresent() ? 1 : 0));
    gauge(table, "zombiesDropped", () -> total(GroupView::zombies));
    gauge(table, "duplicatesDropped", () -> total(GroupView::duplicates));
    gauge(table, "fileExistenceRequests", () -> existenceRequests);
    gauge(table, "snapshots", () -> snapshots);
    gauge(table, "manifests", () -> manifests);
    gauge(table, "stopped", () -> isStopped ? 1L : 0L);
    gauge(table, "stage", () -> stage);
    gauge(
        table,
        "shardsNotCovered",
        () ->
            number(
                state ->
                    state.shards().values().stream()
                        .filter(shard -> !shard.covered() && shard.phase() != ShardPhase.RETIRED)
                        .count()));
  }

  private static <T> void gauge(MetricGroup group, String name, Gauge<T> gauge) {
    group.gauge(name, gauge);
  }

  void ledger(TableState state) {
    ledger = Optional.of(state);
    state.shards().keySet().forEach(this::register);
  }

  void groups(List<GroupView> views) {
    groups = views;
    views.forEach(
        view -> {
          byGroup.put(view.group(), view);
          groupMetrics.computeIfAbsent(view.group(), this::register);
        });
  }

  void stage(String now) {
    stage = now;
  }

  void committed(TableState state, Duration took, long existenceRequestsSoFar) {
    lastCommit = Optional.of(clock.instant());
    lastCommitDurationMs = took.toMillis();
    existenceRequests = existenceRequestsSoFar;
    rounds.inc();
    if (state.dataRound()) {
      dataRounds.inc();
    }
    FileCounts added = state.added();
    dataFiles.inc(added.dataFiles());
    dataRecords.inc(added.dataRecords());
    deleteFiles.inc(added.equalityDeleteFiles() + added.positionDeleteFiles());
    deleteRecords.inc(added.equalityDeleteRecords() + added.positionDeleteRecords());
    bytes.inc(added.bytes());
  }

  void maintained(TableMaintenance.Report report) {
    if (report.snapshots() >= 0) {
      snapshots = report.snapshots();
      manifests = report.manifests();
    }
    expiredSnapshots.inc(report.expired());
    mergedManifests.inc(report.merged());
  }

  void swapped(SwapOutcome outcome) {
    if (outcome instanceof SwapOutcome.Conflict) {
      conflicts.inc();
    } else if (outcome instanceof SwapOutcome.Unknown) {
      unknownOutcomes.inc();
    }
  }

  void published(Duration took) {
    lastPublishDurationMs = took.toMillis();
    messages.inc();
  }

  void raised(Alarm alarm) {
    alarms.get(alarm.code()).inc();
    lastAlarms.put(alarm.code(), clock.instant() + " " + alarm.text());
  }

  void stopped() {
    isStopped = true;
  }

  private MetricGroup register(GroupName name) {
    MetricGroup group = table.addGroup("group", name.value());
    gauge(group, "epoch", () -> of(name, view -> view.committed().value()));
    gauge(group, "pendingEpochs", () -> of(name, view -> (long) view.pendingEpochs()));
    gauge(group, "heldEpochs", () -> of(name, view -> (long) view.heldEpochs()));
    gauge(group, "halted", () -> of(name, view -> view.halt().isPresent() ? 1L : 0L));
    gauge(group, "zombiesDropped", () -> of(name, GroupView::zombies));
    gauge(group, "duplicatesDropped", () -> of(name, GroupView::duplicates));
    gauge(group, "voidedEpochs", () -> of(name, GroupView::voided));
    return group;
  }

  private void register(ShardId id) {
    shardMetrics.computeIfAbsent(
        id,
        shard -> {
          MetricGroup group = table.addGroup("shard", shard.toString());
          gauge(
              group,
              "watermarkLagMs",
              () ->
                  lagMs(
                      ledger
                          .flatMap((TableState state) -> state.shard(shard))
                          .flatMap((ShardState state) -> state.watermark())));
          gauge(group, "copiedRows", () -> ofShard(shard, ShardState::copiedRows));
          gauge(group, "estimatedRows", () -> ofShard(shard, ShardState::estimatedRows));
          gauge(group, "covered", () -> ofShard(shard, state -> state.covered() ? 1L : 0L));
          gauge(
              group,
              "halted",
              () -> ofShard(shard, state -> state.phase() == ShardPhase.HALTED ? 1L : 0L));
          return group;
        });
  }

  private long of(GroupName name, Function<GroupView, Long> number) {
    return number.apply(byGroup.get(name));
  }

  private long ofShard(ShardId id, Function<ShardState, Long> number) {
    return ledger.flatMap(state -> state.shard(id)).map(number).orElse(-1L);
  }

  private long number(Function<TableState, Long> of) {
    return ledger.map(of).orElse(-1L);
  }

  private long sum(Function<GroupView, Integer> number) {
    return groups.stream().mapToLong(number::apply).sum();
  }

  private long total(Function<GroupView, Long> number) {
    return groups.stream().mapToLong(number::apply).sum();
  }

  /** -1 while there is no watermark. */
  private long lagMs(Optional<Watermark> watermark) {
    return watermark
        .map(time -> Duration.between(time.instant(), clock.instant()).toMillis())
        .orElse(-1L);
  }
}
