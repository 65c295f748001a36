package io.tributary.registry;

import java.util.Locale;

/** What the operator wants of a shard. */
public enum DesiredState {
  /** Read, and counted in the watermark once its initial snapshot is complete. */
  ACTIVE,
  /** Not read for now; its rows stay. */
  PAUSED,
  /** Not read any more; its number stays taken. */
  RETIRED;

  /** The word in the registry. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
