package io.tributary.cli.check;

import io.tributary.ingest.row.SourceSchema;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * @param schema its columns and keys, as a job sees them; there for what can be read
 * @param distinct the server's estimate of the different values of each column that begins an
 *     index; only such columns are here
 * @param refused why its rows cannot be selected; empty when they can
 * @param cascades foreign keys of this table by which the server changes its rows on its own
 */
record ShardFacts(
    Optional<String> kind,
    Optional<String> engine,
    OptionalLong rows,
    OptionalLong bytes,
    Optional<SourceSchema> schema,
    Map<String, Long> distinct,
    Optional<String> refused,
    List<String> cascades) {
  ShardFacts {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(schema, "schema");
    distinct = Map.copyOf(distinct);
    cascades = List.copyOf(cascades);
  }

  /** A table that is not there, or not for us to see. */
  static ShardFacts missing() {
    return new ShardFacts(
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        List.of());
  }

  boolean readable() {
    return schema.isPresent();
  }
}
