package io.tributary.loadtests.simulation;

import io.tributary.protocol.ServerName;
import io.tributary.protocol.ShardId;
import java.util.ArrayList;
import java.util.List;

/** A MySQL server: the truth. Its binlog is a list of changes; a position is an index in it. */
final class Server {
  static final int KEYS = 6;

  /** A change of one row; value 0 deletes it. */
  record Change(long at, ShardId shard, int key, long value) {}

  private final ServerName name;
  private final List<Change> log = new ArrayList<>();

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

  /** Each key's value when the first {@code position} changes were made; 0 where there is none. */
  long[] rows(ShardId shard, long position) {
    long[] rows = new long[KEYS];
    for (int i = 0; i < position; i++) {
      Change change = log.get(i);
      if (change.shard().equals(shard)) {
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
