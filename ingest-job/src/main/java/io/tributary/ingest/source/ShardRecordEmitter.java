package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.GtidSet;
import io.debezium.data.Envelope;
import io.debezium.relational.Table;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.ingest.row.ColumnBindings;
import io.tributary.ingest.row.RowLayout;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.ShardRow.Origin;
import io.tributary.ingest.row.UnfitSourceException;
import io.tributary.ingest.row.UnfitValueException;
import io.tributary.protocol.ColumnDifferences;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import io.tributary.registry.SchemaChangeBehavior;
import io.tributary.registry.TruncateBehavior;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.cdc.connectors.mysql.source.metrics.MySqlSourceReaderMetrics;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlRecordEmitter;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplitState;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlSplitState;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.cdc.connectors.mysql.source.utils.RecordUtils;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Schema;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.source.SourceRecord;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.types.RowKind;

/**
 * Turns a batch of change events into rows and, behind them, the standing of the reader.
 *
 * <p>The position is said only once the reader has passed the end of every chunk of the copy:
 * before, a job that began from it would apply changes twice to chunks that hold them already. The
 * reader's offset within a transaction is the transaction's begin and what to skip of it, so
 * everything before the offset is delivered, which is what a probe's position is compared with.
 */
final class ShardRecordEmitter extends MySqlRecordEmitter<SourceElement> {
  /** Each chunk of a copy has schema objects of its own. */
  private static final int MOST_KNOWN_SCHEMAS = 4_096;

  private record TableKey(String database, String table) {}

  private final SourceSpec spec;
  private final MySqlSourceReaderMetrics metrics;
  private final ReadingHealth health;
  private final PositionProbe probe;
  private final Counter zeroDates;
  private final Map<TableKey, SourceSpec.Shard> shards = new HashMap<>();
  private final Map<Schema, StructRows> known = new IdentityHashMap<>();
  private final Map<ShardId, String> halted = new TreeMap<>();
  private final Map<ShardId, ColumnDifferences> columns = new TreeMap<>();

  /** By which tables are cut; empty when they are not. */
  private final Optional<RowLayout.Column> chunkColumn;

  /** How records become rows; null before the first. */
  private Opened opened;

  /** Whether what comes is from before the reader began anew. */
  private boolean discarding;

  /** Null while there is no binlog to read. */
  private CopyEnds copyEnds;

  private boolean pastCopy;
  private SourcePosition position;
  private Optional<Watermark> watermark = Optional.empty();

  ShardRecordEmitter(
      SourceSpec spec,
      MySqlSourceReaderMetrics metrics,
      ReadingHealth health,
      PositionProbe probe,
      Counter zeroDates) {
    super(null, metrics, false);
    this.spec = spec;
    this.metrics = metrics;
    this.health = health;
    this.probe = probe;
    this.zeroDates = zeroDates;
    this.chunkColumn =
        spec.snapshot().chunks() instanceof SourceSpec.Chunks.ByColumn cut
            ? spec.layout().columns().stream()
                .filter(column -> column.name().equals(cut.column()))
                .findFirst()
            : Optional.empty();
    spec.shards()
        .forEach(shard -> shards.put(new TableKey(shard.database(), shard.table()), shard));
  }

  @Override
  public void applySplit(MySqlSplit split) {
    if (!split.isBinlogSplit()) {
      return;
    }
    MySqlBinlogSplit binlog = split.asBinlogSplit();
    position = Positions.of(binlog.getStartingOffset());
    health.reached(position);
    copyEnds = CopyEnds.of(binlog);
    pastCopy = copyEnds.last().isEmpty();
    probe.ledger().beginAt(position);
    probe.start();
  }

  @Override
  public void emitRecord(
      SourceRecords records, SourceOutput<SourceElement> output, MySqlSplitState split)
      throws Exception {
    if (health.stopped()) {
      // Nothing of this batch is passed on and the offset stays: what is lost can be read again.
      output.collect(new SourceElement.Standing(standing()));
      return;
    }
    boolean binlog = split.isBinlogSplitState();
    Map<String, ?> newest = null;
    for (SourceRecord record : records.getSourceRecordList()) {
      Optional<ReaderNote> note = ReaderNote.in(record);
      if (note.isPresent() && note.get() instanceof Opened now) {
        begin(now, split);
      } else if (discarding) {
        continue;
      } else if (note.isPresent()) {
        // Its offset is the statement's; what it was before does not matter.
        newest = passStatements(Optional.empty(), Map.of(), split, newest, output) ? null : newest;
      } else if (binlog && RecordUtils.isSchemaChangeEvent(record)) {
        Map<TableId, TableChange> before = Map.copyOf(split.asBinlogSplitState().getTableSchemas());
        super.processElement(record, output, split);
        // What the statement says replaces the whole entry of its table.
        before.forEach(
            (id, was) ->
                LooseSchemas.bindings(was)
                    .ifPresent(known -> LooseSchemas.bind(split.asBinlogSplitState(), id, known)));
        Optional<SourcePosition> here = Optional.of(Positions.of(record.sourceOffset()));
        newest = passStatements(here, before, split, newest, output) ? null : newest;
      } else if (RecordUtils.isDataChangeRecord(record)) {
        emit(record, output);
        newest = record.sourceOffset();
      } else if (binlog && RecordUtils.isHeartbeatEvent(record)) {
        newest = record.sourceOffset();
      } else {
        // Bounds of chunks: kept in the split's state.
        super.processElement(record, output, split);
      }
    }
    if (!binlog) {
      if (!health.wishes().isEmpty() || columns.values().stream().anyMatch(c -> !c.isEmpty())) {
        output.collect(new SourceElement.Standing(standing()));
      }
      return;
    }
    if (newest != null) {
      split.asBinlogSplitState().setStartingOffset(RecordUtils.getBinlogPosition(newest));
      position = Positions.of(newest);
      health.reached(position);
    }
    output.collect(new SourceElement.Standing(standing()));
  }

  /** The reader has begun, with columns that fit the table. */
  private void begin(Opened now, MySqlSplitState split) {
    opened = now;
    discarding = false;
    known.clear();
    halted.putAll(now.refused());
    now.fits().forEach((shard, fit) -> columns.put(shard, fit.differences()));
    if (split.isBinlogSplitState()) {
      now.schemas().forEach(split.asBinlogSplitState()::recordSchema);
      spec.shards().stream()
          .filter(shard -> now.fits().containsKey(shard.id()))
          .forEach(
              shard ->
                  LooseSchemas.bind(
                      split.asBinlogSplitState(),
                      ShardSplitReader.tableId(shard),
                      now.fits().get(shard.id()).bindings()));
      spec.shards().stream()
          .filter(shard -> now.refused().containsKey(shard.id()))
          .forEach(shard -> LooseSchemas.halt(split.asBinlogSplitState(), shard));
    }
  }

  /**
   * Deals with the statements that the reader is held behind: all that lies before them was passed
   * on, nothing behind them is read.
   *
   * @param here where the change reader understood a statement to end; empty when it said nothing
   *     of the one that it is held behind
   * @param before the tables before that
   * @param newest the offset of the last record of this batch; null when there is none
   * @return whether what is behind them is read anew, with other columns
   */
  private boolean passStatements(
      Optional<SourcePosition> here,
      Map<TableId, TableChange> before,
      MySqlSplitState split,
      Map<String, ?> newest,
      SourceOutput<SourceElement> output) {
    EventWatch watch = health.watch().orElse(null);
    if (watch == null || !watch.hasStatements()) {
      return false;
    }
    Passed passed = new Passed(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
    SourcePosition end = here.orElseGet(() -> newest == null ? position : Positions.of(newest));
    for (Optional<EventWatch.Statement> next = watch.oldest();
        next.isPresent();
        next = watch.oldest()) {
      SourcePosition behind = next.get().end();
      if (here.filter(at -> BinlogOrder.compareFiles(at, behind) < 0).isPresent()) {
        // What was understood is an earlier one that changes no shard.
        return false;
      }
      pass(
          next.get(),
          here.isPresent() ? Optional.of(before) : Optional.empty(),
          watch,
          split.asBinlogSplitState(),
          passed);
      if (!(next.get().effect() instanceof StatementWatch.RowsPartial)) {
        end = behind(next.get(), end.gtidSet());
      }
      if (!passed.isEmpty()) {
        break;
      }
      watch.passed();
    }
    if (passed.isEmpty()) {
      return false;
    }
    position = end;
    split.asBinlogSplitState().setStartingOffset(Positions.toOffset(position));
    health.reached(position);
    discarding = true;
    if (!passed.emptied().isEmpty()) {
      output.collect(new SourceElement.ShardsEmptied(passed.emptied()));
      health.holdUntilCheckpoint();
    }
    // The statement is left where it is: the reader stays held until it is closed.
    health.reopen(
        new Reopening(
            LooseSchemas.with(split.toMySqlSplit().asBinlogSplit(), Map.of()),
            passed.changed(),
            halted.keySet()));
    return true;
  }

  /**
   * What statements did.
   *
   * @param changed shards whose columns may be others, and the statement
   * @param lost shards that are read no more
   * @param emptied shards that have no rows
   */
  private record Passed(
      Map<ShardId, String> changed, Set<ShardId> lost, SortedSet<ShardId> emptied) {
    boolean isEmpty() {
      return changed.isEmpty() && lost.isEmpty() && emptied.isEmpty();
    }
  }

  /**
   * @param before the tables before the statement; empty when the reader did not understand it
   */
  private void pass(
      EventWatch.Statement statement,
      Optional<Map<TableId, TableChange>> before,
      EventWatch watch,
      MySqlBinlogSplitState split,
      Passed passed) {
    String place = "'" + statement.sql() + "', which ends at " + statement.end();
    for (SourceSpec.Shard shard : spec.shards()) {
      ShardId id = shard.id();
      if (!statement.effect().shards().contains(id) || halted.containsKey(id)) {
        continue;
      }
      if (statement.effect() instanceof StatementWatch.RowsUnseen unseen) {
        halt(
            shard,
            statement,
            "expected row events, found " + unseen.what() + ": " + place,
            split,
            passed);
        continue;
      }
      if (statement.effect() instanceof StatementWatch.RowsPartial partial) {
        // Its siblings' rows of the same transaction are read anew from where all was passed on.
        halt(shard, statement, partial.what(), split, passed);
        continue;
      }
      TableId table = ShardSplitReader.tableId(shard);
      if (statement.effect() instanceof StatementWatch.AllRowsGone gone) {
        allRowsGone(shard, gone.means(), statement, place, before, split, passed);
        continue;
      }
      if (statement.effect() instanceof StatementWatch.Created made) {
        created(shard, made, statement, place, before, split, passed);
        continue;
      }
      boolean swapped = statement.effect() instanceof StatementWatch.Swapped;
      Optional<TableChange> old =
          Optional.ofNullable(before.orElseGet(split::getTableSchemas).get(table));
      Optional<TableChange> now =
          swapped
              ? swappedIn(table, id, before.isPresent(), old, watch)
              : before.flatMap(
                  understood -> Optional.ofNullable(split.getTableSchemas().get(table)));
      if (old.isEmpty() || now.isEmpty()) {
        if (statement.clauses().replaces()) {
          halt(
              shard,
              statement,
              "expected a statement on columns in the place of others that the change reader understands, found one that it does not: "
                  + place,
              split,
              passed);
          continue;
        }
        passed.changed().put(id, place);
        old.ifPresent(was -> LooseSchemas.forget(split, was));
        continue;
      }
      try {
        ColumnBindings.Change change =
            ColumnChanges.between(old.get(), now.get(), statement.clauses());
        if (!swapped && isSame(old.get(), now.get(), opened.layouts().get(id))) {
          continue;
        }
        if (!change.renamed().isEmpty()
            && spec.schemas().behavior() == SchemaChangeBehavior.EXCEPTION) {
          throw new UnfitSourceException(
              List.of(
                  "expected no change of columns (schema.change.behavior: exception), found renamed %s"
                      .formatted(change.renamed())));
        }
        split.recordSchema(table, now.get());
        LooseSchemas.bind(
            split,
            table,
            LooseSchemas.bindings(old.get())
                .orElse(ColumnBindings.NONE)
                .behind(change, opened.table()));
        passed.changed().put(id, place);
      } catch (UnfitSourceException e) {
        halt(
            shard, statement, String.join("; ", e.problems()) + ", behind " + place, split, passed);
      }
    }
  }

  /** All rows of a shard go: its partitions are emptied, or it is read no more. */
  private void allRowsGone(
      SourceSpec.Shard shard,
      StatementWatch.Means means,
      EventWatch.Statement statement,
      String place,
      Optional<Map<TableId, TableChange>> before,
      MySqlBinlogSplitState split,
      Passed passed) {
    TableId table = ShardSplitReader.tableId(shard);
    Optional<TableChange> old =
        Optional.ofNullable(before.orElseGet(split::getTableSchemas).get(table));
    boolean copied =
        copyEnds
            .last(table)
            .filter(end -> BinlogOrder.compareFiles(statement.end(), end) <= 0)
            .isPresent();
    if (spec.schemas().truncate() == TruncateBehavior.HALT || copied || old.isEmpty()) {
      String expected =
          spec.schemas().truncate() == TruncateBehavior.HALT
              ? "row events"
              // Some of the copied rows may be from before it and some from behind it.
              : copied ? "no such statement while the shard is copied" : "the table's columns";
      halt(
          shard,
          statement,
          "expected " + expected + ", found " + means.words() + ": " + place,
          split,
          passed);
      return;
    }
    switch (means) {
      case TRUNCATE -> split.recordSchema(table, old.get());
      case DROP -> LooseSchemas.dropped(split, old.get());
      case REPLACE -> becomes(table, understood(table, before, split), old.get(), split);
    }
    LooseSchemas.bindings(old.get())
        .ifPresent(known -> LooseSchemas.bind(split, table, known.withoutRows()));
    boolean dropped = LooseSchemas.isDropped(old.get());
    if (!dropped) {
      passed.emptied().add(shard.id());
    }
    if (!dropped || means == StatementWatch.Means.REPLACE) {
      passed.changed().put(shard.id(), place);
    }
  }

  /** A table is made where a shard has none, which is judged by its columns alone. */
  private void created(
      SourceSpec.Shard shard,
      StatementWatch.Created made,
      EventWatch.Statement statement,
      String place,
      Optional<Map<TableId, TableChange>> before,
      MySqlBinlogSplitState split,
      Passed passed) {
    TableId table = ShardSplitReader.tableId(shard);
    Optional<TableChange> old =
        Optional.ofNullable(before.orElseGet(split::getTableSchemas).get(table));
    boolean dropped = old.filter(LooseSchemas::isDropped).isPresent();
    if (old.isEmpty() || (!dropped && made.ifThereIsNone())) {
      return;
    }
    if (made.inTransaction() && statement.gtid().isPresent()) {
      // Whoever begins behind it passes over what is left of its transaction.
      halt(
          shard,
          statement,
          "expected CREATE TABLE without rows, found CREATE with SELECT: " + place,
          split,
          passed);
      return;
    }
    Optional<TableChange> now = understood(table, before, split);
    if (!dropped
        && now.filter(is -> isSame(old.get(), is, opened.layouts().get(shard.id()))).isPresent()) {
      return;
    }
    becomes(table, now, old.get(), split);
    passed.changed().put(shard.id(), place);
  }

  /** What the change reader has learnt of a table from a statement, if it has. */
  private static Optional<TableChange> understood(
      TableId table, Optional<Map<TableId, TableChange>> before, MySqlBinlogSplitState split) {
    return before
        .flatMap(
            known ->
                Optional.ofNullable(split.getTableSchemas().get(table))
                    .filter(now -> now != known.get(table)))
        .filter(now -> !now.getTable().columns().isEmpty())
        .map(now -> new TableChange(TableChanges.TableChangeType.ALTER, now.getTable()));
  }

  private static void becomes(
      TableId table, Optional<TableChange> now, TableChange old, MySqlBinlogSplitState split) {
    now.ifPresentOrElse(
        is -> split.recordSchema(table, is), () -> LooseSchemas.createdAnew(split, old));
  }

  /**
   * The columns of the copy that a tool has put in a shard's place.
   *
   * @return empty when the change reader has not seen how the copy was made
   */
  private Optional<TableChange> swappedIn(
      TableId table,
      ShardId shard,
      boolean understood,
      Optional<TableChange> old,
      EventWatch watch) {
    return watch
        .known(table)
        .map(now -> new TableChange(TableChanges.TableChangeType.ALTER, now))
        // As before, and nothing said of the statement: perhaps it was not carried out at all.
        .filter(
            now ->
                understood
                    || old.filter(was -> isSame(was, now, opened.layouts().get(shard))).isEmpty());
  }

  private static boolean isSame(TableChange old, TableChange now, RowLayout layout) {
    Table one = LooseSchemas.of(old.getTable(), layout);
    Table other = LooseSchemas.of(now.getTable(), layout);
    return one.columns().equals(other.columns())
        && one.primaryKeyColumnNames().equals(other.primaryKeyColumnNames());
  }

  /** A shard is read no more: told, noted in the source's state, and left out from here on. */
  private void halt(
      SourceSpec.Shard shard,
      EventWatch.Statement statement,
      String found,
      MySqlBinlogSplitState split,
      Passed passed) {
    halted.putIfAbsent(
        shard.id(),
        "Cannot read on %s of server %s at %s: %s; cure: pause the shard in the registry, start the group anew, then resume the shard: it is copied anew"
            .formatted(shard, spec.server(), statement.end(), found));
    LooseSchemas.halt(split, shard);
    passed.lost().add(shard.id());
  }

  /** Where a statement ends; with GTIDs, its own is among those that are done with. */
  private static SourcePosition behind(
      EventWatch.Statement statement, Optional<String> gtidsBefore) {
    Optional<String> gtids = gtidsBefore;
    if (gtids.isPresent() && statement.gtid().isPresent()) {
      GtidSet done = new GtidSet(gtids.get());
      done.add(statement.gtid().get());
      gtids = Optional.of(done.toString());
    }
    return new SourcePosition(statement.end().file(), statement.end().position(), gtids, 0, 0);
  }

  private SourceMark standing() {
    Optional<SourcePosition> said = Optional.empty();
    if (!pastCopy && position != null) {
      pastCopy = copyEnds.last().filter(end -> !BinlogOrder.reached(position, end)).isEmpty();
    }
    if (pastCopy && position != null) {
      said = Optional.of(position.on(probe.ledger().identity()));
      // What was promised before reading stopped stays; nothing is promised of a log that is lost.
      if (!health.stopped()) {
        watermark = probe.ledger().reachedBy(position);
      }
    }
    probe.ledger().fault().ifPresent(health::stop);
    Map<ShardId, String> faults = new TreeMap<>(halted);
    health
        .fault()
        .ifPresent(
            reason ->
                spec.shards()
                    .forEach(
                        shard ->
                            faults.putIfAbsent(
                                shard.id(),
                                "Cannot read on %s of server %s at %s: %s"
                                    .formatted(shard, spec.server(), position, reason))));
    return new SourceMark(spec.server(), said, watermark, faults, health.wishes(), columns);
  }

  private void emit(SourceRecord record, SourceOutput<SourceElement> output) {
    Struct envelope = (Struct) record.value();
    Struct origin = envelope.getStruct(Envelope.FieldName.SOURCE);
    SourceSpec.Shard source = shards.get(tableOf(origin));
    if (source == null || halted.containsKey(source.id())) {
      // The connector's patterns ignore case; names here are exact.
      return;
    }
    StructRows rows = rows(record.valueSchema(), source);
    ShardId shard = source.id();
    Long stamp = origin.getInt64("ts_ms");
    long time = stamp == null ? 0 : stamp;
    Struct before = envelope.getStruct(Envelope.FieldName.BEFORE);
    Struct after = envelope.getStruct(Envelope.FieldName.AFTER);
    try {
      switch (envelope.getString(Envelope.FieldName.OPERATION)) {
        case "r" -> collect(output, shard, Origin.COPY, rows.row(RowKind.INSERT, after), 0);
        case "c" -> {
          if (isNews(record, source, after)) {
            collect(output, shard, Origin.CHANGE, rows.row(RowKind.INSERT, after), time);
          }
        }
        case "u" -> {
          if (!rows.sameKey(before, after) && isNews(record, source, before)) {
            collect(output, shard, Origin.CHANGE, rows.row(RowKind.DELETE, before), time);
          }
          if (isNews(record, source, after)) {
            collect(output, shard, Origin.CHANGE, rows.row(RowKind.UPDATE_AFTER, after), time);
          }
        }
        case "d" -> {
          if (isNews(record, source, before)) {
            collect(output, shard, Origin.CHANGE, rows.row(RowKind.DELETE, before), time);
          }
        }
        default ->
            throw new TerminalSourceException(
                "Cannot read %s: expected an insert, update or delete, found operation '%s'"
                    .formatted(source, envelope.getString(Envelope.FieldName.OPERATION)));
      }
    } catch (UnfitValueException e) {
      throw new TerminalSourceException(
          "Cannot read %s of server %s at %s: %s"
              .formatted(
                  source, spec.server(), Positions.of(record.sourceOffset()), e.getMessage()),
          e);
    }
    report(time, envelope.getInt64(Envelope.FieldName.TIMESTAMP));
  }

  /** Whether a change of a row is none that the copy holds already. */
  private boolean isNews(SourceRecord record, SourceSpec.Shard source, Struct row) {
    if (pastCopy || copyEnds == null) {
      return true;
    }
    return !copyEnds.isInCopy(
        ShardSplitReader.tableId(source),
        chunkColumn.map(
            column -> CopyEnds.chunkKey(row.getWithoutDefault(column.name()), isUnsigned(column))),
        Positions.of(record.sourceOffset()));
  }

  private static boolean isUnsigned(RowLayout.Column column) {
    return column.sourceType().contains("unsigned") || column.sourceType().contains("zerofill");
  }

  private void collect(
      SourceOutput<SourceElement> output,
      ShardId shard,
      Origin origin,
      GenericRowData row,
      long time) {
    SourceElement element =
        new SourceElement.Row(new ShardRow(shard, origin, opened.form().schemaFingerprint(), row));
    if (time > 0) {
      output.collect(element, time);
    } else {
      output.collect(element);
    }
  }

  private void report(long eventTime, Long fetchTime) {
    if (eventTime > 0 && fetchTime != null && fetchTime >= eventTime) {
      metrics.recordFetchDelay(fetchTime - eventTime);
    }
  }

  private StructRows rows(Schema schema, SourceSpec.Shard source) {
    StructRows rows = known.get(schema);
    if (rows == null || rows.shard() != source.id().value()) {
      if (!opened.layouts().containsKey(source.id())) {
        throw new TerminalSourceException(
            "Cannot read %s of server %s behind %s: expected no rows of a table that was dropped and not created again, found some; cure: copy the shard again"
                .formatted(source, spec.server(), position));
      }
      if (known.size() >= MOST_KNOWN_SCHEMAS) {
        known.clear();
      }
      rows =
          StructRows.resolve(
              source,
              opened.layouts().get(source.id()),
              opened.form(),
              schema.field(Envelope.FieldName.AFTER).schema(),
              opened.characterTables(),
              zeroDates::inc);
      known.put(schema, rows);
    }
    return rows;
  }

  private static TableKey tableOf(Struct origin) {
    return new TableKey(origin.getString("db"), origin.getString("table"));
  }
}
