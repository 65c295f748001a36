package io.tributary.ingest.source;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.cdc.connectors.mysql.source.split.SourceRecords;
import org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.source.SourceRecord;

/**
 * What the thread that reads tells the one that passes rows on. Travels among the records, since
 * the former is ahead of the latter.
 */
sealed interface ReaderNote permits Opened, ReaderNote.Held {
  /** All records before a statement are in front of this note; nothing behind it is read yet. */
  record Held() implements ReaderNote {}

  default SourceRecords asRecords() {
    return SourceRecords.fromSingleRecord(
        new SourceRecord(Map.of(), Map.of(), "tributary-reader", null, this));
  }

  /** The note in the place of a record; empty when it is a real one. */
  static Optional<ReaderNote> in(SourceRecord record) {
    return record.value() instanceof ReaderNote note ? Optional.of(note) : Optional.empty();
  }
}
