package io.tributary.registry;

import java.util.Locale;

/**
 * What is done when a shard loses all of its rows by one statement: TRUNCATE TABLE, DROP TABLE or
 * CREATE OR REPLACE TABLE. No row event says which rows went.
 */
public enum TruncateBehavior {
  /** The shard is halted: its rows stay in the table as they were before the statement. */
  HALT,
  /** The shard's partitions are emptied, in the place that the statement has among its changes. */
  EMPTY;

  /** The word in the registry. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
