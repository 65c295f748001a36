package io.tributary.registry.zookeeper;

import io.tributary.protocol.GroupName;
import java.time.Duration;
import java.time.Instant;

/** A process that takes a lease, says so, and holds it until it is killed. */
final class LeaseHolderMain {
  private LeaseHolderMain() {}

  public static void main(String[] args) throws InterruptedException {
    ZooKeeperConnection connection =
        ZooKeeperConnection.open(
            ZooKeeperAddress.parse(args[0]), Duration.ofSeconds(2), Duration.ofSeconds(30));
    Lease.take(
        connection,
        LeaseName.group(new GroupName("orders-a")),
        new LeaseOwner("job-1", "host-1", Instant.now(), "a process that will be killed"),
        LeaseListener.NONE);
    System.out.println("held");
    Thread.sleep(Long.MAX_VALUE);
  }
}
