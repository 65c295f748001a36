package io.tributary.ingest.source;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import io.debezium.relational.Table;
import io.debezium.relational.TableId;
import io.debezium.relational.history.TableChanges.TableChange;
import io.tributary.protocol.ShardId;
import io.tributary.protocol.SourcePosition;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * Sees every event of the binlog before the change reader does. Remembers, in order, the statements
 * that change a shard and that the reader would pass over, until whoever passes the rows on has
 * come to them: a statement instead of row events, a table that is emptied, goes away or gets other
 * columns; and, like these, a row event that leaves columns out. Behind such a statement it holds
 * the reader back until then, so that no row is decoded with columns that it may not have. Stops
 * reading at an event that nobody can read without loss: a prepared transaction, a compressed
 * event.
 */
final class EventWatch implements BinaryLogClient.EventListener {
  /** The server's mark of an event that whoever does not know it may pass over. */
  private static final int IGNORABLE = 0x80;

  private final SourceSpec spec;
  private final ReadingHealth health;
  private final BinaryLogClient client;
  private final StatementWatch statements;
  private final Function<TableId, Table> tables;
  private final Runnable completed;
  private final Map<String, Integer> columnsAskedFor = new HashMap<>();
  private final Map<String, ShardId> shards = new HashMap<>();
  private final Map<Long, ShardTable> tablesOfShards = new HashMap<>();
  private final Queue<Statement> statementsAhead = new ConcurrentLinkedQueue<>();
  private String gtid;

  /** A transaction has begun, and no event of it has come. */
  private boolean begun;

  /** A statement that is a transaction of its own was the last event. */
  private boolean alone;

  private volatile boolean holding;
  private boolean closed;

  /** A shard's table as the rows that come have it. */
  private record ShardTable(ShardId shard, int columns) {}

  /**
   * A statement that changes shards, or a row event that does not show how.
   *
   * @param end where the statement ends in the binlog; without GTIDs
   * @param gtid its transaction's, on servers that have them
   * @param effect what it does
   * @param clauses what it says of single columns
   * @param sql its text
   */
  record Statement(
      SourcePosition end,
      Optional<String> gtid,
      StatementWatch.Effect effect,
      AlterClauses clauses,
      String sql) {}

  /**
   * @param tables what the change reader knows of a table; null when it does not know it
   * @param askedFor shards' tables whose columns are those that the server had when it was asked,
   *     perhaps not those of the rows that come
   * @param completed called in the reader's thread when the reader is through with a statement that
   *     is a transaction of its own. The reader counts a transaction as done with at its commit,
   *     which such a one has not, or at the begin of the next; so on a server that falls idle
   *     behind it, its place would stay before the statement
   */
  EventWatch(
      SourceSpec spec,
      ReadingHealth health,
      BinaryLogClient client,
      Function<TableId, Table> tables,
      Collection<TableChange> askedFor,
      Runnable completed) {
    this.completed = completed;
    this.spec = spec;
    this.health = health;
    this.client = client;
    this.tables = tables;
    this.statements = new StatementWatch(spec.shards());
    spec.shards().forEach(shard -> shards.put(name(shard.database(), shard.table()), shard.id()));
    askedFor.forEach(
        found ->
            columnsAskedFor.put(
                name(found.getId().catalog(), found.getId().table()),
                found.getTable().columns().size()));
  }

  @Override
  public void onEvent(Event event) {
    try {
      if (!holdBehindStatement()) {
        takeRowsOut(event);
        return;
      }
      if (alone) {
        // The reader has dealt with it, or this event would not have come.
        alone = false;
        completed.run();
      }
      judge(event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop(event, "expected to wait for the statement before it to be dealt with, was interrupted");
    } catch (RuntimeException e) {
      // The client would log it and go on; an event that nobody judged must not pass.
      stop(event, "expected an event that can be judged, found one that fails with " + e);
    }
  }

  private void judge(Event event) {
    switch (event.getHeader().getEventType()) {
      case QUERY -> query(event, data(event));
      case GTID -> {
        gtid = ((GtidEventData) data(event)).getGtid();
        begun = true;
      }
      case TABLE_MAP -> tableMap(event, data(event));
      case ROTATE -> tablesOfShards.clear();
      case WRITE_ROWS, EXT_WRITE_ROWS -> {
        WriteRowsEventData rows = data(event);
        whole(event, rows.getTableId(), rows.getIncludedColumns());
      }
      case UPDATE_ROWS, EXT_UPDATE_ROWS -> {
        UpdateRowsEventData rows = data(event);
        BitSet inBoth = (BitSet) rows.getIncludedColumnsBeforeUpdate().clone();
        inBoth.and(rows.getIncludedColumns());
        whole(event, rows.getTableId(), inBoth);
      }
      case DELETE_ROWS, EXT_DELETE_ROWS -> {
        DeleteRowsEventData rows = data(event);
        whole(event, rows.getTableId(), rows.getIncludedColumns());
      }
      case XA_PREPARE ->
          stop(
              event,
              "expected transactions of one phase, found a prepared one (XA), which cannot be followed");
      case INCIDENT ->
          stop(
              event,
              "expected every change in the binlog, found that the server lost some (an incident, or an event that is damaged); cure: copy the shards again");
      case TRANSACTION_PAYLOAD -> unreadable(event, UnreadableEvent.COMPRESSED);
      case UNKNOWN, PARTIAL_UPDATE_ROWS_EVENT -> {
        if (event.getData() instanceof UnreadableEvent found) {
          unreadable(event, found);
        }
      }
      default -> {
        // No other event changes rows.
      }
    }
  }

  private void unreadable(Event event, UnreadableEvent found) {
    boolean ignorable =
        event.getHeader() instanceof EventHeaderV4 header && (header.getFlags() & IGNORABLE) != 0;
    if (!ignorable) {
      stop(
          event,
          "expected changes that can be read, " + found.found() + ", then copy the shards again");
    }
  }

  /** Whether a statement waits to be passed. Cheap: nearly always false. */
  boolean hasStatements() {
    return !statementsAhead.isEmpty();
  }

  /** The oldest statement that nobody has passed yet. */
  Optional<Statement> oldest() {
    return Optional.ofNullable(statementsAhead.peek());
  }

  /** The oldest statement is dealt with. */
  synchronized void passed() {
    statementsAhead.remove();
    notifyAll();
  }

  /**
   * Whether the reader is held back: everything before a statement is with whoever asked for it.
   */
  boolean isHolding() {
    return holding;
  }

  /**
   * The columns that the change reader knows of a table. While it is held behind a statement, it
   * has carried that out, if it could parse it and knew the tables.
   */
  Optional<Table> known(TableId id) {
    // A table that was renamed may be found under its former name.
    return Optional.ofNullable(tables.apply(id)).filter(table -> table.id().equals(id));
  }

  /** Lets the reader go, since nobody wants what it reads any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Whether the event is wanted once there is no statement in front of it. */
  private boolean holdBehindStatement() throws InterruptedException {
    if (statementsAhead.isEmpty()) {
      return true;
    }
    synchronized (this) {
      while (!statementsAhead.isEmpty() && !closed) {
        holding = true;
        wait();
      }
      holding = false;
      return !closed;
    }
  }

  /** The reader would decode them with the columns of before, and complain of each. */
  private static void takeRowsOut(Event event) {
    switch (event.getHeader().getEventType()) {
      case WRITE_ROWS, EXT_WRITE_ROWS -> {
        WriteRowsEventData rows = data(event);
        rows.setRows(List.of());
      }
      case UPDATE_ROWS, EXT_UPDATE_ROWS -> {
        UpdateRowsEventData rows = data(event);
        rows.setRows(List.of());
      }
      case DELETE_ROWS, EXT_DELETE_ROWS -> {
        DeleteRowsEventData rows = data(event);
        rows.setRows(List.of());
      }
      default -> {
        // No other event brings rows.
      }
    }
  }

  private void query(Event event, QueryEventData query) {
    String sql = query.getSql().strip();
    alone = begun && !sql.equalsIgnoreCase("BEGIN") && !sql.regionMatches(true, 0, "XA ", 0, 3);
    begun = false;
    Optional<StatementWatch.Effect> effect = statements.judge(query.getDatabase(), query.getSql());
    effect.ifPresent(
        found ->
            statementsAhead.add(
                new Statement(
                    end(event),
                    Optional.ofNullable(gtid),
                    found,
                    found instanceof StatementWatch.ShapeMayChange
                        ? AlterClauses.of(query.getSql())
                        : AlterClauses.NONE,
                    shortened(query.getSql()))));
  }

  private void tableMap(Event event, TableMapEventData table) {
    String name = name(table.getDatabase(), table.getTable());
    int columns = table.getColumnTypes().length;
    if (shards.containsKey(name)) {
      tablesOfShards.put(table.getTableId(), new ShardTable(shards.get(name), columns));
      int known = columnsAskedFor.getOrDefault(name, columns);
      if (known != columns) {
        // The change reader would put each value into the column that has its place now.
        stop(
            event,
            "expected rows of table %s.%s with the %d columns that it has now, since nobody could read the statement that changed it last, found %d; cure: copy the shard again"
                .formatted(table.getDatabase(), table.getTable(), known, columns));
      }
    } else {
      tablesOfShards.remove(table.getTableId());
    }
  }

  private static String name(String database, String table) {
    return database + "\n" + table;
  }

  private void whole(Event event, long table, BitSet included) {
    ShardTable known = tablesOfShards.get(table);
    if (known == null || included.cardinality() >= known.columns()) {
      return;
    }
    // The reader would put NULL into the columns that are left out.
    takeRowsOut(event);
    statementsAhead.add(
        new Statement(
            end(event),
            Optional.ofNullable(gtid),
            new StatementWatch.RowsPartial(
                Set.of(known.shard()),
                "expected row events with all %d columns, found one with %d (binlog_row_image is not FULL)"
                    .formatted(known.columns(), included.cardinality())),
            AlterClauses.NONE,
            "a row event"));
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
