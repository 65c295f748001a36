package io.tributary.ingest.send;

import io.tributary.ingest.seal.SealerProtection;
import io.tributary.ingest.seal.Submission;
import io.tributary.ingest.table.TableAccess;
import io.tributary.protocol.TableProposal;
import java.io.Serializable;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * All that the sealer needs. It travels in the job graph and holds no secret.
 *
 * @param submission who the job is and what it reads
 * @param proposal what the sources say the table should be
 * @param table how to reach the table
 * @param kafka how to reach the control topic
 * @param lease where the group's lease is kept
 * @param inlineLimit bytes of manifests that travel in one message at most, above 0
 * @param protections all of them, outside tests that show what one of them is for
 */
public record SealerConfig(
    Submission submission,
    TableProposal proposal,
    TableAccess table,
    KafkaAccess kafka,
    LeasePlace lease,
    long inlineLimit,
    Set<SealerProtection> protections)
    implements Serializable {
  /** Where a group's lease is kept. */
  public sealed interface LeasePlace extends Serializable {}

  /** Nowhere: the registry is a file. */
  public record NoLease() implements LeasePlace {}

  /**
   * In ZooKeeper, with the registry.
   *
   * @param address {@code host:port/path}
   */
  public record ZooKeeperLease(String address) implements LeasePlace {
    public ZooKeeperLease {
      Objects.requireNonNull(address, "address");
    }
  }

  /** Half of Kafka's usual limit for a message; the rest is for the header. */
  public static final long DEFAULT_INLINE_LIMIT = 512 * 1024;

  /**
   * @throws IllegalArgumentException when the limit is not above 0
   */
  public SealerConfig {
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(proposal, "proposal");
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(kafka, "kafka");
    Objects.requireNonNull(lease, "lease");
    protections = Set.copyOf(protections);
    if (inlineLimit <= 0) {
      throw new IllegalArgumentException(
          "Cannot configure the sealer: expected an inline limit above 0 bytes, found "
              + inlineLimit);
    }
  }

  /** With all protections. */
  public SealerConfig(
      Submission submission,
      TableProposal proposal,
      TableAccess table,
      KafkaAccess kafka,
      LeasePlace lease,
      long inlineLimit) {
    this(
        submission,
        proposal,
        table,
        kafka,
        lease,
        inlineLimit,
        EnumSet.allOf(SealerProtection.class));
  }
}
