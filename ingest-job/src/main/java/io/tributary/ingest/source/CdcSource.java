package io.tributary.ingest.source;

import io.tributary.ingest.table.TableStateReader;
import java.time.Clock;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.metrics.MySqlSourceReaderMetrics;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReaderContext;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSplitReader;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplitSerializer;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** One server as a Flink source; holds no secret and opens nothing by itself. */
final class CdcSource
    implements Source<SourceElement, MySqlSplit, SourceState>, ResultTypeQueryable<SourceElement> {
  private static final String LOGICAL_NAME = "tributary";

  private final SourceSpec spec;
  private final Gate gate;
  private final TableStateReader table;

  CdcSource(SourceSpec spec, Gate gate, TableStateReader table) {
    this.spec = spec;
    this.gate = gate;
    this.table = table;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<SourceElement, MySqlSplit> createReader(SourceReaderContext context) {
    int subtask = context.getIndexOfSubtask();
    ConnectorConfigs configs = new ConnectorConfigs(spec);
    MySqlSourceConfig copying = configs.copying(subtask, LOGICAL_NAME);
    MySqlSourceConfig changes = configs.changes(subtask, LOGICAL_NAME);
    MySqlSourceReaderMetrics metrics = new MySqlSourceReaderMetrics(context.metricGroup());
    metrics.registerMetrics();
    MySqlSourceReaderContext readerContext = new MySqlSourceReaderContext(context);
    ReadingHealth health = new ReadingHealth();
    PositionProbe probe = new PositionProbe(spec, Clock.systemUTC());
    MetricGroup group = context.metricGroup().addGroup("server", spec.server().value());
    group.gauge("outstandingProbes", () -> probe.ledger().outstandingProbes());
    group.gauge("probeFailures", probe::failures);
    group.gauge("heldClocks", () -> probe.ledger().heldClocks());
    Counter zeroDates = group.counter("zeroDates");
    int readers = Math.min(spec.snapshot().readers(), context.currentParallelism());
    double limit =
        spec.snapshot().rowsPerSecond() == SourceSpec.Snapshot.UNLIMITED
            ? Double.POSITIVE_INFINITY
            : (double) spec.snapshot().rowsPerSecond() / readers;
    Supplier<MySqlSplitReader> splitReader =
        () ->
            new ShardSplitReader(
                spec,
                copying,
                changes,
                subtask,
                new ReadLimiter(limit, System::nanoTime),
                health,
                new ShardSchemas(spec, table),
                probe.ledger(),
                readerContext);
    FutureCompletingBlockingQueue<RecordsWithSplitIds<SourceRecords>> queue =
        new FutureCompletingBlockingQueue<>();
    return new ShardSourceReader(
        queue,
        splitReader,
        new ShardRecordEmitter(spec, metrics, health, probe, zeroDates),
        context.getConfiguration(),
        readerContext,
        changes,
        probe,
        health);
  }

  @Override
  public SplitEnumerator<MySqlSplit, SourceState> createEnumerator(
      SplitEnumeratorContext<MySqlSplit> context) {
    return new GatedEnumerator(spec, gate, table, context, new SourceState.Waiting());
  }

  @Override
  public SplitEnumerator<MySqlSplit, SourceState> restoreEnumerator(
      SplitEnumeratorContext<MySqlSplit> context, SourceState state) {
    return new GatedEnumerator(spec, gate, table, context, state);
  }

  @Override
  public SimpleVersionedSerializer<MySqlSplit> getSplitSerializer() {
    return MySqlSplitSerializer.INSTANCE;
  }

  @Override
  public SimpleVersionedSerializer<SourceState> getEnumeratorCheckpointSerializer() {
    return new SourceState.Serializer();
  }

  @Override
  public TypeInformation<SourceElement> getProducedType() {
    return SourceElementTypeInfo.INSTANCE;
  }
}
