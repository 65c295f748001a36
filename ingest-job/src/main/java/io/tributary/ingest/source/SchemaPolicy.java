package io.tributary.ingest.source;

import io.tributary.registry.ColumnTypeOverride;
import io.tributary.registry.SchemaChangeBehavior;
import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the registry says about columns that are found while a source is read.
 *
 * @param behavior what a change of columns does
 * @param columnTypes the types of columns that are not to have the one that loses nothing, by name
 */
public record SchemaPolicy(
    SchemaChangeBehavior behavior, Map<String, ColumnTypeOverride> columnTypes)
    implements Serializable {
  public SchemaPolicy {
    Objects.requireNonNull(behavior, "behavior");
    columnTypes = Collections.unmodifiableMap(new TreeMap<>(columnTypes));
  }
}
