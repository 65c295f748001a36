package io.tributary.protocol;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * What a group hands to the coordinator for one epoch.
 *
 * @param tableUuid the table it was written for
 * @param previous the chain hash of the epoch before
 * @param chain this epoch's chain hash
 * @param schemaId the table schema the files were written with
 * @param specId the partition spec the files were written with
 * @param formatVersion the table's format version the files were written for
 * @param registryVersion the registry version the job runs with, 0 when read from a file
 * @param checkpointId Flink's id of the checkpoint whose barrier sealed it
 * @param sealedAt by the job's clock
 * @param slices in the order in which they are committed; none when the epoch brought no rows
 * @param shards each shard of the group at the end of the epoch
 * @param sources each source of the group at the end of the epoch
 */
public record Committable(
    TableName table,
    TableUuid tableUuid,
    GroupName group,
    Incarnation incarnation,
    SubmissionId submission,
    Epoch epoch,
    ChainHash previous,
    ChainHash chain,
    int schemaId,
    int specId,
    int formatVersion,
    long registryVersion,
    long checkpointId,
    Instant sealedAt,
    List<Slice> slices,
    List<ShardProgress> shards,
    List<SourceProgress> sources)
    implements ControlMessage {
  /**
   * @throws IllegalArgumentException when the chain hash is not the content's, a number is out of
   *     range, or a shard or source is there twice
   */
  public Committable {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(tableUuid, "tableUuid");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(epoch, "epoch");
    Objects.requireNonNull(previous, "previous");
    Objects.requireNonNull(chain, "chain");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(submission, "submission");
    Objects.requireNonNull(sealedAt, "sealedAt");
    slices = List.copyOf(slices);
    shards = List.copyOf(shards);
    sources = List.copyOf(sources);
    if (epoch.value() < 1) {
      throw new IllegalArgumentException(
          "Cannot use a committable of group " + group + ": expected an epoch of at least 1");
    }
    if (schemaId < 0 || specId < 0 || formatVersion < 1 || registryVersion < 0) {
      throw new IllegalArgumentException(
          "Cannot use epoch %s of group %s: expected schema, spec and registry version not below 0 and a format version of at least 1, found %d, %d, %d and %d"
              .formatted(epoch, group, schemaId, specId, registryVersion, formatVersion));
    }
    if (shards.stream().map(ShardProgress::shard).distinct().count() != shards.size()
        || sources.stream().map(SourceProgress::server).distinct().count() != sources.size()) {
      throw new IllegalArgumentException(
          "Cannot use epoch %s of group %s: expected each shard and each source once"
              .formatted(epoch, group));
    }
    ChainHash content = ChainHash.of(tableUuid, group, epoch, previous, slices, shards, sources);
    if (!content.equals(chain)) {
      throw new IllegalArgumentException(
          "Cannot use epoch %s of group %s: expected chain hash %s, found content of %s"
              .formatted(epoch, group, chain, content));
    }
  }

  /** Files of all slices together. */
  public FileCounts counts() {
    return slices.stream().map(Slice::counts).reduce(FileCounts.NONE, FileCounts::plus);
  }
}
