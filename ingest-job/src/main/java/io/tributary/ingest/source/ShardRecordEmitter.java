package io.tributary.ingest.source;

import io.debezium.data.Envelope;
import io.tributary.ingest.row.CharacterTable;
import io.tributary.ingest.row.ShardRow;
import io.tributary.ingest.row.ShardRow.Origin;
import io.tributary.ingest.row.UnfitValueException;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import io.tributary.protocol.Watermark;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.cdc.connectors.mysql.source.metrics.MySqlSourceReaderMetrics;
import org.apache.flink.cdc.connectors.mysql.source.reader.MySqlRecordEmitter;
import org.apache.flink.cdc.connectors.mysql.source.split.FinishedSnapshotSplitInfo;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
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
  private final Map<String, CharacterTable> characterTables;
  private final Counter zeroDates;
  private final Map<TableKey, SourceSpec.Shard> shards = new HashMap<>();
  private final Map<Schema, StructRows> known = new IdentityHashMap<>();

  private SourcePosition copyEnd;
  private boolean pastCopy;
  private SourcePosition position;

  ShardRecordEmitter(
      SourceSpec spec,
      MySqlSourceReaderMetrics metrics,
      ReadingHealth health,
      PositionProbe probe,
      Map<String, CharacterTable> characterTables,
      Counter zeroDates) {
    super(null, metrics, false);
    this.spec = spec;
    this.metrics = metrics;
    this.health = health;
    this.probe = probe;
    this.characterTables = characterTables;
    this.zeroDates = zeroDates;
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
    copyEnd = null;
    for (FinishedSnapshotSplitInfo chunk : binlog.getFinishedSnapshotSplitInfos()) {
      SourcePosition end = Positions.of(chunk.getHighWatermark());
      if (copyEnd == null || BinlogOrder.compareFiles(end, copyEnd) > 0) {
        copyEnd = end;
      }
    }
    pastCopy = copyEnd == null;
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
    EventWatch watch = binlog ? health.watch().orElse(null) : null;
    Map<String, ?> newest = null;
    for (SourceRecord record : records.getSourceRecordList()) {
      if (RecordUtils.isDataChangeRecord(record)) {
        if (watch != null && watch.hasUnconfirmed()) {
          refuseAfterUnknownStatement(watch, Positions.of(record.sourceOffset()));
        }
        emit(record, output);
        newest = record.sourceOffset();
      } else if (binlog && RecordUtils.isHeartbeatEvent(record)) {
        newest = record.sourceOffset();
      } else {
        // Bounds of chunks and changed schemas: kept in the split's state.
        super.processElement(record, output, split);
        if (watch != null && RecordUtils.isSchemaChangeEvent(record)) {
          watch.understood(Positions.of(record.sourceOffset()));
        }
      }
    }
    if (!binlog) {
      return;
    }
    if (newest != null) {
      split.asBinlogSplitState().setStartingOffset(RecordUtils.getBinlogPosition(newest));
      position = Positions.of(newest);
      health.reached(position);
    }
    output.collect(new SourceElement.Standing(standing()));
  }

  private void refuseAfterUnknownStatement(EventWatch watch, SourcePosition row) {
    watch
        .notUnderstoodBefore(row)
        .ifPresent(
            statement -> {
              throw new TerminalSourceException(
                  "Cannot read server %s on at %s: expected to understand every change of a shard's columns, found '%s', which ends at %s; cure: copy the shard again"
                      .formatted(spec.server(), row, statement.sql(), statement.end()));
            });
  }

  private SourceMark standing() {
    Optional<SourcePosition> said = Optional.empty();
    Optional<Watermark> watermark = Optional.empty();
    if (!pastCopy && position != null) {
      pastCopy = BinlogOrder.reached(position, copyEnd);
    }
    if (pastCopy && position != null) {
      said = Optional.of(position.on(probe.ledger().identity()));
      watermark = probe.ledger().reachedBy(position);
    }
    probe.ledger().fault().ifPresent(health::stop);
    Map<ShardId, String> faults = new TreeMap<>();
    health
        .fault()
        .ifPresent(
            reason ->
                spec.shards()
                    .forEach(
                        shard ->
                            faults.put(
                                shard.id(),
                                "Cannot read on %s of server %s at %s: %s"
                                    .formatted(shard, spec.server(), position, reason))));
    return new SourceMark(spec.server(), said, watermark, faults);
  }

  private void emit(SourceRecord record, SourceOutput<SourceElement> output) {
    Struct envelope = (Struct) record.value();
    Struct origin = envelope.getStruct(Envelope.FieldName.SOURCE);
    SourceSpec.Shard source = shards.get(tableOf(origin));
    if (source == null) {
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
        case "c" -> collect(output, shard, Origin.CHANGE, rows.row(RowKind.INSERT, after), time);
        case "u" -> {
          if (!rows.sameKey(before, after)) {
            collect(output, shard, Origin.CHANGE, rows.row(RowKind.DELETE, before), time);
          }
          collect(output, shard, Origin.CHANGE, rows.row(RowKind.UPDATE_AFTER, after), time);
        }
        case "d" -> collect(output, shard, Origin.CHANGE, rows.row(RowKind.DELETE, before), time);
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

  private static void collect(
      SourceOutput<SourceElement> output,
      ShardId shard,
      Origin origin,
      GenericRowData row,
      long time) {
    SourceElement element = new SourceElement.Row(new ShardRow(shard, origin, row));
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
      if (known.size() >= MOST_KNOWN_SCHEMAS) {
        known.clear();
      }
      rows =
          StructRows.resolve(
              source,
              spec.layout(),
              schema.field(Envelope.FieldName.AFTER).schema(),
              characterTables,
              zeroDates::inc);
      known.put(schema, rows);
    }
    return rows;
  }

  private static TableKey tableOf(Struct origin) {
    return new TableKey(origin.getString("db"), origin.getString("table"));
  }
}
