package io.tributary.ingest.source;

import io.debezium.relational.TableId;
import io.tributary.protocol.SourcePosition;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffset;
import org.apache.flink.cdc.connectors.mysql.source.split.FinishedSnapshotSplitInfo;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.cdc.connectors.mysql.source.utils.RecordUtils;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.source.SourceRecord;

/**
 * Where in the binlog the copy of each chunk ended: a change before that is in the copy already.
 *
 * <p>The connector would leave such changes out itself, but loses others. It compares names of
 * files as text, and so takes all behind .999999 for earlier; with GTIDs it takes the rest of an
 * event of many rows, in the middle of which a job was ended, for done. So it is told of no chunk,
 * passes on all that is read, and the choice is made here.
 */
final class CopyEnds {
  private static final BigDecimal ABOVE_UNSIGNED_LONG =
      new BigDecimal(BigInteger.ONE.shiftLeft(Long.SIZE));

  /** The chunk that has no start, and those by their starts. */
  private record Chunks(
      Optional<SourcePosition> first, NavigableMap<BigDecimal, SourcePosition> byStart) {
    Optional<SourcePosition> endOf(BigDecimal key) {
      return Optional.ofNullable(byStart.floorEntry(key)).map(Map.Entry::getValue).or(() -> first);
    }

    Optional<SourcePosition> only() {
      return byStart.isEmpty() ? first : Optional.empty();
    }
  }

  private final Map<TableId, Chunks> tables = new HashMap<>();
  private final Optional<SourcePosition> last;

  private CopyEnds(List<FinishedSnapshotSplitInfo> chunks) {
    SourcePosition latest = null;
    for (FinishedSnapshotSplitInfo chunk : chunks) {
      SourcePosition end = Positions.of(chunk.getHighWatermark());
      if (latest == null || BinlogOrder.compareFiles(end, latest) > 0) {
        latest = end;
      }
      Object[] start = chunk.getSplitStart();
      tables.compute(
          chunk.getTableId(),
          (table, known) -> {
            Chunks now = known == null ? new Chunks(Optional.empty(), new TreeMap<>()) : known;
            if (start == null) {
              return new Chunks(Optional.of(end), now.byStart());
            }
            now.byStart().put(new BigDecimal(start[0].toString()), end);
            return now;
          });
    }
    last = Optional.ofNullable(latest);
  }

  static CopyEnds of(MySqlBinlogSplit split) {
    return new CopyEnds(split.getFinishedSnapshotSplitInfos());
  }

  /** The end of the chunk that ended last; empty when there was no copy. */
  Optional<SourcePosition> last() {
    return last;
  }

  /** The end of the table's chunk that ended last; empty when it was not copied. */
  Optional<SourcePosition> last(TableId table) {
    Chunks chunks = tables.get(table);
    if (chunks == null) {
      return Optional.empty();
    }
    return Stream.concat(chunks.first().stream(), chunks.byStart().values().stream())
        .max(BinlogOrder::compareFiles);
  }

  /**
   * Whether a change came before the end of its row's chunk. A chunk ends between two transactions.
   *
   * @param chunkKey the row's number in the column of chunks; empty when tables are not cut
   * @param change begins in the change's transaction, or before it and says what to skip of that
   */
  boolean isInCopy(TableId table, Optional<BigDecimal> chunkKey, SourcePosition change) {
    Chunks chunks = tables.get(table);
    if (chunks == null) {
      return false;
    }
    Optional<SourcePosition> end =
        chunkKey.isEmpty() ? chunks.only() : chunks.endOf(chunkKey.get());
    return BinlogOrder.compareFiles(
            change,
            end.orElseThrow(
                () ->
                    new TerminalSourceException(
                        "Cannot tell whether a change of table %s was copied: expected a chunk for it, found none for '%s'; cure: copy the shard again"
                            .formatted(table, chunkKey.map(Object::toString).orElse("")))))
        < 0;
  }

  /**
   * A whole number or decimal of a row.
   *
   * @param unsigned whether the source's type is; the change reader gives large numbers as negative
   */
  static BigDecimal chunkKey(Object value, boolean unsigned) {
    BigDecimal number = new BigDecimal(value.toString());
    return unsigned && number.signum() < 0 ? number.add(ABOVE_UNSIGNED_LONG) : number;
  }

  /** The split for a change reader that passes on all that it reads. */
  static MySqlBinlogSplit passingAll(MySqlBinlogSplit split) {
    // With no chunk at all it would compare every change with the split's start, in its wrong way.
    FinishedSnapshotSplitInfo ofNoTable =
        new FinishedSnapshotSplitInfo(
            new TableId("", null, ""), "none:0", null, null, split.getStartingOffset());
    return new MySqlBinlogSplit(
        split.splitId(),
        split.getStartingOffset(),
        split.getEndingOffset(),
        List.of(ofNoTable),
        split.getTableSchemas(),
        1,
        split.isSuspended());
  }

  /**
   * Whether a chunk may lack changes that came while it was read: as text, the name of the file
   * that it ended in lies before that of the file it began in, so that the connector took the first
   * change for one from behind the chunk's end.
   *
   * @param chunk all that was read of it
   */
  static boolean isUncertain(List<SourceRecords> chunk) {
    int begun = 0;
    int ended = 0;
    for (SourceRecords batch : chunk) {
      for (SourceRecord record : batch.getSourceRecordList()) {
        if (RecordUtils.isLowWatermarkEvent(record)) {
          begun = RecordUtils.getWatermark(record).getFilename().length();
        } else if (RecordUtils.isHighWatermarkEvent(record)) {
          ended = RecordUtils.getWatermark(record).getFilename().length();
        }
      }
    }
    return begun != ended;
  }

  /**
   * The same split from the earliest end of a chunk on, which the connector looks for by text.
   *
   * @param ends of all chunks
   */
  static MySqlBinlogSplit fromFirst(MySqlBinlogSplit split, Iterable<BinlogOffset> ends) {
    List<BinlogOffset> all = new ArrayList<>();
    ends.forEach(all::add);
    return all.stream()
        .min(Comparator.comparing(Positions::of, BinlogOrder::compareFiles))
        .map(
            first ->
                new MySqlBinlogSplit(
                    split.splitId(),
                    first,
                    split.getEndingOffset(),
                    split.getFinishedSnapshotSplitInfos(),
                    split.getTableSchemas(),
                    split.getTotalFinishedSplitSize(),
                    split.isSuspended()))
        .orElse(split);
  }
}
