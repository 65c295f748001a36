package io.tributary.loadtests.simulation;

import io.tributary.coordinator.core.Protection;
import io.tributary.coordinator.core.Protections;
import io.tributary.ingest.seal.SealerProtection;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which rules hold in a run.
 *
 * @param core of the coordinator
 * @param sealer those of the ingest jobs' sealer and sender that hold
 */
public record Rules(Protections core, Set<SealerProtection> sealer) {
  public Rules {
    sealer = Set.copyOf(sealer);
  }

  /** As in the product. */
  public static Rules all() {
    return new Rules(Protections.all(), EnumSet.allOf(SealerProtection.class));
  }

  public static Rules without(Protection... left) {
    return new Rules(Protections.without(left), all().sealer);
  }

  public static Rules without(SealerProtection left) {
    return new Rules(Protections.all(), EnumSet.complementOf(EnumSet.of(left)));
  }
}
