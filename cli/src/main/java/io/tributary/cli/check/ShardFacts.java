package io.tributary.cli.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a server says of one shard's table.
 *
 * @param kind as information_schema says, {@code BASE TABLE} for what can be read; empty when there
 *     is no such table or no right to see it
 * @param engine storage engine
 * @param rows the server's own estimate
 * @param bytes of rows and indexes, by the server's own estimate
 * @param columns in order: name to type
 * @param keys columns of the primary key and of each unique key, by name
 * @param nullableKeys names of the unique keys that allow NULL or cover a part of a column
 * @param cascades foreign keys of this table by which the server changes its rows on its own
 */
record ShardFacts(
    Optional<String> kind,
    Optional<String> engine,
    OptionalLong rows,
    OptionalLong bytes,
    Map<String, String> columns,
    Map<String, List<String>> keys,
    List<String> nullableKeys,
    List<String> cascades) {
  static final String PRIMARY = "PRIMARY";

  boolean readable() {
    return kind.filter("BASE TABLE"::equals).isPresent();
  }
}
