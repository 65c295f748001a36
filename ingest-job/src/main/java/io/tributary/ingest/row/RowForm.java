package io.tributary.ingest.row;

import java.util.ArrayList;
import java.util.List;

/**
 * Which column each position of a row holds. A row has the columns that its job began with, at
 * places that never change, and behind them whatever else one version of the table's schema has; so
 * whoever knows the former and reads the fingerprint of the version in the row knows them all. The
 * first position, not part of {@code columns}, is the shard's number.
 *
 * @param schemaFingerprint the fingerprint of the version of the table's schema whose types the
 *     values have
 * @param columns from the row's second position on
 */
public record RowForm(long schemaFingerprint, List<String> columns) {
  public RowForm {
    columns = List.copyOf(columns);
  }

  /**
   * @param begun the columns that the job began with, without the shard's
   */
  public static RowForm of(TableColumns table, String shardColumn, List<String> begun) {
    List<String> names = new ArrayList<>(begun);
    for (TableColumns.Column column : table.columns()) {
      if (column.type().isPresent()
          && !column.name().equals(shardColumn)
          && !begun.contains(column.name())) {
        names.add(column.name());
      }
    }
    return new RowForm(table.schemaFingerprint(), names);
  }
}
