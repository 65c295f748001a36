package io.tributary.ingest.send;

import io.tributary.ingest.seal.EpochSealer;
import io.tributary.ingest.seal.SchemaRequests;
import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.SealerState;
import io.tributary.ingest.seal.SealerStateCodec;
import io.tributary.ingest.seal.StartRefusedException;
import io.tributary.ingest.seal.TableLayout;
import io.tributary.ingest.seal.WriterResult;
import io.tributary.protocol.Committable;
import io.tributary.protocol.Epoch;
import io.tributary.protocol.Hello;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.ShardPhase;
import io.tributary.protocol.ShardProgress;
import io.tributary.protocol.TableState;
import io.tributary.protocol.Watermark;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Seals an epoch at each barrier and sends it when its checkpoint is complete. There is one per
 * job. The decisions are {@link EpochSealer}'s, the waiting is {@link ControlSender}'s; here they
 * meet Flink: its barriers, its state, its one thread.
 *
 * <p>It passes each epoch's number on when the epoch has reached the control topic.
 */
final class SealerOperator extends AbstractStreamOperator<Long>
    implements TwoInputStreamOperator<WriterResult, SourceReport, Long> {
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final SealerConfig config;
  private final MailboxExecutor mailbox;
  private final Clock clock;

  private transient ListState<byte[]> state;
  private transient EpochSealer sealer;
  private transient SchemaRequests requests;
  private transient ControlSender sender;
  private transient GroupLease lease;
  private transient Counter sentEpochs;

  // Read by the metrics' thread.
  private transient volatile SortedMap<ShardId, ShardProgress> shards;
  private transient volatile long unsent;
  private transient volatile long epoch;

  SealerOperator(SealerConfig config, MailboxExecutor mailbox, Clock clock) {
    this.config = config;
    this.mailbox = mailbox;
    this.clock = clock;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>("sealer", BytePrimitiveArraySerializer.INSTANCE));
    Optional<SealerState> restored = Optional.empty();
    for (byte[] bytes : state.get()) {
      if (restored.isPresent()) {
        throw new IllegalStateException(
            "Cannot restore the sealer of group %s: expected one state, found several"
                .formatted(config.submission().group()));
      }
      restored = Optional.of(SealerStateCodec.decode(bytes));
    }
    try {
      sealer = new EpochSealer(config.submission(), restored, config.protections());
    } catch (StartRefusedException e) {
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    shards = Collections.emptySortedMap();
    requests =
        new SchemaRequests(config.submission(), SchemaRequests.PATIENCE, config.protections());
    observe();
    sender =
        new ControlSender(
            config.submission(),
            sealer.toSend(),
            sealer.isOpen() ? Optional.empty() : Optional.of(hello()),
            new KafkaControlTopic(config.kafka(), config.submission().group()),
            new CatalogLedger(config.table()),
            config.inlineLimit(),
            config.protections().contains(SealerProtection.RESEND_BEFORE_HELLO),
            new InMailbox(),
            getUserCodeClassloader());
    registerMetrics();
    sender.start();
    if (config.lease() instanceof SealerConfig.ZooKeeperLease place) {
      lease = new GroupLease(place.address(), config.submission(), getUserCodeClassloader());
      lease.start();
    }
  }

  private Hello hello() {
    return new Hello(
        config.submission().table(),
        config.submission().group(),
        config.submission().incarnation(),
        config.submission().id(),
        sealer.continuation(),
        config.proposal(),
        config.submission().shards(),
        config.submission().registryVersion(),
        clock.instant());
  }

  @Override
  public void processElement1(StreamRecord<WriterResult> result) {
    sealer.add(result.getValue());
  }

  @Override
  public void processElement2(StreamRecord<SourceReport> report) {
    sealer.mark(report.getValue().source(), report.getValue().mark());
    report.getValue().mark().wishes().stream()
        .flatMap(wish -> requests.ask(wish, sealer.table(), clock.instant()).stream())
        .forEach(sender::send);
    observe();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    sealer.seal(context.getCheckpointId(), clock.instant());
    observe();
    state.update(List.of(SealerStateCodec.encode(sealer.state())));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    for (Committable committable : sealer.complete(checkpointId)) {
      sender.send(committable);
    }
  }

  /** What the sender tells becomes an action of the task's one thread. */
  private final class InMailbox implements SenderEvents {
    @Override
    public void acknowledged(Epoch sent) {
      run(
          () -> {
            sealer.acknowledge(sent);
            sentEpochs.inc();
            observe();
            output.collect(new StreamRecord<>(sent.value()));
          },
          "acknowledge epoch " + sent);
    }

    @Override
    public void answered(TableState table, TableLayout layout) {
      run(
          () -> {
            try {
              sealer.open(table, layout);
            } catch (StartRefusedException e) {
              throw new SuppressRestartsException(e);
            }
            LOG.info(
                "Group {} starts as incarnation {} after epoch {}",
                config.submission().group(),
                config.submission().incarnation(),
                sealer.epoch());
            observe();
          },
          "open the gate");
    }

    @Override
    public void superseded(String message) {
      run(
          () -> {
            throw new SuppressRestartsException(new StartRefusedException(message));
          },
          "end a superseded job");
    }

    @Override
    public void failed(Throwable cause) {
      run(
          () -> {
            throw new IllegalStateException(
                "Cannot go on sending for group %s: %s"
                    .formatted(config.submission().group(), cause.getMessage()),
                cause);
          },
          "fail");
    }

    private void run(ThrowingRunnable<Exception> action, String what) {
      try {
        mailbox.execute(action, what);
      } catch (RejectedExecutionException e) {
        LOG.debug("The task has ended before it could {}", what);
      }
    }
  }

  private void observe() {
    shards = sealer.shards();
    unsent = sealer.unsentEpochs();
    epoch = sealer.epoch().value();
  }

  private void registerMetrics() {
    MetricGroup group =
        getMetricGroup()
            .addGroup("table", config.submission().table().value())
            .addGroup("group", config.submission().group().value());
    group.gauge("unsentEpochs", () -> unsent);
    group.gauge("epoch", () -> epoch);
    group.gauge("lastSendDurationMs", sender::lastSendMs);
    group.gauge("sendFailures", sender::failures);
    group.gauge("halted", () -> sender.halt().isPresent() ? 1 : 0);
    sentEpochs = group.counter("sentEpochs");
    for (ShardId shard : config.submission().shards()) {
      MetricGroup each = group.addGroup("shard", shard.toString());
      each.gauge("watermarkLagMs", () -> watermarkLagMs(shard));
      each.gauge(
          "phase",
          () ->
              Optional.ofNullable(shards.get(shard))
                  .map(ShardProgress::phase)
                  .map(ShardPhase::wireName)
                  .orElse("waiting"));
      each.gauge(
          "copiedRows",
          () -> Optional.ofNullable(shards.get(shard)).map(ShardProgress::copiedRows).orElse(0L));
    }
  }

  /** How far the shard's watermark is behind our clock; -1 while it has none. */
  private long watermarkLagMs(ShardId shard) {
    return Optional.ofNullable(shards.get(shard))
        .flatMap(ShardProgress::watermark)
        .map(Watermark::instant)
        .map(reached -> Duration.between(reached, clock.instant()).toMillis())
        .orElse(-1L);
  }

  @Override
  public void close() throws Exception {
    if (sender != null) {
      // After a stop with savepoint the last epoch is still to be sent; it also lies in the
      // savepoint.
      sender.close(DRAIN);
    }
    if (lease != null) {
      lease.close();
    }
    super.close();
  }
}
