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
 * @param split its beginning, and the columns as the change reader knows them
 * @param statements the statement behind which each changed shard is read, with its place
 * @param unknown shards whose columns the change reader does not know: the server is asked
 * @param swapped shards in whose place a tool put its copy: the change reader knows its columns if
 *     it has seen how it was made, else the server is asked
 * @param halted shards that are read no more
 */
record Reopening(
    MySqlBinlogSplit split,
    Map<ShardId, String> statements,
    Set<ShardId> unknown,
    Set<ShardId> swapped,
    Set<ShardId> halted) {
  Reopening {
    statements = Collections.unmodifiableMap(new TreeMap<>(statements));
    unknown = Collections.unmodifiableSet(new TreeSet<>(unknown));
    swapped = Collections.unmodifiableSet(new TreeSet<>(swapped));
    halted = Collections.unmodifiableSet(new TreeSet<>(halted));
  }
}
