/**
 * The ingest job: one submission reads the shards of one group.
 *
 * <p>A row's way: {@link io.tributary.ingest.source.ShardSource} reads it, {@link
 * io.tributary.ingest.write.PartitionRouter} sends it to the one writer of its partition, {@link
 * io.tributary.ingest.write.ShardWriter} writes it to a file, {@link
 * io.tributary.ingest.seal.EpochSealer} seals the file into an epoch, {@link
 * io.tributary.ingest.send} hands the epoch to the coordinator.
 */
package io.tributary.ingest;
