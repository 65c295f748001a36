package io.tributary.coordinator.iceberg;

import org.apache.iceberg.TableMetadata;

/**
 * Called around each step that the outside world can see, so that a test can stop the coordinator
 * exactly there. Production uses {@link #NONE}.
 */
public interface LedgerHooks {
  LedgerHooks NONE = new LedgerHooks() {};

  /** The base is read and checked, nothing is built. */
  default void baseChecked(TableMetadata base) {}

  /** Manifests are written, nothing is sent to the catalog. */
  default void beforeSwap(TableMetadata base, TableMetadata next) {}

  /** The catalog has answered that the swap is done. */
  default void afterSwap(TableMetadata next) {}
}
