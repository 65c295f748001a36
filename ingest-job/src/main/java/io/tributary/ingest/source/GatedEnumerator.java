package io.tributary.ingest.source;

import io.debezium.jdbc.JdbcConnection;
import io.tributary.ingest.table.TableStateReader;
import io.tributary.protocol.HelloAnswer;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.TableState;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.cdc.connectors.mysql.MySqlValidator;
import org.apache.flink.cdc.connectors.mysql.debezium.DebeziumUtils;
import org.apache.flink.cdc.connectors.mysql.source.assigners.MySqlBinlogSplitAssigner;
import org.apache.flink.cdc.connectors.mysql.source.assigners.MySqlSplitAssigner;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.BinlogPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.HybridPendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.assigners.state.PendingSplitsState;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.enumerator.MySqlSourceEnumerator;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out no split before the table shows that the coordinator has answered this submission's
 * hello; then decides where to begin, and lets the connector's enumerator do the rest.
 *
 * <pre>
 * waiting --answered, no state--> reading from the table's position, or with an initial snapshot
 * waiting --answered, restored--> reading from Flink's state
 * waiting or reading --superseded or refused--> the job ends, without restarts
 * </pre>
 */
final class GatedEnumerator implements SplitEnumerator<MySqlSplit, SourceState> {
  /** One every half a minute at the usual interval: a wait that lasts must stay visible. */
  private static final int FAILURES_PER_WARNING = 30;

  private static final Logger LOG = LoggerFactory.getLogger(GatedEnumerator.class);
  private static final String LOGICAL_NAME = "tributary_enumerator";

  /**
   * Once open, the gate is looked at this much more rarely: only a newer submission can close it.
   */
  private static final int RARELY = 10;

  /**
   * What the assigner of the copy takes as the number of readers. It asks only whether there is
   * more than one: then it waits for a checkpoint between the copy and the changes. With one reader
   * no order of rows needs that, but an epoch that holds the copy and changes of the same rows
   * takes two snapshots of the table.
   */
  private static final int MORE_THAN_ONE_READER = 2;

  private final SourceSpec spec;
  private final Gate gate;
  private final TableStateReader table;
  private final SplitEnumeratorContext<MySqlSplit> context;
  private final SourceState restored;

  /** What came before the gate opened. */
  private final Map<Integer, String> requests = new LinkedHashMap<>();

  private final List<Runnable> returned = new ArrayList<>();

  private SplitEnumerator<MySqlSplit, PendingSplitsState> reading;
  private Optional<SourcePosition> start = Optional.empty();
  private String serverIdentity;
  private volatile boolean open;
  private int looks;
  private int failures;

  // Of the worker thread alone.
  private boolean asked;

  GatedEnumerator(
      SourceSpec spec,
      Gate gate,
      TableStateReader table,
      SplitEnumeratorContext<MySqlSplit> context,
      SourceState restored) {
    this.spec = spec;
    this.gate = gate;
    this.table = table;
    this.context = context;
    this.restored = restored;
  }

  /** What one look at the table led to. */
  private record Look(
      Optional<String> end,
      Optional<SplitEnumerator<MySqlSplit, PendingSplitsState>> made,
      Optional<SourcePosition> start,
      String serverIdentity) {
    static final Look NOTHING =
        new Look(Optional.empty(), Optional.empty(), Optional.empty(), null);

    static Look end(String reason) {
      return new Look(Optional.of(reason), Optional.empty(), Optional.empty(), null);
    }

    static Look open(
        SplitEnumerator<MySqlSplit, PendingSplitsState> made,
        Optional<SourcePosition> start,
        String serverIdentity) {
      return new Look(Optional.empty(), Optional.of(made), start, serverIdentity);
    }
  }

  @Override
  public void start() {
    long interval = spec.timing().gate().toMillis();
    context.callAsync(this::look, this::acted, 0, interval);
  }

  /** In a worker thread: asks the catalog and, once, the server. */
  private Look look() throws Exception {
    if (open && ++looks % RARELY != 0) {
      return Look.NOTHING;
    }
    if (!asked) {
      // Before the table: what is wrong with the server shows at once, and its driver is loaded
      // by the time that the answer comes.
      new MySqlValidator(new ConnectorConfigs(spec).enumerating(Optional.empty(), LOGICAL_NAME))
          .validate();
      asked = true;
    }
    Optional<TableState> state = table.read();
    Gate.Decision decision = gate.decide(state);
    if (decision instanceof Gate.Closed closed) {
      return Look.end(closed.reason());
    }
    if (open || !(decision instanceof Gate.Open answered)) {
      return Look.NOTHING;
    }
    if (restored instanceof SourceState.Reading before) {
      boolean ours = before.submission().equals(gate.submission());
      // Within one submission the answer was for its first attempt; its own state is newer.
      if (!ours && answered.answer() != HelloAnswer.CONTINUE) {
        return Look.end(
            "Cannot read server %s for group %s from Flink's state: expected the coordinator to continue from it, found the answer '%s'; submit again without state"
                .formatted(spec.server(), gate.group(), answered.answer()));
      }
      return Look.open(restoredReading(before), before.start(), before.serverIdentity());
    }
    Gate.Start where = gate.start(state.orElseThrow(), spec.server(), spec.shardIds());
    if (where instanceof Gate.Impossible impossible) {
      return Look.end(impossible.reason());
    }
    Optional<SourcePosition> from =
        where instanceof Gate.FromPosition position
            ? Optional.of(position.position())
            : Optional.empty();
    // With a position, only the server that it belongs to may be read; whoever reads compares.
    Optional<String> known = from.flatMap(SourcePosition::serverIdentity);
    String expected = known.isPresent() ? known.get() : identity();
    return Look.open(freshReading(from), from, expected);
  }

  /** Who the server is now. */
  private String identity() throws SQLException {
    try (ProbeQuery query = new ProbeQuery(ServerSession.open(spec.connection()))) {
      return query.identity();
    }
  }

  /** In the coordinator's thread. */
  private void acted(Look look, Throwable failure) {
    if (failure != null) {
      if (failure instanceof TerminalSourceException terminal) {
        throw terminal;
      }
      if (failures++ % FAILURES_PER_WARNING == 0) {
        LOG.warn(
            "Cannot see yet whether group {} may read server {}; trying again: {}",
            gate.group(),
            spec.server(),
            failure.toString());
      }
      return;
    }
    failures = 0;
    look.end()
        .ifPresent(
            reason -> {
              throw new TerminalSourceException(reason);
            });
    if (look.made().isEmpty() || open) {
      return;
    }
    start = look.start();
    serverIdentity = look.serverIdentity();
    reading = look.made().get();
    open = true;
    LOG.info(
        "Group {} reads server {} {}",
        gate.group(),
        spec.server(),
        restored instanceof SourceState.Reading
            ? "on from Flink's state"
            : start.map(from -> "from " + from).orElse("with an initial snapshot of its shards"));
    reading.start();
    returned.forEach(Runnable::run);
    returned.clear();
    for (int subtask : new TreeSet<>(context.registeredReaders().keySet())) {
      admit(subtask);
    }
    Map<Integer, String> waiting = new LinkedHashMap<>(requests);
    requests.clear();
    waiting.forEach(this::handleSplitRequest);
  }

  private void admit(int subtask) {
    reading.addReader(subtask);
    context.sendEventToSourceReader(subtask, new GateOpened(serverIdentity));
  }

  private SplitEnumerator<MySqlSplit, PendingSplitsState> freshReading(
      Optional<SourcePosition> from) {
    MySqlSourceConfig config = new ConnectorConfigs(spec).enumerating(from, LOGICAL_NAME);
    if (from.isPresent()) {
      return enumerator(config, new MySqlBinlogSplitAssigner(config));
    }
    try (JdbcConnection jdbc = DebeziumUtils.openJdbcConnection(config)) {
      boolean caseSensitive = DebeziumUtils.isTableIdCaseSensitive(jdbc);
      WholeTables whole = new WholeTables(spec, config);
      OptionalInt mostRows = whole.mostRows(jdbc);
      return enumerator(
          config,
          mostRows.isPresent()
              ? new CopyAssigner(
                  config,
                  MORE_THAN_ONE_READER,
                  whole.plan(jdbc, caseSensitive, mostRows.getAsInt()),
                  context)
              : new CopyAssigner(
                  config, MORE_THAN_ONE_READER, new ArrayList<>(), caseSensitive, context));
    } catch (TerminalSourceException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Cannot ask server " + spec.server(), e);
    }
  }

  private SplitEnumerator<MySqlSplit, PendingSplitsState> restoredReading(
      SourceState.Reading before) {
    MySqlSourceConfig config = new ConnectorConfigs(spec).enumerating(before.start(), LOGICAL_NAME);
    if (before.splits() instanceof HybridPendingSplitsState hybrid) {
      return enumerator(
          config, new CopyAssigner(config, MORE_THAN_ONE_READER, cut(config, hybrid), context));
    } else if (before.splits() instanceof BinlogPendingSplitsState binlog) {
      return enumerator(config, new MySqlBinlogSplitAssigner(config, binlog));
    }
    throw new TerminalSourceException(
        "Cannot restore the source of server %s: found state of kind %s"
            .formatted(spec.server(), before.splits().getClass().getName()));
  }

  private HybridPendingSplitsState cut(MySqlSourceConfig config, HybridPendingSplitsState state) {
    if (state.getSnapshotPendingSplits().getChunkSplitterState().getCurrentSplittingTableId()
        == null) {
      return state;
    }
    try (JdbcConnection jdbc = DebeziumUtils.openJdbcConnection(config)) {
      return UnfinishedCut.ended(state, jdbc, config);
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot ask server " + spec.server(), e);
    }
  }

  private SplitEnumerator<MySqlSplit, PendingSplitsState> enumerator(
      MySqlSourceConfig config, MySqlSplitAssigner assigner) {
    return new MySqlSourceEnumerator(context, config, assigner, Boundedness.CONTINUOUS_UNBOUNDED);
  }

  @Override
  public void handleSplitRequest(int subtask, String host) {
    if (!open) {
      requests.put(subtask, host);
    } else if (subtask < spec.snapshot().readers()) {
      reading.handleSplitRequest(subtask, host);
    }
    // Subtasks above the limit of readers stay idle: each reader costs the server connections.
  }

  @Override
  public void addSplitsBack(List<MySqlSplit> splits, int subtask) {
    if (open) {
      reading.addSplitsBack(splits, subtask);
    } else {
      returned.add(() -> reading.addSplitsBack(splits, subtask));
    }
  }

  @Override
  public void addReader(int subtask) {
    if (open) {
      admit(subtask);
    }
  }

  @Override
  public void handleSourceEvent(int subtask, SourceEvent event) {
    if (open) {
      reading.handleSourceEvent(subtask, event);
    }
  }

  @Override
  public SourceState snapshotState(long checkpointId) throws Exception {
    return open
        ? new SourceState.Reading(
            gate.submission(), start, serverIdentity, reading.snapshotState(checkpointId))
        : restored;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    if (open) {
      reading.notifyCheckpointComplete(checkpointId);
    }
  }

  @Override
  public void close() throws IOException {
    if (reading != null) {
      reading.close();
    }
  }
}
