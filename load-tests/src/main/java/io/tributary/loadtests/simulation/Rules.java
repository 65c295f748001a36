package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.ingest.seal.SealerProtection;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which rules hold in a run.
 *
 * @param core of the coordinator's core
 * @param sealer those of the sealer that hold
 * @param adapters those of the modelled adapters that hold
 */
public record Rules(
    Protections core, Set<SealerProtection> sealer, Set<AdapterProtection> adapters) {
  public Rules {
    sealer = Set.copyOf(sealer);
    adapters = Set.copyOf(adapters);
  }

  /** As in the product. */
  public static Rules all() {
    return new Rules(
        Protections.all(),
        EnumSet.allOf(SealerProtection.class),
        EnumSet.allOf(AdapterProtection.class));
  }

  public static Rules without(Protection... left) {
    return new Rules(Protections.without(left), all().sealer, all().adapters);
  }

  public static Rules without(SealerProtection left) {
    return new Rules(Protections.all(), EnumSet.complementOf(EnumSet.of(left)), all().adapters);
  }

  public static Rules without(AdapterProtection left) {
    return new Rules(Protections.all(), all().sealer, EnumSet.complementOf(EnumSet.of(left)));
  }

  /** These rules, and of the adapters' one more left out. */
  Rules alsoWithout(AdapterProtection left) {
    EnumSet<AdapterProtection> rest = EnumSet.copyOf(adapters);
    rest.remove(left);
    return new Rules(core, sealer, rest);
  }

  boolean holds(AdapterProtection protection) {
    return adapters.contains(protection);
  }
}
