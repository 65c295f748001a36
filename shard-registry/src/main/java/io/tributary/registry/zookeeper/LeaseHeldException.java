package io.tributary.registry.zookeeper;

import java.time.Duration;

/** Another owner holds the lease and is alive. */
public final class LeaseHeldException extends RuntimeException {
  private final transient LeaseOwner holder;

  LeaseHeldException(LeaseName lease, LeaseOwner holder, Duration waited) {
    super(
        "Cannot take the lease of "
            + lease
            + ": expected no other holder, found "
            + holder
            + ", still there after "
            + waited.toMillis()
            + " ms. Stop it first; the lease of a process that died ends by itself");
    this.holder = holder;
  }

  /** Who holds it. */
  public LeaseOwner holder() {
    return holder;
  }
}
