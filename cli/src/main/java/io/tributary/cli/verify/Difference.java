package io.tributary.cli.verify;

import io.tributary.protocol.ShardId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One key at which source and table disagree.
 *
 * @param shard the shard it was found in
 * @param kind how they disagree
 * @param key the key columns' texts, in key order
 * @param columns for {@link Kind#DIFFERENT} the columns whose values differ; for the others all
 *     columns of the side that has the row
 */
public record Difference(
    ShardId shard, Kind kind, Map<String, String> key, List<ColumnDifference> columns) {

  /** How source and table disagree about a key. */
  public enum Kind {
    /** In the source, not in the table. */
    LOST("lost"),
    /** In the table, not in the source: a ghost. */
    EXTRA("extra"),
    /** More than once in the table. */
    DOUBLED("doubled"),
    /** On both sides, with other values. */
    DIFFERENT("different");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The word in reports. */
    public String word() {
      return word;
    }
  }

  /**
   * @param source the source's text; empty for NULL, or when the source has no such row
   * @param table the table's text; empty for null, or when the table has no such row
   */
  public record ColumnDifference(String column, Optional<String> source, Optional<String> table) {}

  public Difference {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(kind, "kind");
    key = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(key));
    columns = List.copyOf(columns);
  }
}
