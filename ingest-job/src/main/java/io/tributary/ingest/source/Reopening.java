package io.tributary.ingest.source;

import io.tributary.protocol.ShardId;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.cdc.connectors.mysql.source.split.MySqlBinlogSplit;

/**
 * Where the changes are to be read anew, since the columns of a shard are others from there on.
 *
 * @param split its beginning, and the columns as the change reader knows them; the server is asked
 *     for those of a shard that it does not have
 * @param statements the statement behind which each changed shard is read, with its place
 * @param halted shards that are read no more
 */
record Reopening(MySqlBinlogSplit split, Map<ShardId, String> statements, Set<ShardId> halted) {
  Reopening {
    statements = Collections.unmodifiableMap(new TreeMap<>(statements));
    halted = Collections.unmodifiableSet(new TreeSet<>(halted));
  }
}
