package io.tributary.ingest.source;

import io.debezium.connector.mysql.MySqlConnection;
import io.debezium.connector.mysql.MySqlPartition;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.cdc.connectors.mysql.debezium.DebeziumUtils;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.BinlogSplitReader;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.DebeziumReader;
import org.apache.flink.cdc.connectors.mysql.debezium.reader.SnapshotSplitReader;
import org.apache.flink.cdc.connectors.mysql.debezium.task.context.StatefulTaskContext;
import org.apache.flink.cdc.connectors.mysql.schema.MySqlSchema;
import org.apache.flink.cdc.connectors.mysql.source.config.MySqlSourceConfig;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReaderContext;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSplitReader;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlRecords;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSnapshotSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.cdc.connectors.mysql.source.utils.hooks.SnapshotPhaseHooks;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the events of one subtask, in a thread of its own. Differs from the connector's reader,
 * whose place it takes, in four things: chunks of the copy and changes are polled with different
 * patience, the copy keeps to a limit of rows a second, an idle server is asked for signs of life
 * often, and nothing is read before the table has the columns that the rows will need.
 *
 * <pre>
 *   split taken up --columns fit--> reading --a shard's columns changed--> taken up again behind it
 *        ^  |
 *        +--+ the table lacks columns, or somebody does not answer: looked at again
 * </pre>
 */
final class ShardSplitReader extends MySqlSplitReader {
  private static final Logger LOG = LoggerFactory.getLogger(ShardSplitReader.class);
  private static final String LOGICAL_NAME = "tributary";
  private static final long MOST_WAIT_MILLIS = 100;
  private static final long WARN_AGAIN_NANOS = 60_000_000_000L;

  /** So long is a table whose chunks are copied taken to have the columns that it had. */
  private static final long COPY_LOOK_NANOS = 5_000_000_000L;

  private final SourceSpec spec;
  private final MySqlSourceConfig copying;
  private final MySqlSourceConfig changes;
  private final int subtask;
  private final ReadLimiter limiter;
  private final ReadingHealth health;
  private final ShardSchemas schemas;
  private final ProbeLedger probes;
  private final Queue<MySqlSnapshotSplit> chunks = new ArrayDeque<>();
  private final Queue<MySqlBinlogSplit> binlogs = new ArrayDeque<>();

  private SnapshotSplitReader copyReader;
  private BinlogSplitReader changeReader;
  private StatefulTaskContext changeContext;
  private DebeziumReader<SourceRecords, MySqlSplit> current;
  private String currentSplit;

  /** What is taken up, not yet read. */
  private Reopening opening;

  private MySqlSnapshotSplit openingChunk;

  /** The chunk that was taken up last. */
  private MySqlSnapshotSplit copied;

  private long nextLookNanos = System.nanoTime();
  private long lastWarningNanos = System.nanoTime() - WARN_AGAIN_NANOS;
  private final Set<ShardId> refused = new TreeSet<>();

  /** Shards that the server was asked for in vain, and why; until that is passed on. */
  private final Map<ShardId, String> unreadable = new HashMap<>();

  private final Map<TableId, Looked> looked = new HashMap<>();

  /** What a table that is copied was found to have. */
  private record Looked(long nanos, Opened opened, TableChange schema) {}

  ShardSplitReader(
      SourceSpec spec,
      MySqlSourceConfig copying,
      MySqlSourceConfig changes,
      int subtask,
      ReadLimiter limiter,
      ReadingHealth health,
      ShardSchemas schemas,
      ProbeLedger probes,
      MySqlSourceReaderContext context) {
    super(copying, subtask, context, SnapshotPhaseHooks.empty());
    this.spec = spec;
    this.copying = copying;
    this.changes = changes;
    this.subtask = subtask;
    this.limiter = limiter;
    this.health = health;
    this.schemas = schemas;
    this.probes = probes;
  }

  @Override
  public RecordsWithSplitIds<SourceRecords> fetch() throws IOException {
    try {
      if (health.stopped()) {
        Thread.sleep(MOST_WAIT_MILLIS);
        return currentSplit == null ? nothing() : emptyBatch();
      }
      Optional<Reopening> again = health.takeReopening();
      if (again.isPresent()) {
        opening = again.get();
        closeChangeReader();
        current = null;
      }
      if (current == null) {
        if (opening == null && openingChunk == null && !takeUp()) {
          return nothingYet(Math.max(1, limiter.nanosToWait() / 1_000_000));
        }
        if (health.isHeldUntilCheckpoint()) {
          // What comes next must not be emptied with what came before.
          Thread.sleep(MOST_WAIT_MILLIS);
          return emptyBatch();
        }
        Optional<Opened> opened = open();
        if (opened.isEmpty()) {
          Thread.sleep(MOST_WAIT_MILLIS);
          return emptyBatch();
        }
        return MySqlRecords.forUnfinishedRecords(
            currentSplit, List.of(opened.get().asRecords()).iterator());
      }
      boolean held =
          current == changeReader && health.watch().filter(EventWatch::isHolding).isPresent();
      Iterator<SourceRecords> records = current.pollSplitRecords();
      if (held && records != null) {
        return MySqlRecords.forUnfinishedRecords(currentSplit, withNote(records));
      }
      if (records != null && current == copyReader) {
        List<SourceRecords> chunk = counted(records);
        if (CopyEnds.isUncertain(chunk)) {
          LOG.info("Copies chunk {} of server {} again", currentSplit, spec.server());
          closeCopyReader();
          current = null;
          openingChunk = copied;
          return emptyBatch();
        }
        return MySqlRecords.forUnfinishedRecords(currentSplit, chunk.iterator());
      }
      if (records != null) {
        return MySqlRecords.forUnfinishedRecords(currentSplit, records);
      }
      if (current != copyReader) {
        return emptyBatch();
      }
      MySqlRecords finished = MySqlRecords.forFinishedSplit(currentSplit);
      // The connector's reader stops for good with its first chunk: a second one, as a restored
      // reader has, would wait for ever for the end of what changed while it was copied.
      closeCopyReader();
      current = null;
      currentSplit = null;
      return finished;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while reading", e);
    } catch (RuntimeException e) {
      if (health.stopped()) {
        // The reader fails at the very event that reading was stopped at.
        LOG.warn("The reader of server {} ended", spec.server(), e);
        return currentSplit == null ? nothing() : emptyBatch();
      }
      if (current != null && current == copyReader && SourceFaults.isOutOfSync(e)) {
        // Its columns changed while a chunk was copied: copied again, with the columns of then.
        throw e;
      }
      Optional<String> lost = SourceFaults.lostLog(e).filter(any -> health.position().isPresent());
      if (lost.isPresent()) {
        // Other servers' shards are read on; a copy that is not whole is nobody's to go on with.
        LOG.error("Cannot read server {} on: {}", spec.server(), lost.get(), e);
        health.stop(lost.get());
        return currentSplit == null ? nothing() : emptyBatch();
      }
      throw SourceFaults.terminal(spec, health.position(), e)
          .<RuntimeException>map(t -> t)
          .orElse(e);
    }
  }

  /** What was read, and behind the last of it that it was the last before a statement. */
  private static Iterator<SourceRecords> withNote(Iterator<SourceRecords> records) {
    List<SourceRecords> all = new ArrayList<>();
    boolean empty = true;
    while (records.hasNext()) {
      SourceRecords batch = records.next();
      empty &= batch.getSourceRecordList().isEmpty();
      all.add(batch);
    }
    // Held before this look and nothing found by it: there is no more.
    return (empty ? List.of(new ReaderNote.Held().asRecords()) : all).iterator();
  }

  /** Lets the emitter say again where it stands and why it stands. */
  private RecordsWithSplitIds<SourceRecords> emptyBatch() {
    return MySqlRecords.forUnfinishedRecords(
        currentSplit, List.of(new SourceRecords(List.of())).iterator());
  }

  private static RecordsWithSplitIds<SourceRecords> nothing() {
    return new RecordsBySplits<>(Map.of(), Set.of());
  }

  /** Takes up the next split; false when none may be read now. */
  private boolean takeUp() {
    MySqlBinlogSplit binlog = binlogs.poll();
    if (binlog != null) {
      closeCopyReader();
      opening = new Reopening(binlog, Map.of(), Set.of());
      currentSplit = binlog.splitId();
      return true;
    }
    if (chunks.isEmpty() || limiter.nanosToWait() > 0) {
      return false;
    }
    openingChunk = chunks.poll();
    copied = openingChunk;
    currentSplit = openingChunk.splitId();
    return true;
  }

  /**
   * Begins to read what is taken up.
   *
   * @return empty when the table lacks columns, or somebody does not answer
   */
  private Optional<Opened> open() {
    if (System.nanoTime() < nextLookNanos) {
      return Optional.empty();
    }
    try {
      if (isOtherLog()) {
        return Optional.empty();
      }
      Optional<Opened> opened = opening == null ? openChunk() : openChanges();
      if (opened.isPresent()) {
        opening = null;
        openingChunk = null;
        health.waitFor(List.of());
        return opened;
      }
    } catch (TerminalSourceException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      if (current != null && e instanceof RuntimeException failed) {
        // The columns fit; it is the reader that cannot begin.
        throw failed;
      }
      if (e instanceof SQLException refused && isRefusedLogin(refused)) {
        // Not a server that is away: somebody has to do something, and sees a job that restarts.
        throw new IllegalStateException(
            "Cannot read server %s: %s".formatted(spec.server(), refused.getMessage()), refused);
      }
      if (System.nanoTime() - lastWarningNanos >= WARN_AGAIN_NANOS) {
        lastWarningNanos = System.nanoTime();
        LOG.warn(
            "Cannot see yet whether the columns of server {} fit the table; trying again: {}",
            spec.server(),
            e.toString());
      }
    }
    nextLookNanos = System.nanoTime() + spec.timing().gate().toNanos();
    return Optional.empty();
  }

  private static boolean isRefusedLogin(SQLException e) {
    return e.getSQLState() != null && e.getSQLState().startsWith("28");
  }

  /**
   * Whether another server answers than the one that what was taken up belongs to, or one whose
   * binlogs were reset since; reading is stopped then, before the first row. Asked again whenever a
   * reader is opened anew; while one reads, the probes do it.
   */
  private boolean isOtherLog() throws SQLException {
    Optional<String> expected = probes.identity();
    if (expected.isEmpty()) {
      return false;
    }
    try (ProbeQuery query = new ProbeQuery(ServerSession.open(spec.connection()))) {
      Optional<String> fault =
          query.identity().equals(expected.get())
              ? lostBefore(query.ask().position())
              : Optional.of(ProbeLedger.otherServer(expected.get(), query.identity()));
      fault.ifPresent(health::stop);
      return fault.isPresent();
    }
  }

  /** What is wrong when the log ends before the position from which it is to be read. */
  private Optional<String> lostBefore(SourcePosition end) {
    return Optional.ofNullable(opening)
        .map(taken -> Positions.of(taken.split().getStartingOffset()))
        .flatMap(from -> ProbeLedger.wentBack(from, end));
  }

  private Optional<Opened> openChanges() throws SQLException {
    refused.addAll(opening.halted());
    refused.addAll(schemas.haltedInTable());
    Map<TableId, TableChange> asked = new HashMap<>();
    Map<ShardId, ShardSchemas.Known> names = new HashMap<>();
    Map<TableId, ShardId> ids = new HashMap<>();
    Set<ShardId> dropped = new TreeSet<>();
    for (TableId id : opening.split().getTableSchemas().keySet()) {
      shard(id).ifPresent(shard -> ids.put(id, shard.id()));
    }
    for (SourceSpec.Shard shard : remaining()) {
      TableId id = tableId(shard);
      ids.putIfAbsent(id, shard.id());
      TableChange known = opening.split().getTableSchemas().get(id);
      if (known != null && LooseSchemas.isDropped(known)) {
        dropped.add(shard.id());
        continue;
      }
      Optional<ColumnBindings> remembered =
          Optional.ofNullable(known).flatMap(LooseSchemas::bindings);
      Optional<ColumnBindings.Change> change = Optional.empty();
      if (known != null && LooseSchemas.isHalted(known)) {
        // By whom this reader goes on from; why is known where rows are passed on.
        refused.add(shard.id());
        continue;
      }
      if (known == null || LooseSchemas.isOfBefore(known) || LooseSchemas.isCreatedAnew(known)) {
        // Nobody understood the statement that it stands behind, which may be one from before a
        // restart.
        try {
          TableChange before = known;
          known = askFor(changes, id);
          if (before != null && !LooseSchemas.isCreatedAnew(before)) {
            change = Optional.of(ColumnChanges.between(before, known, AlterClauses.NONE));
          }
        } catch (UnfitSourceException e) {
          unreadable.put(
              shard.id(),
              schemas.refusal(
                  shard,
                  e.problems(),
                  opening.statements(),
                  Positions.of(opening.split().getStartingOffset())));
          continue;
        }
        asked.put(id, known);
      }
      names.put(
          shard.id(),
          new ShardSchemas.Known(Optional.of(ShardSchemas.columnNames(known)), remembered, change));
    }
    refused.addAll(unreadable.keySet());
    ShardSchemas.Answer answer =
        schemas.look(
            remaining().stream().filter(shard -> !dropped.contains(shard.id())).toList(),
            names,
            false,
            opening.statements(),
            Positions.of(opening.split().getStartingOffset()));
    if (answer instanceof ShardSchemas.Lacking lacking) {
      wait(lacking);
      return Optional.empty();
    }
    ShardSchemas.Fitting fitting = (ShardSchemas.Fitting) answer;
    refused.addAll(fitting.refused().keySet());
    startChanges(asked, ids, fitting);
    Map<ShardId, String> why = new HashMap<>(unreadable);
    why.putAll(fitting.refused());
    unreadable.clear();
    return Optional.of(
        new Opened(
            fitting.form(),
            fitting.layouts(),
            why,
            asked,
            schemas.characterTables(),
            fitting.table(),
            fitting.fits()));
  }

  private void startChanges(
      Map<TableId, TableChange> asked, Map<TableId, ShardId> ids, ShardSchemas.Fitting fitting) {
    List<SourceSpec.Shard> read = remaining();
    if (read.isEmpty()) {
      // Nothing is left to be read; where the source stands does not matter any more.
      current = new NothingToRead();
      return;
    }
    MySqlBinlogSplit split = LooseSchemas.with(opening.split(), asked);
    Map<TableId, RowLayout> layouts = new HashMap<>();
    ids.forEach(
        (id, shard) ->
            Optional.ofNullable(fitting.layouts().get(shard))
                .ifPresent(layout -> layouts.put(id, layout)));
    // Shards that are halted are not even decoded: nobody knows their columns.
    SourceSpec spec = this.spec.withShards(read);
    MySqlSourceConfig config =
        refused.isEmpty() ? changes : new ConnectorConfigs(spec).changes(subtask, LOGICAL_NAME);
    AlertBinlogClient client = new AlertBinlogClient(config, spec.timing().heartbeat().toMillis());
    StatefulTaskContext context =
        new PlainNames(config, client, DebeziumUtils.createMySqlConnection(config));
    EventWatch watch =
        new EventWatch(
            spec,
            health,
            client,
            id -> context.getDatabaseSchema().tableFor(id),
            asked.values(),
            () -> context.getOffsetContext().commitTransaction());
    client.registerEventListener(watch);
    health.watchedBy(watch);
    changeContext = context;
    changeReader = new BinlogSplitReader(changeContext, subtask);
    start(changeReader, CopyEnds.passingAll(LooseSchemas.of(split, layouts)));
  }

  private Optional<Opened> openChunk() throws SQLException {
    TableId id = openingChunk.getTableId();
    SourceSpec.Shard shard =
        shard(id)
            .orElseThrow(
                () ->
                    new TerminalSourceException(
                        "Cannot copy table %s of server %s: expected a shard's table"
                            .formatted(id, spec.server())));
    Looked known = looked.get(id);
    if (known == null || System.nanoTime() - known.nanos() > COPY_LOOK_NANOS) {
      TableChange schema;
      try {
        schema = askFor(copying, id);
      } catch (UnfitSourceException e) {
        throw new TerminalSourceException(
            "Cannot copy %s of server %s: %s"
                .formatted(shard, spec.server(), String.join("; ", e.problems())));
      }
      ShardSchemas.Answer answer =
          schemas.look(
              List.of(shard),
              Map.of(
                  shard.id(),
                  new ShardSchemas.Known(
                      Optional.of(ShardSchemas.columnNames(schema)),
                      Optional.empty(),
                      Optional.empty())),
              true,
              Map.of(),
              SourcePosition.of("copy", 0));
      if (answer instanceof ShardSchemas.Lacking lacking) {
        wait(lacking);
        return Optional.empty();
      }
      ShardSchemas.Fitting fitting = (ShardSchemas.Fitting) answer;
      if (!fitting.refused().isEmpty()) {
        throw new TerminalSourceException(fitting.refused().get(shard.id()));
      }
      known =
          new Looked(
              System.nanoTime(),
              new Opened(
                  fitting.form(),
                  fitting.layouts(),
                  Map.of(),
                  Map.of(),
                  schemas.characterTables(),
                  fitting.table(),
                  fitting.fits()),
              schema);
      looked.put(id, known);
    }
    RowLayout layout = known.opened().layouts().get(shard.id());
    if (copyReader == null) {
      copyReader =
          new SnapshotSplitReader(
              new PlainNames(
                  copying, new BackfillClient(copying), ExactCopyConnection.open(copying, layout)),
              subtask,
              SnapshotPhaseHooks.empty());
    }
    start(copyReader, LooseSchemas.of(openingChunk, known.schema(), layout));
    return Optional.of(known.opened());
  }

  private void wait(ShardSchemas.Lacking lacking) {
    if (!lacking.wishes().equals(health.wishes())) {
      LOG.info("Server {} is not read on until the table has {}", spec.server(), lacking.wishes());
    }
    health.waitFor(lacking.wishes());
  }

  /**
   * The columns that a table has now, as the change reader sees them.
   *
   * @throws UnfitSourceException when it is gone, or has columns that the change reader cannot read
   * @throws SQLException when the server does not answer
   */
  private static TableChange askFor(MySqlSourceConfig config, TableId id) throws SQLException {
    try (MySqlConnection jdbc = DebeziumUtils.createMySqlConnection(config);
        MySqlSchema schema = new MySqlSchema(config, DebeziumUtils.isTableIdCaseSensitive(jdbc))) {
      jdbc.connect();
      try {
        return schema.getTableSchema(
            new MySqlPartition(config.getMySqlConnectorConfig().getLogicalName()), jdbc, id);
      } catch (RuntimeException e) {
        if (!jdbc.isValid()) {
          throw e;
        }
        throw new UnfitSourceException(
            List.of(
                "expected columns of table %s that the change reader can read, found %s"
                    .formatted(id, e.getMessage())));
      }
    }
  }

  private List<SourceSpec.Shard> remaining() {
    return spec.shards().stream().filter(shard -> !refused.contains(shard.id())).toList();
  }

  private Optional<SourceSpec.Shard> shard(TableId id) {
    return spec.shards().stream().filter(shard -> tableId(shard).equals(id)).findFirst();
  }

  static TableId tableId(SourceSpec.Shard shard) {
    return new TableId(shard.database(), null, shard.table());
  }

  private void start(DebeziumReader<SourceRecords, MySqlSplit> reader, MySqlSplit split) {
    current = reader;
    reader.submitSplit(split);
  }

  private List<SourceRecords> counted(Iterator<SourceRecords> records) {
    List<SourceRecords> all = new ArrayList<>();
    while (records.hasNext()) {
      SourceRecords batch = records.next();
      limiter.read(batch.getSourceRecordList().size());
      all.add(batch);
    }
    return all;
  }

  private static RecordsWithSplitIds<SourceRecords> nothingYet(long millis)
      throws InterruptedException {
    // Short, so that new splits and the end are seen soon.
    Thread.sleep(Math.min(millis, MOST_WAIT_MILLIS));
    return nothing();
  }

  @Override
  public void handleSplitsChanges(SplitsChange<MySqlSplit> change) {
    if (!(change instanceof SplitsAddition)) {
      throw new UnsupportedOperationException(
          "Cannot change splits: expected an addition, found " + change.getClass().getName());
    }
    for (MySqlSplit split : change.splits()) {
      if (split.isSnapshotSplit()) {
        chunks.add(split.asSnapshotSplit());
      } else {
        binlogs.add(split.asBinlogSplit());
      }
    }
  }

  @Override
  public void close() {
    closeCopyReader();
    closeChangeReader();
  }

  /**
   * The thread that hands the events over may wait for room in the queue, and the connection waits
   * for that thread: room is made until all of it has ended.
   */
  private void closeChangeReader() {
    if (changeReader == null) {
      return;
    }
    BinlogSplitReader old = changeReader;
    StatefulTaskContext context = changeContext;
    changeReader = null;
    changeContext = null;
    health.watch().ifPresent(EventWatch::close);
    health.watchedBy(null);
    Thread closing = new Thread(old::close, "binlog-close-" + spec.server());
    closing.setDaemon(true);
    closing.start();
    try {
      while (closing.isAlive()) {
        if (context.getQueue() != null) {
          context.getQueue().poll();
        }
        closing.join(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stands in for the reader of changes when every shard is halted. */
  private static final class NothingToRead implements DebeziumReader<SourceRecords, MySqlSplit> {
    @Override
    public boolean isFinished() {
      return false;
    }

    @Override
    public void submitSplit(MySqlSplit split) {
      throw new UnsupportedOperationException("Nothing is read");
    }

    @Override
    public Iterator<SourceRecords> pollSplitRecords() throws InterruptedException {
      Thread.sleep(MOST_WAIT_MILLIS);
      return List.of(new SourceRecords(List.of())).iterator();
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }

  private void closeCopyReader() {
    if (copyReader != null) {
      copyReader.close();
      copyReader = null;
    }
  }
}
