package io.tributary.coordinator.core;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Which {@link Protection}s hold: all of them, outside the simulation. */
public final class Protections {
  private static final Protections ALL = new Protections(EnumSet.noneOf(Protection.class));

  private final Set<Protection> disabled;

  private Protections(EnumSet<Protection> disabled) {
    this.disabled = disabled;
  }

  public static Protections all() {
    return ALL;
  }

  /** For the simulation alone: what happens when a rule is left out. */
  public static Protections without(Protection... disabled) {
    EnumSet<Protection> set = EnumSet.noneOf(Protection.class);
    set.addAll(Arrays.asList(disabled));
    return new Protections(set);
  }

  public boolean holds(Protection protection) {
    return !disabled.contains(protection);
  }
}
