package io.tributary.protocol;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The first thing a submission says. Everything of the group that lies before it in the topic and
 * does not continue to {@code continuation} is void.
 *
 * @param continuation where the job's Flink state goes on; absent without state
 * @param proposal what the sources say the table should be
 * @param shards the shards this submission reads
 * @param registryVersion the registry version it was started with, 0 when read from a file
 * @param sentAt by the job's clock
 */
public record Hello(
    TableName table,
    GroupName group,
    Incarnation incarnation,
    SubmissionId submission,
    Optional<Continuation> continuation,
    TableProposal proposal,
    List<ShardId> shards,
    long registryVersion,
    Instant sentAt)
    implements ControlMessage {
  /**
   * @throws IllegalArgumentException when there is no shard, one is there twice, or the registry
   *     version is negative
   */
  public Hello {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(continuation, "continuation");
    Objects.requireNonNull(proposal, "proposal");
    Objects.requireNonNull(sentAt, "sentAt");
    shards = shards.stream().sorted().toList();
    if (shards.isEmpty() || shards.stream().distinct().count() != shards.size()) {
      throw new IllegalArgumentException(
          "Cannot use the hello of group %s: expected its shards, each once, found %s"
              .formatted(group, shards));
    }
    if (registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot use the hello of group %s: expected a registry version not below 0, found %d"
              .formatted(group, registryVersion));
    }
  }
}
