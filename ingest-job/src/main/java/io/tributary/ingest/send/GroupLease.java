package io.tributary.ingest.send;

import io.tributary.ingest.seal.Submission;
import io.tributary.registry.zookeeper.Lease;
import io.tributary.registry.zookeeper.LeaseHeldException;
import io.tributary.registry.zookeeper.LeaseListener;
import io.tributary.registry.zookeeper.LeaseName;
import io.tributary.registry.zookeeper.LeaseOwner;
import io.tributary.registry.zookeeper.RegistryUnavailableException;
import io.tributary.registry.zookeeper.ZooKeeperAddress;
import io.tributary.registry.zookeeper.ZooKeeperConnection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the group's lease in ZooKeeper while the job runs, so that a second launch by mistake is
 * told. Taken by a thread of its own and never waited for: a job that cannot reach ZooKeeper runs
 * all the same, and what keeps two jobs apart is the table.
 */
public final class GroupLease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GroupLease.class);
  private static final Duration SESSION = Duration.ofSeconds(10);
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration AGAIN = Duration.ofSeconds(10);

  private final ZooKeeperAddress address;
  private final Submission submission;
  private final Thread thread;

  /**
   * @param classLoader for what the thread loads
   */
  GroupLease(String address, Submission submission, ClassLoader classLoader) {
    this.address = ZooKeeperAddress.parse(address);
    this.submission = submission;
    this.thread = new Thread(this::hold, "tributary-lease-of-" + submission.group());
    thread.setDaemon(true);
    thread.setContextClassLoader(classLoader);
  }

  void start() {
    thread.start();
  }

  /**
   * Takes the lease for a submission that is about to start, waiting as long as a dead holder's
   * session may last. The job's own sealer takes it over.
   *
   * @throws LeaseHeldException when a job of the group is running
   * @throws RegistryUnavailableException when ZooKeeper does not answer
   */
  public static Lease takeForLaunch(ZooKeeperConnection connection, Submission submission) {
    return Lease.take(
        connection, LeaseName.group(submission.group()), owner(submission), LeaseListener.NONE);
  }

  private static LeaseOwner owner(Submission submission) {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "unknown host";
    }
    return new LeaseOwner(
        submission.id().toString(),
        host,
        Instant.now(),
        "ingest job of group %s, incarnation %s"
            .formatted(submission.group(), submission.incarnation()));
  }

  private void hold() {
    try {
      while (true) {
        try (ZooKeeperConnection connection = ZooKeeperConnection.open(address, SESSION, CONNECT);
            Lease lease =
                Lease.take(
                    connection,
                    LeaseName.group(submission.group()),
                    owner(submission),
                    LeaseListener.NONE)) {
          LOG.info("Holding the lease of {}", lease.name());
          while (lease.state() != Lease.State.TAKEN) {
            Thread.sleep(1_000);
          }
        } catch (LeaseHeldException | RegistryUnavailableException e) {
          LOG.warn(
              "Group {} runs without its lease, trying again in {} s: {}",
              submission.group(),
              AGAIN.toSeconds(),
              e.getMessage());
        }
        Thread.sleep(AGAIN.toMillis());
      }
    } catch (InterruptedException e) {
      LOG.debug("The lease of group {} is given back", submission.group());
    } catch (RuntimeException e) {
      LOG.error("Group {} runs without its lease", submission.group(), e);
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join(Duration.ofSeconds(3).toMillis());
  }
}
