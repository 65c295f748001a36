package io.tributary.registry;

import java.util.Locale;

/** What is done when a shard's columns change; the words are those of Flink CDC. */
public enum SchemaChangeBehavior {
  /**
   * The table gets columns that a shard adds and types that a shard widens as soon as the first
   * shard has them. What would lose something halts the shard.
   */
  EVOLVE,
  /** Every change that the table would have to follow halts the shard. */
  EXCEPTION;

  /** The word in the registry. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
