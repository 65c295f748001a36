package io.tributary.ingest.source;

import io.tributary.protocol.SourcePosition;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffset;
import org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffsetBuilder;

/** Translates positions from and to the connector's offsets. */
final class Positions {
  private Positions() {}

  static SourcePosition of(BinlogOffset offset) {
    return new SourcePosition(
        offset.getFilename(),
        offset.getPosition(),
        gtids(offset.getGtidSet()),
        offset.getRestartSkipEvents(),
        offset.getRestartSkipRows());
  }

  /** From the raw offset of a change event, without the detour over text for each number. */
  static SourcePosition of(Map<String, ?> offset) {
    return new SourcePosition(
        (String) offset.get(BinlogOffset.BINLOG_FILENAME_OFFSET_KEY),
        number(offset, BinlogOffset.BINLOG_POSITION_OFFSET_KEY),
        gtids((String) offset.get(BinlogOffset.GTID_SET_KEY)),
        number(offset, BinlogOffset.EVENTS_TO_SKIP_OFFSET_KEY),
        number(offset, BinlogOffset.ROWS_TO_SKIP_OFFSET_KEY));
  }

  static BinlogOffset toOffset(SourcePosition position) {
    BinlogOffsetBuilder builder =
        BinlogOffset.builder()
            .setBinlogFilePosition(position.file(), position.position())
            .setSkipEvents(position.skipEvents())
            .setSkipRows(position.skipRows());
    position.gtidSet().ifPresent(builder::setGtidSet);
    return builder.build();
  }

  /** A server says its set with line breaks, the reader without: one position has one text. */
  private static Optional<String> gtids(String set) {
    return Optional.ofNullable(set)
        .map(text -> text.replaceAll("\\s", ""))
        .filter(text -> !text.isEmpty());
  }

  private static long number(Map<String, ?> offset, String key) {
    Object value = offset.get(key);
    if (value == null) {
      return 0;
    }
    return value instanceof Number number ? number.longValue() : Long.parseLong(value.toString());
  }
}
