package io.tributary.loadtests.simulation;

import io.tributary.ingest.row.ColumnType;
import io.tributary.ingest.row.RowLayout;
import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A MySQL server: the truth. Its binlog is a list of changes and statements; a position is an index
 * in it.
 */
final class Server {
  static final int KEYS = 6;
  static final String SHARD_COLUMN = "shard_id";
  static final String KEY_COLUMN = "id";
  static final String VALUE_COLUMN = "value";

  private static final ColumnType INT = ColumnType.of(ColumnType.Kind.INT);
  private static final ColumnType LONG = ColumnType.of(ColumnType.Kind.LONG);

  /** Stands for the key of a statement that alters a shard. */
  private static final int ALTERED = -1;

  /** Stands for the key of a statement that empties a shard. */
  private static final int TRUNCATED = -2;

  /** A change of one row, of which value 0 deletes it, or a statement on the shard. */
  record Change(long at, ShardId shard, int key, long value) {
    boolean isAltered() {
      return key == ALTERED;
    }

    boolean isTruncated() {
      return key == TRUNCATED;
    }
  }

  /** A shard has a column of this type from the position behind {@code index} on. */
  private record Statement(int index, String column, ColumnType type) {}

  private final ServerName name;
  private final List<Change> log = new ArrayList<>();
  private final Map<ShardId, List<Statement>> statements = new HashMap<>();

  Server(ServerName name) {
    this.name = name;
  }

  ServerName name() {
    return name;
  }

  int size() {
    return log.size();
  }

  Change at(int index) {
    return log.get(index);
  }

  void write(long at, ShardId shard, int key, boolean delete) {
    log.add(new Change(at, shard, key, delete ? 0 : log.size() + 1L));
  }

  /**
   * Adds a column, or widens it.
   *
   * @return whether that changes the shard
   */
  boolean alter(long at, ShardId shard, String column, ColumnType type) {
    ColumnType now = columns(shard, log.size()).get(column);
    if (now != null && (now.equals(type) || !now.fitsInto(type))) {
      return false;
    }
    statements
        .computeIfAbsent(shard, any -> new ArrayList<>())
        .add(new Statement(log.size(), column, type));
    log.add(new Change(at, shard, ALTERED, 0));
    return true;
  }

  /** All rows of a shard go by one statement, and no row event says so. */
  void truncate(long at, ShardId shard) {
    log.add(new Change(at, shard, TRUNCATED, 0));
  }

  /** The columns that statements gave a shard, as they were at a position. */
  Map<String, ColumnType> columns(ShardId shard, long position) {
    Map<String, ColumnType> columns = new LinkedHashMap<>();
    for (Statement statement : statements.getOrDefault(shard, List.of())) {
      if (statement.index() < position) {
        columns.put(statement.column(), statement.type());
      }
    }
    return columns;
  }

  /** What a source finds out of a shard: the columns' names at a position, and their types now. */
  RowLayout layout(ShardId shard, long position) {
    Map<String, ColumnType> now = columns(shard, log.size());
    List<RowLayout.Column> columns = new ArrayList<>();
    columns.add(new RowLayout.Column(KEY_COLUMN, INT, "int", false));
    columns.add(new RowLayout.Column(VALUE_COLUMN, LONG, "bigint", true));
    for (String column : columns(shard, position).keySet()) {
      columns.add(new RowLayout.Column(column, now.get(column), now.get(column).toString(), true));
    }
    return new RowLayout(SHARD_COLUMN, columns, List.of(0));
  }

  /** Each key's value when the first {@code position} changes were made; 0 where there is none. */
  long[] rows(ShardId shard, long position) {
    long[] rows = new long[KEYS];
    for (int i = 0; i < position; i++) {
      Change change = log.get(i);
      if (!change.shard().equals(shard) || change.isAltered()) {
        continue;
      }
      if (change.isTruncated()) {
        rows = new long[KEYS];
      } else {
        rows[change.key()] = change.value();
      }
    }
    return rows;
  }

  /** How many changes were committed before this time. */
  int committedBefore(long millis) {
    int low = 0;
    int high = log.size();
    while (low < high) {
      int middle = (low + high) / 2;
      if (log.get(middle).at() < millis) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
