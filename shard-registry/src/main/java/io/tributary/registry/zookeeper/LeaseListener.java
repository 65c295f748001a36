package io.tributary.registry.zookeeper;

/**
 * Told what becomes of a lease, on a thread of the lease. Nothing here asks the holder to stop: the
 * table itself refuses an outdated job. Losing ZooKeeper is a matter for logs and metrics.
 */
public interface LeaseListener {
  /** Told nothing. */
  LeaseListener NONE = new LeaseListener() {};

  /** The session ended while ZooKeeper could not be reached: another owner may take the lease. */
  default void lost(LeaseName lease) {}

  /** The lease was taken again after it was lost. */
  default void regained(LeaseName lease) {}

  /** Another owner has taken the lost lease; it is not tried again. */
  default void taken(LeaseName lease, LeaseOwner by) {}
}
