package io.tributary.ingest.source;

import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.SchemaChangeBehavior;
import io.tributary.registry.TruncateBehavior;
import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the registry says about statements that are found while a source is read.
 *
 * @param behavior what a change of columns does
 * @param columnTypes the types of columns that are not to have the one that loses nothing, by name
 * @param truncate what a statement does that takes all of a shard's rows
 */
public record SchemaPolicy(
    SchemaChangeBehavior behavior,
    Map<String, ColumnTypeOverride> columnTypes,
    TruncateBehavior truncate)
    implements Serializable {
  public SchemaPolicy {
    Objects.requireNonNull(behavior, "behavior");
    columnTypes = Collections.unmodifiableMap(new TreeMap<>(columnTypes));
    Objects.requireNonNull(truncate, "truncate");
  }

  /** A shard that loses all of its rows is halted. */
  public SchemaPolicy(SchemaChangeBehavior behavior, Map<String, ColumnTypeOverride> columnTypes) {
    this(behavior, columnTypes, TruncateBehavior.HALT);
  }
}
