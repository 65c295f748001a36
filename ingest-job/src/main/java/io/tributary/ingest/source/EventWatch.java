package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import io.tributary.protocol.SourcePosition;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sees every event of the binlog before the change reader does, and stops reading at the first that
 * the reader would pass over although it concerns a shard: a statement instead of row events, a row
 * event that leaves columns out, a table that is emptied or goes away.
 */
final class EventWatch implements BinaryLogClient.EventListener {
  private final SourceSpec spec;
  private final ReadingHealth health;
  private final BinaryLogClient client;
  private final StatementWatch statements;
  private final Set<String> shards = new HashSet<>();
  private final Map<Long, Integer> columnsOfShards = new HashMap<>();
  private final Queue<Unconfirmed> unconfirmed = new ConcurrentLinkedQueue<>();

  /**
   * A statement that may have changed a shard's columns.
   *
   * @param end where the statement ends in the binlog
   * @param sql its text
   */
  record Unconfirmed(SourcePosition end, String sql) {}

  EventWatch(SourceSpec spec, ReadingHealth health, BinaryLogClient client) {
    this.spec = spec;
    this.health = health;
    this.client = client;
    this.statements = new StatementWatch(spec.shards());
    spec.shards().forEach(shard -> shards.add(shard.database() + "\n" + shard.table()));
  }

  @Override
  public void onEvent(Event event) {
    try {
      judge(event);
    } catch (RuntimeException e) {
      // The client would log it and go on; an event that nobody judged must not pass.
      stop(event, "expected an event that can be judged, found one that fails with " + e);
    }
  }

  private void judge(Event event) {
    switch (event.getHeader().getEventType()) {
      case QUERY -> query(event, data(event));
      case TABLE_MAP -> tableMap(data(event));
      case ROTATE -> columnsOfShards.clear();
      case WRITE_ROWS, EXT_WRITE_ROWS -> {
        WriteRowsEventData rows = data(event);
        whole(event, rows.getTableId(), rows.getIncludedColumns());
      }
      case UPDATE_ROWS, EXT_UPDATE_ROWS -> {
        UpdateRowsEventData rows = data(event);
        whole(event, rows.getTableId(), rows.getIncludedColumnsBeforeUpdate());
        whole(event, rows.getTableId(), rows.getIncludedColumns());
      }
      case DELETE_ROWS, EXT_DELETE_ROWS -> {
        DeleteRowsEventData rows = data(event);
        whole(event, rows.getTableId(), rows.getIncludedColumns());
      }
      case XA_PREPARE ->
          stop(
              event,
              "expected transactions of one phase, found a prepared one (XA), which cannot be followed");
      default -> {
        // No other event changes rows.
      }
    }
  }

  /**
   * A statement that changed a shard's columns without the change reader having understood it, when
   * a row from behind it turns up.
   */
  Optional<Unconfirmed> notUnderstoodBefore(SourcePosition row) {
    Unconfirmed oldest = unconfirmed.peek();
    return oldest != null && BinlogOrder.compareFiles(row, oldest.end()) >= 0
        ? Optional.of(oldest)
        : Optional.empty();
  }

  /** Cheap: nearly always false. */
  boolean hasUnconfirmed() {
    return !unconfirmed.isEmpty();
  }

  /** The change reader has understood every statement up to here. */
  void understood(SourcePosition end) {
    Unconfirmed oldest = unconfirmed.peek();
    while (oldest != null && BinlogOrder.compareFiles(oldest.end(), end) <= 0) {
      unconfirmed.remove();
      oldest = unconfirmed.peek();
    }
  }

  private void query(Event event, QueryEventData query) {
    Optional<StatementWatch.Effect> effect = statements.judge(query.getDatabase(), query.getSql());
    if (effect.isEmpty()) {
      return;
    }
    if (effect.get() instanceof StatementWatch.RowsUnseen unseen) {
      stop(
          event,
          "expected row events, found %s: '%s'; cure: copy the shard again"
              .formatted(unseen.what(), shortened(query.getSql())));
    } else {
      unconfirmed.add(new Unconfirmed(end(event), shortened(query.getSql())));
    }
  }

  private void tableMap(TableMapEventData table) {
    if (shards.contains(table.getDatabase() + "\n" + table.getTable())) {
      columnsOfShards.put(table.getTableId(), table.getColumnTypes().length);
    } else {
      columnsOfShards.remove(table.getTableId());
    }
  }

  private void whole(Event event, long table, BitSet included) {
    Integer columns = columnsOfShards.get(table);
    if (columns != null && included.cardinality() < columns) {
      stop(
          event,
          "expected row events with all %d columns, found one with %d (binlog_row_image is not FULL); cure: copy the shard again"
              .formatted(columns, included.cardinality()));
    }
  }

  private void stop(Event event, String reason) {
    health.stop(reason + ", in the event that ends at " + end(event) + " of " + spec.server());
  }

  private SourcePosition end(Event event) {
    long next =
        event.getHeader() instanceof EventHeaderV4 header
            ? header.getNextPosition()
            : client.getBinlogPosition();
    return SourcePosition.of(client.getBinlogFilename(), next);
  }

  private static String shortened(String sql) {
    String line = sql.replaceAll("\\s+", " ");
    return line.length() <= 200 ? line : line.substring(0, 200) + "...";
  }

  @SuppressWarnings("unchecked")
  private static <T extends EventData> T data(Event event) {
    EventData data = event.getData();
    return (T)
        (data instanceof EventDeserializer.EventDataWrapper wrapper ? wrapper.getInternal() : data);
  }
}
